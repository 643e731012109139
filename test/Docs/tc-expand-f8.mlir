// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-expand-f8))" | FileCheck %s

gpu.module @kernels {
  gpu.func @twice(%x: memref<1xf8E4M3FN>) kernel {
    %zero = arith.constant 0 : index
    %a = memref.load %x[%zero] : memref<1xf8E4M3FN>
    // CHECK: %[[HALVES:.*]] = nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
    // CHECK: %[[HALF:.*]] = vector.extract %[[HALVES]][0]
    // CHECK: %[[WIDE:.*]] = arith.extf %[[HALF]] : f16 to f32
    // CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
    // CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[SUM]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
    %twice = arith.addf %a, %a : f8E4M3FN
    memref.store %twice, %x[%zero] : memref<1xf8E4M3FN>
    gpu.return
  }
}
