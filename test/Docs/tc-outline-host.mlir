// RUN: tc-opt %s --tc-outline-host | FileCheck %s

// Nobody but the host has @ext: the host computes, on copies of what the device has.
func.func private @ext(f32) -> f32
func.func @f(%A: memref<20xf32>, %B: memref<?xf32>) {
  tc.par (%i) = (0) to (20) {
    %x = memref.load %A[%i] : memref<20xf32>
    %y = func.call @ext(%x) : (f32) -> f32
    memref.store %y, %B[%i] : memref<?xf32>
  }
  return
}

// CHECK: func.func @f(%[[A:.*]]: memref<20xf32>, %[[B:.*]]: memref<?xf32>) {
// CHECK-NEXT: call @f_host(%[[A]], %[[B]])
// CHECK-NEXT: return
// CHECK: func.func private @f_host(%[[A:.*]]: memref<20xf32>, %[[B:.*]]: memref<?xf32>) {
// CHECK-DAG: %[[HA:.*]] = memref.alloc() : memref<20xf32>
// CHECK-DAG: gpu.memcpy async [%{{.*}}] %[[HA]], %[[A]]
// CHECK-DAG: %[[N:.*]] = memref.dim %[[B]]
// CHECK-DAG: %[[HB:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK-DAG: gpu.memcpy async [%{{.*}}] %[[HB]], %[[B]]
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[X:.*]] = memref.load %[[HA]][%[[I]]]
// CHECK-NEXT: %[[Y:.*]] = func.call @ext(%[[X]])
// CHECK-NEXT: memref.store %[[Y]], %[[HB]][%[[I]]]
// CHECK-NOT: gpu.memcpy async [%{{.*}}] %[[A]],
// CHECK: gpu.memcpy async [%{{.*}}] %[[B]], %[[HB]]
// CHECK-NOT: gpu.memcpy
