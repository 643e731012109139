// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-expand-functions))" | FileCheck %s

gpu.module @kernels {
  gpu.func @magnitude(%x: memref<1xcomplex<f32>>, %z: memref<1xf32>) kernel {
    %zero = arith.constant 0 : index
    %c = memref.load %x[%zero] : memref<1xcomplex<f32>>
    // CHECK: %[[RE:.*]] = complex.re
    // CHECK: math.sqrt
    // CHECK-NOT: complex.abs
    %r = complex.abs %c : complex<f32>
    memref.store %r, %z[%zero] : memref<1xf32>
    gpu.return
  }
}
