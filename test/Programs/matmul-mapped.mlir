// The matrix product in three mappings that someone wrote: tiles of 32 x 32 threads, rows of a
// column-major space, and one long line.
//
// RUN: %run_program %s
func.func @matmul(%A: memref<37x19xf32>, %B: memref<19x45xf32>, %C: memref<37x45xf32>, %D: memref<37x45xf32>, %E: memref<37x45xf32>) {
  tc.par device (%i, %j) = (0, 0) to (37, 45) map #tc.map<split_last(32), permute(1, 2, 0), split_last(32), permute(2, 0, 3, 1), grid_block(2)> {
    %zero = arith.constant 0.0 : f32
    %sum = tc.seq (%k) = (0) to (19) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<37x19xf32>
      %b = memref.load %B[%k, %j] : memref<19x45xf32>
      %p = arith.mulf %a, %b : f32
      %next = arith.addf %s, %p : f32
      tc.yield %next : f32
    }
    memref.store %sum, %C[%i, %j] : memref<37x45xf32>
  }
  tc.par device (%i, %j) = (0, 0) to (37, 45) map #tc.map<permute(1, 0), fold_last2, split_last(128), grid_block(1)> {
    %zero = arith.constant 0.0 : f32
    %sum = tc.seq (%k) = (0) to (19) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<37x19xf32>
      %b = memref.load %B[%k, %j] : memref<19x45xf32>
      %p = arith.mulf %a, %b : f32
      %next = arith.addf %s, %p : f32
      tc.yield %next : f32
    }
    memref.store %sum, %D[%i, %j] : memref<37x45xf32>
  }
  tc.par device (%i, %j) = (0, 0) to (37, 45) map #tc.map<fold_last2, pad_last(1024), split_last(1024), grid_block(1)> {
    %zero = arith.constant 0.0 : f32
    %sum = tc.seq (%k) = (0) to (19) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<37x19xf32>
      %b = memref.load %B[%k, %j] : memref<19x45xf32>
      %p = arith.mulf %a, %b : f32
      %next = arith.addf %s, %p : f32
      tc.yield %next : f32
    }
    memref.store %sum, %E[%i, %j] : memref<37x45xf32>
  }
  return
}
