// RUN: tc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @memref_casts
// CHECK-NOT: memref.cast
// CHECK: tc.contract (a = 4) ins(%arg0[a] : memref<4xf32>) outs(%arg1[a] : memref<4xf32>){{$}}
func.func @memref_casts(%x: memref<4xf32>, %z: memref<4xf32>) {
  %c = memref.cast %x : memref<4xf32> to memref<?xf32>
  %d = memref.cast %z : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  tc.contract (a = 4) ins(%c[a] : memref<?xf32>) outs(%d[a] : memref<4xf32, strided<[?], offset: ?>>)
  return
}

// CHECK-LABEL: @tensor_casts
// CHECK: %[[R:.*]] = tc.contract (a = 4, q = 2) ins(%arg0[a, q] : tensor<4x2xf32>) outs(%arg1[a] : tensor<4xf32>) overwrite neutral(1.000000e+00 : f32) {note = "kept"} combine
// CHECK: %[[C:.*]] = tensor.cast %[[R]] : tensor<4xf32> to tensor<?xf32>
// CHECK: return %[[C]]
func.func @tensor_casts(%x: tensor<4x2xf32>, %z: tensor<4xf32>) -> tensor<?xf32> {
  %c = tensor.cast %x : tensor<4x2xf32> to tensor<?x?xf32>
  %d = tensor.cast %z : tensor<4xf32> to tensor<?xf32>
  %r = tc.contract (a = 4, q = 2) ins(%c[a, q] : tensor<?x?xf32>) outs(%d[a] : tensor<?xf32>)
      overwrite neutral(1.0 : f32) {note = "kept"} combine associative commutative (%u: f32, %v: f32) {
        %p = arith.mulf %u, %v : f32
        tc.yield %p : f32
      } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A cast that claims to know more than its source stays.
// CHECK-LABEL: @other_casts
// CHECK: memref.cast
// CHECK: tc.contract
func.func @other_casts(%x: memref<?xf32>, %z: memref<4xf32>) {
  %c = memref.cast %x : memref<?xf32> to memref<4xf32>
  tc.contract (a = 4) ins(%c[a] : memref<4xf32>) outs(%z[a] : memref<4xf32>)
  return
}

// CHECK-LABEL: @extents
// CHECK: %[[N:.*]] = arith.constant -1 : index
// CHECK: tc.contract (a = 4, b = %arg2, q = 2) ins
// CHECK: tc.contract (a = %[[N]]) ins
func.func @extents(%x: memref<?xf32>, %z: memref<?x?xf32>, %n: index, %w: memref<?xf32>) {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %less = arith.constant -1 : index
  tc.contract (a = %c4, b = %n, q = %c2) ins(%x[a + q] : memref<?xf32>) outs(%z[a, b] : memref<?x?xf32>)
  tc.contract (a = %less) ins(%x[a] : memref<?xf32>) outs(%w[a] : memref<?xf32>)
  return
}

// CHECK-LABEL: @unused
// CHECK-NOT: tc.contract
func.func @unused(%x: tensor<4xf32>, %z: tensor<4xf32>) {
  %r = tc.contract (a = 4) ins(%x[a] : tensor<4xf32>) outs(%z[a] : tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @view
// CHECK-NEXT: return %arg0
func.func @view(%x: memref<4x8xf32>) -> memref<4x8xf32> {
  %v = tc.view %x <offset = 0, sizes = [4, 8], strides = [8, 1]> : memref<4x8xf32> to memref<4x8xf32>
  return %v : memref<4x8xf32>
}

// CHECK-LABEL: @dim_of_view
// CHECK-NEXT: %[[C:.*]] = arith.constant 4 : index
// CHECK-NEXT: return %arg1, %[[C]]
func.func @dim_of_view(%x: memref<?xf32>, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tc.view %x (%n) <offset = 0, sizes = [?, 4], strides = [4, 1]> : memref<?xf32> to memref<?x4xf32, strided<[4, 1]>>
  %n0 = memref.dim %v, %c0 : memref<?x4xf32, strided<[4, 1]>>
  %n1 = memref.dim %v, %c1 : memref<?x4xf32, strided<[4, 1]>>
  return %n0, %n1 : index, index
}

// A dimension that there is not has any size.
// CHECK-LABEL: @no_dimension(
// CHECK-NOT: memref.dim
// CHECK: return
func.func @no_dimension(%A: memref<?x8xf32>) -> (index, index) {
  %before = arith.constant -1 : index
  %behind = arith.constant 2 : index
  %a = memref.dim %A, %before : memref<?x8xf32>
  %b = memref.dim %A, %behind : memref<?x8xf32>
  return %a, %b : index, index
}
