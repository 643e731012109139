// Floats of 8 bits: by instructions from sm_89 on, by integers before, and on CPUs.
//
// RUN: tc-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tc-expand-f8{chip=sm_89}))" \
// RUN:   | FileCheck %s
// RUN: tc-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tc-expand-f8{chip=sm_80}))" \
// RUN:   | FileCheck %s --check-prefix=SM80
// RUN: tc-opt %s --split-input-file --pass-pipeline="builtin.module(tc-expand-f8)" \
// RUN:   | FileCheck %s --check-prefix=HOST
// RUN: not tc-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tc-expand-f8{chip=sm_8}))" \
// RUN:   2>&1 | FileCheck %s --check-prefix=BAD
// BAD: expected one of sm_75, {{.*}}, got 'sm_8'

gpu.module @kernels {
  // Neighbours of one access are converted by one instruction, and once.
  // CHECK-LABEL: @neighbours(
  // CHECK-COUNT-1: nvvm.convert.f8x2.to.f16x2
  // CHECK-NOT: nvvm.convert
  // SM80-LABEL: @neighbours(
  // SM80-NOT: nvvm
  // SM80: arith.bitcast %{{.*}} : f8E5M2 to i8
  // SM80: arith.extui %{{.*}} : i8 to i16
  // SM80: arith.shli
  // SM80: %[[HALF:.*]] = arith.bitcast %{{.*}} : i16 to f16
  // SM80: arith.extf %[[HALF]] : f16 to f32
  gpu.func @neighbours(%v: vector<4xf8E5M2>, %out: memref<2xf32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %a = vector.extract %v[2] : f8E5M2 from vector<4xf8E5M2>
    %b = vector.extract %v[3] : f8E5M2 from vector<4xf8E5M2>
    %x = arith.extf %a : f8E5M2 to f32
    %y = arith.extf %b : f8E5M2 to f32
    memref.store %x, %out[%0] : memref<2xf32>
    memref.store %y, %out[%1] : memref<2xf32>
    gpu.return
  }

  // An odd one is beside a zero.
  // CHECK-LABEL: @odd(
  // CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
  // CHECK-NOT: nvvm.convert
  // SM80-LABEL: @odd(
  // SM80: arith.minui
  // SM80: arith.trunci %{{.*}} : vector<3xi32> to vector<3xi8>
  // SM80: arith.bitcast %{{.*}} : vector<3xi8> to vector<3xf8E4M3FN>
  gpu.func @odd(%v: vector<3xf32>, %out: memref<3xf8E4M3FN>) {
    %0 = arith.constant 0 : index
    %x = arith.truncf %v : vector<3xf32> to vector<3xf8E4M3FN>
    vector.store %x, %out[%0] : memref<3xf8E4M3FN>, vector<3xf8E4M3FN>
    gpu.return
  }

  // By way of f32 a number of f64 would be rounded twice.
  // CHECK-LABEL: @once(
  // CHECK-NOT: arith.truncf
  // CHECK-NOT: nvvm
  // CHECK: arith.trunci %{{.*}} : i64 to i8
  gpu.func @once(%x: f64, %out: memref<1xf8E4M3FN>) {
    %0 = arith.constant 0 : index
    %y = arith.truncf %x : f64 to f8E4M3FN
    memref.store %y, %out[%0] : memref<1xf8E4M3FN>
    gpu.return
  }

  // What is computed is computed in f32, and rounded each time.
  // CHECK-LABEL: @computes(
  // CHECK: %[[E:.*]] = math.exp %{{.*}} : f32
  // CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[E]]
  // CHECK: arith.cmpf olt, {{.*}} : f32
  // CHECK: arith.select {{.*}} : f8E5M2
  // CHECK: arith.sitofp %{{.*}} : i32 to f32
  // CHECK: arith.fptosi %{{.*}} : f32 to i32
  gpu.func @computes(%x: f8E5M2, %n: i32, %out: memref<3xf8E5M2>, %whole: memref<1xi32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %e = math.exp %x : f8E5M2
    %less = arith.cmpf olt, %x, %e : f8E5M2
    %s = arith.select %less, %x, %e : f8E5M2
    %i = arith.sitofp %n : i32 to f8E5M2
    %w = arith.fptosi %x : f8E5M2 to i32
    memref.store %s, %out[%0] : memref<3xf8E5M2>
    memref.store %i, %out[%1] : memref<3xf8E5M2>
    memref.store %w, %whole[%0] : memref<1xi32>
    gpu.return
  }

  // Other types stay.
  // CHECK-LABEL: @others(
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.addf %{{.*}} : bf16
  gpu.func @others(%x: f16, %y: bf16, %out: memref<1xf32>, %sum: memref<1xbf16>) {
    %0 = arith.constant 0 : index
    %e = arith.extf %x : f16 to f32
    %s = arith.addf %y, %y : bf16
    memref.store %e, %out[%0] : memref<1xf32>
    memref.store %s, %sum[%0] : memref<1xbf16>
    gpu.return
  }
}

// -----

// HOST-LABEL: @host(
// HOST-NOT: nvvm
// HOST-NOT: f16
// HOST: arith.subf {{.*}} : vector<8xf32>
// HOST: arith.select {{.*}} : vector<8xi1>, vector<8xi32>
func.func @host(%v: vector<8xf8E5M2>) -> vector<8xf32> {
  %x = arith.extf %v : vector<8xf8E5M2> to vector<8xf32>
  return %x : vector<8xf32>
}
