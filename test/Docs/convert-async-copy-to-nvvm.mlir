// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(convert-async-copy-to-nvvm))" | FileCheck %s

gpu.module @kernels {
  gpu.func @stage(%x: memref<64xf32>)
      workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %token = nvgpu.device_async_copy %x[%i], %tile[%i], 4 {bypassL1}
        : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
