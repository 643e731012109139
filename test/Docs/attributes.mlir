// RUN: tc-opt %s | tc-opt | FileCheck %s

// CHECK: tc.machine = #tc.machine<chip = "sm_90a", multiprocessors = 132, warp_size = 32
module attributes {tc.machine = #tc.machine<
    chip = "sm_90a", multiprocessors = 132, warp_size = 32, max_block_threads = 1024,
    max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 49152>} {
  func.func @scheduled(%A: memref<64x16xf64>, %B: memref<16x64xf64>, %C: memref<64x64xf64>) {
    // CHECK: #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 4], step = [k = 8], kernel = fma>
    tc.contract (i = 64, j = 64, k = 16)
      ins(%A[i, k] : memref<64x16xf64>, %B[k, j] : memref<16x64xf64>)
      outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 4],
                               step = [k = 8], kernel = fma>}
    return
  }

  // The tile of A is copied two numbers at a time to rows that are 10 apart; B is read in
  // place. A thread's loop over k is unrolled by 4 of its 8 steps.
  func.func @staged(%A: memref<64x16xf64>, %B: memref<16x64xf64>, %C: memref<64x64xf64>) {
    // CHECK: vector = [k = 2], stage = {{\[}}[i = 10, k = 2, k = 1] by 2, in_place], unroll = [k = 4], kernel = fma>
    tc.contract (i = 64, j = 64, k = 16)
      ins(%A[i, k] : memref<64x16xf64>, %B[k, j] : memref<16x64xf64>)
      outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [j = 64], register = [i = 4], step = [k = 8], vector = [k = 2],
                               stage = [[i = 10, k = 2, k = 1] by 2, in_place], unroll = [k = 4],
                               kernel = fma>}
    return
  }

  // Warps compute with tensor instructions: of 16 x 16 threads 8 x 4 each.
  func.func @tensor(%A: memref<64x16xf64>, %B: memref<16x64xf64>, %C: memref<64x64xf64>) {
    // CHECK: kernel = mma, unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>
    tc.contract (i = 64, j = 64, k = 16)
      ins(%A[i, k] : memref<64x16xf64>, %B[k, j] : memref<16x64xf64>)
      outs(%C[i, j] : memref<64x64xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 2],
                               step = [k = 16], vector = [j = 2], kernel = mma,
                               unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
    return
  }

  // Terms of two instructions are added to zero before they are added to accumulators.
  func.func @promoted(%A: memref<64x16xf32>, %B: memref<16x64xf32>, %C: memref<64x64xf32>) {
    // CHECK: unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 16>>
    tc.contract (i = 64, j = 64, k = 16)
      ins(%A[i, k] : memref<64x16xf32>, %B[k, j] : memref<16x64xf32>)
      outs(%C[i, j] : memref<64x64xf32>) precision(tf32)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 2],
                               step = [k = 16], kernel = mma,
                               unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 16>>}
    return
  }

  // For fewer than 128 x 128 results other tiles are better; tc-variants makes kernels of
  // both, and the host chooses. For few results of long sums tc-split makes others, and matrices of
  // few columns have tiles that are as narrow.
  func.func @versions(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>,
                      %m: index, %n: index, %q: index) {
    // CHECK: tc.versions = [#tc.version<from = 1024, most = [j = 8], schedule = <thread = [k = 32], register = [j = 8], step = [k = 64], kernel = fma>>, #tc.version<below = 4096, terms = 2048, schedule = <thread = [i = 8, j = 8], step = [k = 8], split = [k = 264], kernel = fma>>, #tc.version<below = 16384, schedule = <thread = [i = 8, j = 8], step = [k = 8], kernel = fma>>]
    tc.contract (i = %m, j = %n, k = %q)
      ins(%A[i, k] : memref<?x?xf64>, %B[k, j] : memref<?x?xf64>)
      outs(%C[i, j] : memref<?x?xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 4],
                               step = [k = 8], kernel = fma>,
       tc.versions = [#tc.version<from = 1024, most = [j = 8],
                                  schedule = <thread = [k = 32], register = [j = 8],
                                              step = [k = 64], kernel = fma>>,
                      #tc.version<below = 4096, terms = 2048,
                                  schedule = <thread = [i = 8, j = 8], step = [k = 8],
                                              split = [k = 264], kernel = fma>>,
                      #tc.version<below = 16384,
                                  schedule = <thread = [i = 8, j = 8], step = [k = 8], kernel = fma>>]}
    return
  }
}
