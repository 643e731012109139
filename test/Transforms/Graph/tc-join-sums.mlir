// RUN: tc-opt %s --split-input-file --tc-join-sums | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-join-sums --remarks-filter=tc-join-sums --remark-policy=all 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Contracted iterators may have names that the first has for results.
// CHECK-LABEL: @names
// CHECK: tc.sum {
// CHECK: tc.contract (a = 4, q = 8)
// CHECK: tc.contract (a = 4, a_ = 8) ins(%{{.*}}[a_, a] : memref<8x4xf32>)
// CHECK: }
func.func @names(%X: memref<4x8xf32>, %Y: memref<8x4xf32>, %Z: memref<4xf32>) {
  tc.contract (a = 4, q = 8) ins(%X[a, q] : memref<4x8xf32>) outs(%Z[a] : memref<4xf32>) overwrite
  tc.contract (i = 4, a = 8) ins(%Y[a, i] : memref<8x4xf32>) outs(%Z[i] : memref<4xf32>)
  return
}

// -----

// What is between is not touched by either.
// CHECK-LABEL: @between
// CHECK: memref.store
// CHECK-NEXT: tc.sum
func.func @between(%X: memref<4xf32>, %Z: memref<4xf32>, %o: memref<f32>, %c: f32) {
  tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>) overwrite
  memref.store %c, %o[] : memref<f32>
  tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  return
}

// -----

// CHECK-LABEL: @input_changes
// CHECK-NOT: tc.sum
func.func @input_changes(%X: memref<4xf32>, %Z: memref<4xf32>, %c: f32, %i: index) {
  tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>) overwrite
  memref.store %c, %X[%i] : memref<4xf32>
  tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  return
}

// -----

// CHECK-LABEL: @overwritten
// CHECK-NOT: tc.sum
// REMARK: not one sum with the contraction before it: the second overwrites the result
func.func @overwritten(%X: memref<4xf32>, %Z: memref<4xf32>) {
  tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>) overwrite
  return
}

// -----

// CHECK-LABEL: @reads_result
// CHECK-NOT: tc.sum
// REMARK: the second reads the result of the first
func.func @reads_result(%X: memref<4x4xf32>, %Z: memref<4xf32>) {
  tc.contract (a = 4, q = 4) ins(%X[a, q] : memref<4x4xf32>) outs(%Z[a] : memref<4xf32>)
  tc.contract (a = 4, q = 4) ins(%X[a, q] : memref<4x4xf32>, %Z[q] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  return
}

// -----

// CHECK-LABEL: @other_extents
// CHECK-NOT: tc.sum
// REMARK: their results have other subscripts
func.func @other_extents(%X: memref<4xf32>, %Z: memref<4xf32>) {
  tc.contract (a = 4) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  tc.contract (a = 3) ins(%X[a] : memref<4xf32>) outs(%Z[a] : memref<4xf32>)
  return
}
