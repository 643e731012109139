// Contractions that cannot be unrolled for one thread.
//
// RUN: tc-opt %s --tc-lower-microkernel --split-input-file --verify-diagnostics

func.func @unbounded(%A: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  tc.par block (%t) = (0) to (1) {
    // expected-error @+1 {{'tc.contract' op expected 'i' to have a static extent, or to index an operand of static size}}
    tc.contract (i = %n) ins(%A[i] : memref<?xf32>) outs(%C[i] : memref<?xf32>)
  }
  return
}

// -----

func.func @many(%A: memref<64x65xf32>, %C: memref<64x65xf32>) {
  tc.par block (%t) = (0) to (1) {
    // expected-error @+1 {{expected at most 1024 results of one thread}}
    tc.contract (i = 64, j = 65) ins(%A[i, j] : memref<64x65xf32>) outs(%C[i, j] : memref<64x65xf32>)
  }
  return
}

// -----

func.func @tensors(%A: tensor<8xf32>, %C: tensor<8xf32>) {
  tc.par block (%t) = (0) to (1) {
    // expected-error @+1 {{expected memrefs, got 'tensor<8xf32>'; bufferize first}}
    %r = tc.contract (i = 8) ins(%A[i] : tensor<8xf32>) outs(%C[i] : tensor<8xf32>) -> tensor<8xf32>
  }
  return
}

// -----

