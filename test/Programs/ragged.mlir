// A sparse matrix in rows of any length (compressed rows) times a vector: bounds of
// the inner loop and the subscripts in it are read from memory. The lengths come
// from data, and their prefix sums are taken first, by one thread.
//
// RUN: %run_program %s
func.func @ragged(%lengths: memref<50xi32>, %columns: memref<400xi32>, %values: memref<400xf32>,
                  %x: memref<30xf32>, %starts: memref<51xi32>, %y: memref<50xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  tc.par grid (%one) = (0) to (1) {
    tc.par block (%t) = (0) to (1) {
      %c50 = arith.constant 50 : index
      %end = tc.seq (%i) = (0) to (50) init(%s = %none : i32) {
        memref.store %s, %starts[%i] : memref<51xi32>
        %n = memref.load %lengths[%i] : memref<50xi32>
        %index = arith.index_cast %n : i32 to index
        %length = affine.apply affine_map<(n) -> (n mod 8)>(%index)
        %l32 = arith.index_cast %length : index to i32
        %next = arith.addi %s, %l32 : i32
        tc.yield %next : i32
      }
      memref.store %end, %starts[%c50] : memref<51xi32>
    }
  }
  tc.par grid (%i0) = (0) to (50) step (32) {
    tc.par block (%t) = (0) to (32) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %c50 = arith.constant 50 : index
      %in = arith.cmpi slt, %i, %c50 : index
      scf.if %in {
        %i1 = affine.apply affine_map<(i) -> (i + 1)>(%i)
        %first32 = memref.load %starts[%i] : memref<51xi32>
        %last32 = memref.load %starts[%i1] : memref<51xi32>
        %first = arith.index_cast %first32 : i32 to index
        %last = arith.index_cast %last32 : i32 to index
        %sum = tc.seq (%k) = (%first) to (%last) init(%s = %zero : f32) {
          %c32 = memref.load %columns[%k] : memref<400xi32>
          %c = arith.index_cast %c32 : i32 to index
          %j = affine.apply affine_map<(c) -> (c mod 30)>(%c)
          %v = memref.load %values[%k] : memref<400xf32>
          %xj = memref.load %x[%j] : memref<30xf32>
          %p = arith.mulf %v, %xj : f32
          %n = arith.addf %s, %p : f32
          tc.yield %n : f32
        }
        memref.store %sum, %y[%i] : memref<50xf32>
      }
    }
  }
  return
}
