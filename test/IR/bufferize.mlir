// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   | FileCheck %s --implicit-check-not=tensor

// In place: nobody reads the old value.
// CHECK-LABEL: @in_place(
// CHECK-SAME: %[[X:.*]]: memref<4x2xf32>, %[[Z:.*]]: memref<4xf32>)
// CHECK-NEXT: tc.contract (a = 4, q = 2) ins(%[[X]][a, q] : memref<4x2xf32>) outs(%[[Z]][a] : memref<4xf32>) neutral(1.000000e+00 : f32) {note = "kept"} combine
// CHECK: return %[[Z]]
func.func @in_place(%x: tensor<4x2xf32>, %z: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %r = tc.contract (a = 4, q = 2) ins(%x[a, q] : tensor<4x2xf32>) outs(%z[a] : tensor<4xf32>)
      neutral(1.0 : f32) {note = "kept"} combine associative commutative (%u: f32, %v: f32) {
        %p = arith.mulf %u, %v : f32
        tc.yield %p : f32
      } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The old value is still needed: the result gets a buffer with a copy of it.
// CHECK-LABEL: @read_later(
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: memref.copy %[[Z:.*]], %[[B]]
// CHECK: tc.contract {{.*}} outs(%[[B]][a] : memref<4xf32>){{$}}
// CHECK: return %[[B]], %[[Z]]
func.func @read_later(%x: tensor<4xf32>, %z: tensor<4xf32> {bufferization.writable = true})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r = tc.contract (a = 4) ins(%x[a] : tensor<4xf32>) outs(%z[a] : tensor<4xf32>) -> tensor<4xf32>
  return %r, %z : tensor<4xf32>, tensor<4xf32>
}

// Overwritten as a whole, the new buffer needs no copy.
// CHECK-LABEL: @overwrite(
// CHECK: memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: tc.contract {{.*}} overwrite
func.func @overwrite(%x: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = tc.contract (a = 4) ins(%x[a] : tensor<4xf32>) outs(%z[a] : tensor<4xf32>) overwrite -> tensor<4xf32>
  return %r, %z : tensor<4xf32>, tensor<4xf32>
}

// Overwritten in part, it does.
// CHECK-LABEL: @overwrite_diagonal(
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: memref.copy %{{.*}}, %[[B]]
// CHECK: tc.contract {{.*}} overwrite
func.func @overwrite_diagonal(%x: tensor<4xf32>, %z: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = tc.contract (a = 4) ins(%x[a] : tensor<4xf32>) outs(%z[a, a] : tensor<4x4xf32>) overwrite -> tensor<4x4xf32>
  return %r, %z : tensor<4x4xf32>, tensor<4x4xf32>
}
