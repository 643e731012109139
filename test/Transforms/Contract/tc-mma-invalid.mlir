// Schedules that tensor instructions cannot carry out.
//
// RUN: tc-opt %s --tc-schedule --split-input-file --verify-diagnostics

func.func @chip(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) attributes {tc.machine = #tc.machine<chip = "sm_80", multiprocessors = 108, warp_size = 32, max_block_threads = 1024, max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 49152>} {
  // expected-error @+1 {{expected an instruction that sm_80 has, got m16n8k16.f64, which is of sm_90 and later}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @precision(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected a contraction with precision tf32 or tf32x3 for m16n8k8.tf32}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x64xf32>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @promote(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected 'promote' of at most 16 for m16n8k8.tf32 and precision tf32x3, got 32}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x64xf32>) outs(%C[i, j] : memref<64x64xf32>)
      precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 64], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 32>>}
  return
}

// -----

func.func @promote_complex(%A: memref<64x64xcomplex<f32>>, %B: memref<64x64xcomplex<f32>>,
                           %C: memref<64x64xcomplex<f32>>) {
  // expected-error @+1 {{expected 'promote' of at most 8 for m16n8k8.tf32 and precision tf32x3, got 16}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xcomplex<f32>>, %B[k, j] : memref<64x64xcomplex<f32>>)
      outs(%C[i, j] : memref<64x64xcomplex<f32>>) precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 16>>}
  return
}

// -----

func.func @promote_step(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected 'promote' of at most the 32 terms of a step, got 64}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x64xf16>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], kernel = mma,
        unit = <"m16n8k16.f16", m = [i = 8], n = [j = 4], k = [k = 4], promote = 64>>}
  return
}

// -----

func.func @promote_f8(%A: memref<64x256xf8E4M3FN>, %B: memref<64x256xf8E4M3FN>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected 'promote' of at most 128 for m16n8k32.f8 and precision ieee, got 160}}
  tc.contract (i = 64, j = 64, k = 256)
      ins(%A[i, k] : memref<64x256xf8E4M3FN>, %B[j, k] : memref<64x256xf8E4M3FN>)
      outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 256], kernel = mma,
        unit = <"m16n8k32.f8", m = [i = 8], n = [j = 4], k = [k = 4], promote = 160>>}
  return
}

// -----

func.func @other_precision(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected a contraction with precision tf32 or tf32x3 for m16n8k8.tf32}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x64xf32>) outs(%C[i, j] : memref<64x64xf32>)
      precision(bf16x6)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @type(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected accumulators of f64 for m16n8k16.f64}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x64xf32>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @accumulators(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf16>) {
  // expected-error @+1 {{expected accumulators of f32 for m16n8k16.f16}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x64xf16>) outs(%C[i, j] : memref<64x64xf16>) accumulate(f16)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f16", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @bytes(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected accumulators of i32 for m16n8k32.s8}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x64xf16>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], kernel = mma,
        unit = <"m16n8k32.s8", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

// Each input has a type of 8 bits, and no other one.
func.func @quarters(%A: memref<64x64xf8E4M3FN>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected inputs of f8E4M3FN or f8E5M2 for m16n8k32.f8}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf8E4M3FN>, %B[k, j] : memref<64x64xf16>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], kernel = mma,
        unit = <"m16n8k32.f8", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @sums_of_quarters(%A: memref<64x64xf8E4M3FN>, %B: memref<64x64xf8E4M3FN>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected accumulators of f32 for m16n8k32.f8}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf8E4M3FN>, %B[k, j] : memref<64x64xf8E4M3FN>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], kernel = mma,
        unit = <"m16n8k32.f8", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

// Without tensor instructions narrow numbers are copied one by one.
func.func @chunk(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected the stage of input 0 to be copied by 1 element of 16 bits with kernel fma, got by 8}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x64xf16>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 32], vector = [k = 8],
        stage = [[i = 32, k = 8, k = 1] by 8, [j = 32, k = 8, k = 1]], kernel = fma>}
  return
}

// -----

func.func @sum(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected a sum of products of two inputs, or of a function of each, for m16n8k16.f64}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>) overwrite neutral(0.0 : f64)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
      map (%a: f64, %b: f64) {
        %s = arith.addf %a, %b : f64
        tc.yield %s : f64
      }
      combine (%acc: f64, %x: f64) {
        %s = arith.addf %acc, %x : f64
        tc.yield %s : f64
      }
  return
}

// -----

