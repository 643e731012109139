// With-loops of several partitions in their places: over an array with a default, over its rim
// alone, in the iterations of a nest, with partitions that reduce and that call a function.
//
// RUN: %run_program %s
func.func private @twice(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}

func.func @with_loops(%A: memref<30x40xi32>, %B: memref<30x40xi32>, %C: memref<30xi32>, %D: memref<30x5xi32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  tc.with %B default(%zero : i32) : memref<30x40xi32> {
    tc.partition (%i, %j) = (0, 1) to (29, 40) step (2, 5) width (1, 2) {
      %x = memref.load %A[%i, %j] : memref<30x40xi32>
      %y = func.call @twice(%x) : (i32) -> i32
      tc.yield %y : i32
    }
    tc.partition (%i, %j) = (3, 0) to (30, 39) step (3, 2) width (2, 1) {
      tc.yield %seven : i32
    }
  }
  tc.with %B : memref<30x40xi32> {
    tc.partition (%i, %j) = (0, 0) to (1, 40) {
      tc.yield %three : i32
    }
    tc.partition (%i, %j) = (0, 39) to (30, 40) {
      %old = memref.load %B[%i, %j] : memref<30x40xi32>
      %x = arith.addi %old, %seven : i32
      tc.yield %x : i32
    }
  }
  tc.with %C default(%three : i32) : memref<30xi32> {
    tc.partition (%i) = (2) to (28) {
      %sum = tc.new : memref<i32>
      tc.reduce (%j) = (0) to (40) init(%zero : i32) commutative {
        %x = memref.load %B[%i, %j] : memref<30x40xi32>
        tc.yield %x : i32
      } combine (%a: i32, %b: i32) {
        %s = arith.addi %a, %b : i32
        tc.yield %s : i32
      } finish (%total: i32) {
        memref.store %total, %sum[] : memref<i32>
      }
      %x = memref.load %sum[] : memref<i32>
      tc.yield %x : i32
    }
  }
  tc.par grid (%i) = (0) to (30) {
    %row = tc.new : memref<40xi32>
    tc.with %row default(%seven : i32) : memref<40xi32> {
      tc.partition (%j) = (0) to (40) step (3) {
        %x = memref.load %B[%i, %j] : memref<30x40xi32>
        tc.yield %x : i32
      }
    }
    tc.par block (%k) = (0) to (5) {
      %j = affine.apply affine_map<(k) -> (39 - 7 * k)>(%k)
      %x = memref.load %row[%j] : memref<40xi32>
      memref.store %x, %D[%i, %k] : memref<30x5xi32>
    }
  }
  return
}