// The contraction of a warp as nobody tiles it: its results are no accumulators.
func.func @warp_results(%A: memref<8x4xf64>, %B: memref<4x8xf64>, %C: memref<8x4x2xf64>) {
  tc.par block (%w) = (0) to (1) {
    // expected-error @+1 {{expected the results of a warp in a memref.subview of accumulators, got 'memref<8x4x2xf64>'}}
    tc.contract (g = 8, t = 4, j = 2, k = 4)
        ins(%A[g, k] : memref<8x4xf64>, %B[k, t] : memref<4x8xf64>) outs(%C[g, t, j] : memref<8x4x2xf64>)
        {schedule = #tc.schedule<kernel = mma, unit = <"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [k = 4]>>}
  }
  return
}

// -----

func.func @warp_types(%A: memref<8x4xf32>, %B: memref<4x4x2xf32>, %C: memref<8x4x2xf32>) {
  tc.par block (%w) = (0) to (1) {
    // expected-error @+1 {{expected elements of 'f64' for #tc.mma<"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [k = 4]>, got 'f32'}}
    tc.contract (g = 8, t = 4, j = 2, k = 4)
        ins(%A[g, k] : memref<8x4xf32>, %B[k, t, j] : memref<4x4x2xf32>) outs(%C[g, t, j] : memref<8x4x2xf32>)
        {schedule = #tc.schedule<kernel = mma, unit = <"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [k = 4]>>}
  }
  return
}

// -----

func.func @warp_terms(%A: memref<8x?xf64>, %B: memref<?x4x2xf64>, %n: index) {
  %acc = tc.new init(0.0 : f64) threads(2) : memref<8x4x2xf64>
  tc.par block (%w) = (0) to (1) {
    %own = memref.subview %acc[0, 0, 0] [8, 4, 2] [1, 1, 1] : memref<8x4x2xf64> to memref<8x4x2xf64, strided<[8, 2, 1]>>
    // expected-error @+1 {{expected static extents of the terms of a warp}}
    tc.contract (g = 8, t = 4, j = 2, k = %n)
        ins(%A[g, k] : memref<8x?xf64>, %B[k, t, j] : memref<?x4x2xf64>)
        outs(%own[g, t, j] : memref<8x4x2xf64, strided<[8, 2, 1]>>)
        {schedule = #tc.schedule<kernel = mma, unit = <"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [k = 4]>>}
  }
  return
}

// -----

// No iterator but the lanes has columns.
func.func @warp_columns(%A: memref<8x4x2xf64>, %B: memref<4x4x2xf64, #gpu.address_space<workgroup>>) {
  %acc = tc.new init(0.0 : f64) threads(2) : memref<8x4xf64>
  tc.par block (%w) = (0) to (1) {
    %own = memref.subview %acc[0, 0] [8, 4] [1, 1] : memref<8x4xf64> to memref<8x4xf64, strided<[4, 1]>>
    // expected-error @+1 {{expected a multiple of 2 places along an iterator of the columns for #tc.mma<"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [q = 4]>, got 1}}
    tc.contract (g = 8, t = 4, q = 4, k = 2)
        ins(%A[g, q, k] : memref<8x4x2xf64>, %B[t, q, k] : memref<4x4x2xf64, #gpu.address_space<workgroup>>)
        outs(%own[g, t] : memref<8x4xf64, strided<[4, 1]>>)
        {schedule = #tc.schedule<kernel = mma, unit = <"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [q = 4]>>}
  }
  return
}

// -----

func.func @warp_passes(%A: memref<8x4x3xf64>, %B: memref<4x2x4x3xf64>) {
  %acc = tc.new init(0.0 : f64) threads(2) : memref<8x4x2xf64>
  tc.par block (%w) = (0) to (1) {
    %own = memref.subview %acc[0, 0, 0] [8, 4, 2] [1, 1, 1] : memref<8x4x2xf64> to memref<8x4x2xf64, strided<[8, 2, 1]>>
    // expected-error @+1 {{expected a multiple of 2 unrolled terms along 'k' for #tc.mma<"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [q = 4]>, got 3}}
    tc.contract (g = 8, t = 4, j = 2, q = 4, k = 3)
        ins(%A[g, q, k] : memref<8x4x3xf64>, %B[t, j, q, k] : memref<4x2x4x3xf64>)
        outs(%own[g, t, j] : memref<8x4x2xf64, strided<[8, 2, 1]>>)
        {schedule = #tc.schedule<unroll = [q = 4, k = 2], kernel = mma, unit = <"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [q = 4]>>}
  }
  return
}

// -----

func.func @warp_lanes(%A: memref<4x4xf64>, %B: memref<4x4x2xf64>) {
  %acc = tc.new init(0.0 : f64) threads(2) : memref<8x4x2xf64>
  tc.par block (%w) = (0) to (1) {
    %own = memref.subview %acc[0, 0, 0] [4, 4, 2] [1, 1, 1] : memref<8x4x2xf64> to memref<4x4x2xf64, strided<[8, 2, 1]>>
    // expected-error @+1 {{expected 'g' of 8 lanes to be dimension 0 of the results}}
    tc.contract (g = 4, t = 4, j = 2, k = 4)
        ins(%A[g, k] : memref<4x4xf64>, %B[k, t, j] : memref<4x4x2xf64>) outs(%own[g, t, j] : memref<4x4x2xf64, strided<[8, 2, 1]>>)
        {schedule = #tc.schedule<kernel = mma, unit = <"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [k = 4]>>}
  }
  return
}

// -----

module attributes {tc.machine = #tc.machine<chip = "sm_80", multiprocessors = 108, warp_size = 32, max_block_threads = 1024, max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 166912>} {
  func.func @warp_chip(%A: memref<8x4xf64>, %B: memref<4x4x2xf64>, %C: memref<8x4x2xf64>) {
    tc.par block (%w) = (0) to (1) {
      // expected-error @+1 {{expected an instruction that sm_80 has, got m16n8k4.f64, which is of sm_90 and later}}
      tc.contract (g = 8, t = 4, j = 2, k = 4)
          ins(%A[g, k] : memref<8x4xf64>, %B[k, t, j] : memref<4x4x2xf64>) outs(%C[g, t, j] : memref<8x4x2xf64>)
          {schedule = #tc.schedule<kernel = mma, unit = <"m16n8k4.f64", m = [g = 8], n = [t = 4], k = [k = 4]>>}
    }
    return
  }
}
