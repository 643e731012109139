// What tc-normalize refuses, each with a report at the contraction.
//
// RUN: tc-opt %s --tc-normalize --split-input-file --verify-diagnostics

func.func @no_strides(%A: memref<4xf32, affine_map<(i) -> (i floordiv 2, i mod 2)>>, %C: memref<4xf32>) {
  // expected-error @+1 {{expected operands of strided layout, got 'memref<4xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>'}}
  tc.contract (i = 4) ins(%A[i] : memref<4xf32, affine_map<(i) -> (i floordiv 2, i mod 2)>>)
      outs(%C[i] : memref<4xf32>)
  return
}

// -----

func.func @overlapping_results(%A: memref<4x4xf32>, %C: memref<4x4xf32, strided<[0, 1]>>) {
  // expected-error @+1 {{expected each result element to be reached once, got a result of overlapping strides: 'memref<4x4xf32, strided<[0, 1]>>'}}
  tc.contract (i = 4, j = 4) ins(%A[i, j] : memref<4x4xf32>) outs(%C[i, j] : memref<4x4xf32, strided<[0, 1]>>)
  return
}

// -----

func.func @interleaved_results(%A: memref<4x4xf32>, %C: memref<4x4xf32, strided<[3, 1]>>) {
  // expected-error @+1 {{expected each result element to be reached once}}
  tc.contract (i = 4, j = 4) ins(%A[i, j] : memref<4x4xf32>) outs(%C[i, j] : memref<4x4xf32, strided<[3, 1]>>)
  return
}

// -----

// One row of an overlapping result has each element once.
func.func @one_row(%A: memref<4x4xf32>, %C: memref<4x4xf32, strided<[0, 1]>>) {
  tc.contract (i = 1, j = 4) ins(%A[i, j] : memref<4x4xf32>) outs(%C[i, j] : memref<4x4xf32, strided<[0, 1]>>)
  return
}
