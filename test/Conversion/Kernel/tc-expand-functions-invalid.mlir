// Functions that only libdevice has, where there is none.
//
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-expand-functions{own}))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @wide(%p: memref<f64>) kernel {
    %x = memref.load %p[] : memref<f64>
    // expected-error @+1 {{'math.exp' op expected a function that tc has without the CUDA toolkit's libdevice, which are most of those of f16, bf16 and f32; got one of 'f64', and of libdevice: }}
    %y = math.exp %x : f64
    memref.store %y, %p[] : memref<f64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @complex(%p: memref<complex<f64>>) kernel {
    %x = memref.load %p[] : memref<complex<f64>>
    // expected-error @+1 {{expected a function that tc has without}}
    %y = complex.exp %x : complex<f64>
    memref.store %y, %p[] : memref<complex<f64>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @remainder(%p: memref<f32>) kernel {
    %x = memref.load %p[] : memref<f32>
    // expected-error @+1 {{'arith.remf' op expected a function that tc has without}}
    %y = arith.remf %x, %x : f32
    memref.store %y, %p[] : memref<f32>
    gpu.return
  }
}
