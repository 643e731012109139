// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(convert-fma-to-llvm))" | FileCheck %s

gpu.module @kernels {
  gpu.func @multiply_add(%a: f32, %b: f32, %z: memref<1xf32>) kernel {
    %zero = arith.constant 0 : index
    %c = memref.load %z[%zero] : memref<1xf32>
    // CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
    %r = math.fma %a, %b, %c : f32
    memref.store %r, %z[%zero] : memref<1xf32>
    gpu.return
  }
}
