// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-expand-f8))" --verify-diagnostics

gpu.module @kernels {
  gpu.func @adds(%x: f8E5M2, %sum: memref<1xf8E5M2>) {
    %0 = arith.constant 0 : index
    // expected-error @+1 {{expected an atomic update of numbers of 16 bits or more, got one of 'f8E5M2'}}
    %old = memref.atomic_rmw addf %x, %sum[%0] : (f8E5M2, memref<1xf8E5M2>) -> f8E5M2
    gpu.return
  }
}