func.func @threads(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected a multiple of 4 threads along 'j', got 2}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 2], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @twice(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected 'i' once in 'thread' with kernel mma}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 2, j = 8, i = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @contracted(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected no threads along contracted 'k' with kernel mma, got 2}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4, k = 2], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @step(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected the step of 'k' to be a multiple of its 4 lanes and vector 1, got 18}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 18], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @terms(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected a step of a multiple of 16 terms for m16n8k16.f64, got 8}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 8], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @rows(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected a multiple of 2 rows of each lane for m16n8k16.f64, got 3}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 3, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @columns(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected an even 'register' or 'vector' along an iterator of the columns for m16n8k16.f64}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 3], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @unroll(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected to unroll a multiple of 16 terms for m16n8k16.f64, got 4}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], unroll = [k = 4], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @unroll_part(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected to unroll the loop over 'k' by a divisor of its step 24, and a multiple of its lanes and vector, 4, got 16}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 24], unroll = [k = 16], kernel = mma,
        unit = <"m16n8k8.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

func.func @in_place(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected input 1 to be staged with kernel mma, got in_place}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], stage = [[i = 17, k = 1], in_place], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

// The columns are of both inputs.
func.func @columns_of_both(%A: memref<8x64x64xf64>, %B: memref<8x64x64xf64>, %C: memref<8x64x64xf64>) {
  // expected-error @+1 {{expected 'z' to be an iterator of input 1 alone, as all of n}}
  tc.contract (z = 8, i = 64, j = 64, k = 64)
      ins(%A[z, i, k] : memref<8x64x64xf64>, %B[z, k, j] : memref<8x64x64xf64>)
      outs(%C[z, i, j] : memref<8x64x64xf64>)
      {schedule = #tc.schedule<thread = [z = 4, i = 8], register = [z = 2], step = [k = 4], kernel = mma,
        unit = <"m8n8k4.f64", m = [i = 8], n = [z = 4], k = [k = 4]>>}
  return
}

// -----

// A precision is for complex numbers, too.
func.func @complex_precision(%A: memref<64x64xcomplex<f32>>, %B: memref<64x64xcomplex<f32>>, %C: memref<64x64xcomplex<f32>>) {
  // expected-error @+1 {{expected a contraction with precision tf32 or tf32x3 for m16n8k8.tf32}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xcomplex<f32>>, %B[k, j] : memref<64x64xcomplex<f32>>)
      outs(%C[i, j] : memref<64x64xcomplex<f32>>) precision(bf16x6)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

// There are no complex numbers of halves on tensor units.
func.func @complex_halves(%A: memref<64x64xcomplex<f32>>, %B: memref<64x64xcomplex<f32>>, %C: memref<64x64xcomplex<f32>>) {
  // expected-error @+1 {{expected inputs of f16 for m16n8k16.f16}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xcomplex<f32>>, %B[k, j] : memref<64x64xcomplex<f32>>)
      outs(%C[i, j] : memref<64x64xcomplex<f32>>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f16", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// -----

// A factor is a function of one input.
func.func @factors(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected a sum of products of two inputs, or of a function of each, for m16n8k16.f64}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xf64>, %B[k, j] : memref<64x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
      map (%a: f64, %b: f64) {
        %s = arith.addf %a, %b : f64
        %p = arith.mulf %s, %b : f64
        tc.yield %p : f64
      }
  return
}

// -----

func.func @type_of_factors(%A: memref<64x64xi8>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected factors of f16 for m16n8k16.f16}}
  tc.contract (i = 64, j = 64, k = 64)
      ins(%A[i, k] : memref<64x64xi8>, %B[k, j] : memref<64x64xf32>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f16", m = [i = 8], n = [j = 4], k = [k = 4]>>}
      map (%a: i8, %b: f32) {
        %s = arith.sitofp %a : i8 to f32
        %p = arith.mulf %s, %b : f32
        tc.yield %p : f32
      }
  return
}

// -----

// Both factors are zero at -1.5 alone, which is no candidate to fill with.
func.func @filled(%A: memref<64x60xf64>, %B: memref<60x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{expected whole steps along 'k' with kernel mma, as no fill values of the inputs make the map zero}}
  tc.contract (i = 64, j = 64, k = 60)
      ins(%A[i, k] : memref<64x60xf64>, %B[k, j] : memref<60x64xf64>) outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16], kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
      map (%a: f64, %b: f64) {
        %c = arith.constant 1.5 : f64
        %e = arith.addf %a, %c : f64
        %d = arith.addf %b, %c : f64
        %p = arith.mulf %e, %d : f64
        tc.yield %p : f64
      }
  return
}

