// Kernels are lowered in modules of their own, where each calls its string the same.
//
// RUN: tc-compile %s -o - | FileCheck %s
// CHECK-DAG: .b8 [[FIRST:[A-Za-z_0-9]+]][10]
// CHECK-DAG: .b8 [[SECOND:[A-Za-z_0-9]+]][11]
// CHECK: .entry f(
// CHECK: mov.b64 %{{.*}}, [[FIRST]];
// CHECK: .entry f_1(
// CHECK: mov.b64 %{{.*}}, [[SECOND]];

func.func @f(%x: memref<64xf32>, %y: memref<64xf32>) {
  tc.par (%i) = (0) to (64) {
    %v = memref.load %x[%i] : memref<64xf32>
    gpu.printf "first %f\n", %v : f32
    memref.store %v, %y[%i] : memref<64xf32>
  }
  tc.par (%i) = (0) to (64) {
    %v = memref.load %y[%i] : memref<64xf32>
    gpu.printf "second %f\n", %v : f32
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}
