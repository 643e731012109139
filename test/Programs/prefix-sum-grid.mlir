// Prefix sums of a long array in three kernels: the sums of parts of 50, their own
// prefix sums, and the prefix sums inside of the parts from there on. A thread
// takes a part.
//
// RUN: %run_program %s
func.func @prefix_sums(%A: memref<1030xi32>, %sums: memref<21xi32>, %B: memref<1030xi32>) {
  %zero = arith.constant 0 : i32
  tc.par grid (%p0) = (0) to (21) step (8) {
    tc.par block (%t) = (0) to (8) {
      %p = affine.apply affine_map<(p, t) -> (p + t)>(%p0, %t)
      %c21 = arith.constant 21 : index
      %in = arith.cmpi slt, %p, %c21 : index
      scf.if %in {
        %first = affine.apply affine_map<(p) -> (p * 50)>(%p)
        %last = affine.min affine_map<(p) -> (p * 50 + 50, 1030)>(%p)
        %sum = tc.seq (%i) = (%first) to (%last) init(%s = %zero : i32) {
          %a = memref.load %A[%i] : memref<1030xi32>
          %n = arith.addi %s, %a : i32
          tc.yield %n : i32
        }
        memref.store %sum, %sums[%p] : memref<21xi32>
      }
    }
  }
  tc.par grid (%one) = (0) to (1) {
    tc.par block (%t) = (0) to (1) {
      %all = tc.seq (%p) = (0) to (21) init(%s = %zero : i32) {
        %a = memref.load %sums[%p] : memref<21xi32>
        memref.store %s, %sums[%p] : memref<21xi32>
        %n = arith.addi %s, %a : i32
        tc.yield %n : i32
      }
    }
  }
  tc.par grid (%p0) = (0) to (21) step (8) {
    tc.par block (%t) = (0) to (8) {
      %p = affine.apply affine_map<(p, t) -> (p + t)>(%p0, %t)
      %c21 = arith.constant 21 : index
      %in = arith.cmpi slt, %p, %c21 : index
      scf.if %in {
        %first = affine.apply affine_map<(p) -> (p * 50)>(%p)
        %last = affine.min affine_map<(p) -> (p * 50 + 50, 1030)>(%p)
        %before = memref.load %sums[%p] : memref<21xi32>
        %all = tc.seq (%i) = (%first) to (%last) init(%s = %before : i32) {
          %a = memref.load %A[%i] : memref<1030xi32>
          %n = arith.addi %s, %a : i32
          memref.store %n, %B[%i] : memref<1030xi32>
          tc.yield %n : i32
        }
      }
    }
  }
  return
}
