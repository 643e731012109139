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

  // CHECK-LABEL: gpu.func @extrema(
  // CHECK: llvm.call_intrinsic "llvm.maxnum"(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
  // CHECK: llvm.call_intrinsic "llvm.minnum"(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
  // CHECK: "llvm.intr.abs"(%{{.*}}) <{is_int_min_poison = false}> : (i32) -> i32
  gpu.func @extrema(%p: memref<f64>, %q: memref<i32>) kernel {
    %x = memref.load %p[] : memref<f64>
    %zero = arith.constant 0.0 : f64
    %a = arith.maxnumf %x, %zero : f64
    %b = arith.minnumf %a, %x : f64
    memref.store %b, %p[] : memref<f64>
    %i = memref.load %q[] : memref<i32>
    %j = math.absi %i : i32
    memref.store %j, %q[] : memref<i32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @kinds(
  // CHECK: arith.cmpf uno, %[[X:.*]], %[[X]] : f32
  // CHECK: arith.cmpf oeq, %{{.*}}, %{{.*}} : f32
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  // CHECK: arith.cmpf oge, %{{.*}}, %{{.*}} : f32
  gpu.func @kinds(%p: memref<f32>, %q: memref<4xi1>) kernel {
    %x = memref.load %p[] : memref<f32>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %3 = arith.constant 3 : index
    %a = math.isnan %x : f32
    memref.store %a, %q[%0] : memref<4xi1>
    %b = math.isinf %x : f32
    memref.store %b, %q[%1] : memref<4xi1>
    %c = math.isfinite %x : f32
    memref.store %c, %q[%2] : memref<4xi1>
    %d = math.isnormal %x : f32
    memref.store %d, %q[%3] : memref<4xi1>
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
