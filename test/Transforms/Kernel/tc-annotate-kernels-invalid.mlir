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

// -----

gpu.module @kernels {
  // expected-error @below {{expected a vector of at most 524288 bytes, the local memory of a thread, got 'vector<2147483648xf32>'}}
  gpu.func @argument(%v: vector<2147483648xf32>) {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // As many bytes as a thread has, and one element more.
  gpu.func @result(%x: f32) {
    %v = vector.broadcast %x : f32 to vector<131072xf32>
    // expected-error @below {{expected a vector of at most 524288 bytes, the local memory of a thread, got 'vector<131073xf32>'}}
    %w = vector.broadcast %x : f32 to vector<131073xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @product(%x: f16) {
    // expected-error @below {{got 'vector<4294967296x4294967296xf16>'}}
    %v = vector.broadcast %x : f16 to vector<4294967296x4294967296xf16>
    gpu.return
  }
}
