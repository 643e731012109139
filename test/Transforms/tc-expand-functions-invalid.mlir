// Functions that only libdevice has, where there is none.
//
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-expand-functions{own}))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @wide(%p: memref<f64>) kernel {
    %x = memref.load %p[] : memref<f64>
    // expected-error @+1 {{'math.exp' op expected functions of f16, bf16 or f32 without the CUDA toolkit's libdevice, which has those of f64 (set CUDA_HOME to the toolkit's folder, where nvvm/libdevice/libdevice.10.bc is); got 'f64'}}
    %y = math.exp %x : f64
    memref.store %y, %p[] : memref<f64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @complex(%p: memref<complex<f64>>) kernel {
    %x = memref.load %p[] : memref<complex<f64>>
    // expected-error @+1 {{expected functions of f16, bf16 or f32 without}}
    %y = complex.exp %x : complex<f64>
    memref.store %y, %p[] : memref<complex<f64>>
    gpu.return
  }
}
