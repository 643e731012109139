// More of what rows of a tc.stage cannot be.
//
// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @stage_rows_last(%x: memref<8x8xf32>) {
  // expected-error@+1 {{expected rows of whole chunks along a dimension of stride 1 in the result that is not the last, got 2 rows of 4}}
  %s = tc.stage %x pad(0.0 : f32) chunk(4) rows(2) : memref<8x8xf32> to memref<8x8xf32>
  return
}

// -----

func.func @stage_rows_alone(%x: memref<8x8xf32>) {
  // expected-error@+1 {{expected rows of whole chunks along a dimension of stride 1 in the result that is not the last, got 2 rows of 1}}
  %s = tc.stage %x pad(0.0 : f32) rows(2) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
  return
}
