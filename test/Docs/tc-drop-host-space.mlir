// RUN: tc-opt %s --tc-drop-host-space | FileCheck %s

// A copy from the memory of the host is a copy from a pointer.
func.func @f(%A: memref<8xf32, #tc.host>, %B: memref<8xf32>) {
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %B, %A : memref<8xf32>, memref<8xf32, #tc.host>
  gpu.wait [%1]
  return
}

// CHECK: func.func @f(%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>) {
// CHECK: gpu.memcpy async [%{{.*}}] %[[B]], %[[A]] : memref<8xf32>, memref<8xf32>
