// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-annotate-kernels))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error @below {{expected at most 1024 threads in a block, got 2048}}
  gpu.func @many() kernel attributes {known_block_size = array<i32: 512, 2, 2>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // 2^31, of which 32 bits are left.
  // expected-error @below {{expected from 1 to 1024 threads along each axis of a block, got -2147483648}}
  gpu.func @wrapped() kernel attributes {known_block_size = array<i32: -2147483648, 1, 1>} {
    gpu.return
  }
}
