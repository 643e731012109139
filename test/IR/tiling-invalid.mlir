// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/tile.mlir \
// RUN:   --transform-interpreter --split-input-file --verify-diagnostics

func.func @overwrite(%A: memref<8x6xf32>, %z: memref<8xf32>) {
  // expected-error@+3 {{expected no tiles of a contracted iterator when the result is overwritten}}
  // expected-error-re@+2 {{{{fail.*}} to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  tc.contract (a = 8, b = 1, q = 6) ins(%A[a, q] : memref<8x6xf32>) outs(%z[a] : memref<8xf32>) overwrite
  return
}

// -----

// The last tile has 2 iterations: where it starts in x is known at run time only.
func.func @backwards(%x: memref<10xf32>, %z: memref<10x1x3xf32>) {
  // expected-error@+3 {{expected tiles of static size where a subscript runs backwards, got affine_map<(d0, d1, d2) -> (-d0 + 9)>}}
  // expected-error-re@+2 {{{{fail.*}} to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  tc.contract (a = 10, b = 1, c = 3) ins(%x[9 - a] : memref<10xf32>) outs(%z[a, b, c] : memref<10x1x3xf32>)
  return
}
