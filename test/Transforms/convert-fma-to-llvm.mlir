// convert-fma-to-llvm: scalars of kernels alone.
//
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(convert-fma-to-llvm))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @scalars(
  // CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f64, f64, f64) -> f64
  // CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f16, f16, f16) -> f16
  // CHECK-NOT: math.fma
  gpu.func @scalars(%p: memref<f64>, %q: memref<f16>) kernel {
    %x = memref.load %p[] : memref<f64>
    %d = math.fma %x, %x, %x : f64
    memref.store %d, %p[] : memref<f64>
    %y = memref.load %q[] : memref<f16>
    %h = math.fma %y, %y, %y : f16
    memref.store %h, %q[] : memref<f16>
    gpu.return
  }

  // Other functions of one instruction are called by name: upstream's conversion would take
  // their ops for functions of libdevice.
  // CHECK-LABEL: gpu.func @instructions(
  // CHECK: llvm.call_intrinsic "llvm.sqrt"(%{{.*}}) : (f32) -> f32
  // CHECK-NEXT: llvm.call_intrinsic "llvm.fabs"(%{{.*}}) : (f32) -> f32
  // CHECK-NEXT: llvm.call_intrinsic "llvm.ceil"
  // CHECK-NEXT: llvm.call_intrinsic "llvm.floor"
  // CHECK-NEXT: llvm.call_intrinsic "llvm.trunc"
  // CHECK-NEXT: llvm.call_intrinsic "llvm.round"
  // CHECK-NEXT: llvm.call_intrinsic "llvm.roundeven"
  // CHECK-NEXT: llvm.call_intrinsic "llvm.copysign"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  // CHECK-NEXT: math.exp
  gpu.func @instructions(%p: memref<f32>) kernel {
    %x = memref.load %p[] : memref<f32>
    %a = math.sqrt %x : f32
    %b = math.absf %a : f32
    %c = math.ceil %b : f32
    %d = math.floor %c : f32
    %e = math.trunc %d : f32
    %f = math.round %e : f32
    %g = math.roundeven %f : f32
    %h = math.copysign %g, %x : f32
    %i = math.exp %h : f32
    memref.store %i, %p[] : memref<f32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @vectors(
  // CHECK: math.fma %{{.*}} : vector<4xf32>
  gpu.func @vectors(%v: vector<4xf32>, %p: memref<vector<4xf32>>) {
    %r = math.fma %v, %v, %v : vector<4xf32>
    memref.store %r, %p[] : memref<vector<4xf32>>
    gpu.return
  }
}

// CHECK-LABEL: func.func @host(
// CHECK: math.fma
func.func @host(%x: f32) -> f32 {
  %r = math.fma %x, %x, %x : f32
  return %r : f32
}
