// Schedules that cannot be launched or would give wrong results, and unknown chips.
//
// RUN: tc-opt %s --tc-schedule --split-input-file --verify-diagnostics
// RUN: not tc-opt %s --split-input-file --tc-schedule=chip=sm_1 2>&1 | FileCheck %s

// CHECK: error: expected one of sm_75, sm_80, {{.*}}, sm_120, got 'sm_1'

#schedule = #tc.schedule<thread = [i = 64, j = 32], kernel = fma>
func.func @threads(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{'tc.contract' op has an illegal schedule: expected at most 1024 threads in a block of sm_90a, got 2048}}
  tc.contract (i = 64, j = 64) ins(%A[i, j] : memref<64x64xf32>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #schedule}
  return
}

// -----

#schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 8, j = 8], step = [q = 256], kernel = fma>
func.func @shared_memory(%A: memref<512x512xf32>, %C: memref<512x512xf32>) {
  // expected-error @+1 {{expected at most 232448 bytes of shared memory on sm_90a, got 262656}}
  tc.contract (i = 512, j = 512, q = 512)
      ins(%A[i, q] : memref<512x512xf32>, %A[q, j] : memref<512x512xf32>)
      outs(%C[i, j] : memref<512x512xf32>) {schedule = #schedule}
  return
}

// -----

#schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 16, j = 16], step = [q = 4], kernel = fma>
func.func @thread_registers(%A: memref<512x512xf32>, %C: memref<512x512xf32>) {
  // expected-error @+1 {{expected at most 255 registers in a thread of a block of 32 on sm_90a, got an estimate of 332}}
  tc.contract (i = 512, j = 512, q = 512)
      ins(%A[i, q] : memref<512x512xf32>, %A[q, j] : memref<512x512xf32>)
      outs(%C[i, j] : memref<512x512xf32>) {schedule = #schedule}
  return
}

// -----

#schedule = #tc.schedule<thread = [i = 32, j = 32], register = [i = 4, j = 4], step = [q = 4], kernel = fma>
func.func @block_registers(%A: memref<512x512xf32>, %C: memref<512x512xf32>) {
  // expected-error @+1 {{expected at most 64 registers in a thread of a block of 1024 on sm_90a, got an estimate of 68}}
  tc.contract (i = 512, j = 512, q = 512)
      ins(%A[i, q] : memref<512x512xf32>, %A[q, j] : memref<512x512xf32>)
      outs(%C[i, j] : memref<512x512xf32>) {schedule = #schedule}
  return
}

// -----

// Terms in order: a step of q would take q = 1 of r = 0 before q = 0 of r = 5.
func.func @in_order(%A: memref<8x6x30xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected no step of 'q' before whole steps of the contracted iterators after it, since terms are to be combined in order; got 2}}
  tc.contract (i = 8, q = 6, r = 30) ins(%A[i, q, r] : memref<8x6x30xf32>) outs(%C[i] : memref<8xf32>)
      neutral(1.0 : f32) {schedule = #tc.schedule<step = [q = 2, r = 5], kernel = fma>}
      combine (%acc: f32, %x: f32) {
        %s = arith.divf %x, %acc : f32
        tc.yield %s : f32
      }
  return
}

// -----

// Associative alone is no leave to reorder.
func.func @associative(%A: memref<8x6x30xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected no step of 'q' before whole steps}}
  tc.contract (i = 8, q = 6, r = 30) ins(%A[i, q, r] : memref<8x6x30xf32>) outs(%C[i] : memref<8xf32>)
      neutral(0.0 : f32) {schedule = #tc.schedule<step = [q = 6], kernel = fma>}
      combine associative (%acc: f32, %x: f32) {
        tc.yield %x : f32
      }
  return
}

// -----

// Factors whose product does not fit 64 bits are too many, not few.
#schedule = #tc.schedule<thread = [i = 9223372036854775807, j = 9223372036854775807],
                         register = [i = 9223372036854775807], step = [q = 9223372036854775807], kernel = fma>
func.func @overflow(%A: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @+1 {{expected at most 1024 threads in a block of sm_90a, got 9223372036854775807}}
  tc.contract (i = 8, j = 8, q = 8)
      ins(%A[i, q] : memref<8x8xf32>, %A[q, j] : memref<8x8xf32>) outs(%C[i, j] : memref<8x8xf32>)
      {schedule = #schedule}
  return
}

// -----

func.func @overflow_step(%A: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @+1 {{expected at most 232448 bytes of shared memory on sm_90a, got 9223372036854775807}}
  tc.contract (i = 8, j = 8, q = 8)
      ins(%A[i, q] : memref<8x8xf32>, %A[q, j] : memref<8x8xf32>) outs(%C[i, j] : memref<8x8xf32>)
      {schedule = #tc.schedule<step = [q = 9223372036854775807], kernel = fma>}
  return
}

// -----

// Threads that share a result take terms out of order.
func.func @shared_in_order(%A: memref<8x64xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected no threads along contracted 'q', since terms are to be combined in order; got 8}}
  tc.contract (i = 8, q = 64) ins(%A[i, q] : memref<8x64xf32>) outs(%C[i] : memref<8xf32>)
      neutral(1.0 : f32) {schedule = #tc.schedule<thread = [q = 8], step = [q = 8], kernel = fma>}
      combine associative (%acc: f32, %x: f32) {
        %s = arith.divf %x, %acc : f32
        tc.yield %s : f32
      }
  return
}

// -----

func.func @shared_step(%A: memref<8x64xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected the step of 'q' to be a multiple of its 8 threads, got 12}}
  tc.contract (i = 8, q = 64) ins(%A[i, q] : memref<8x64xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [q = 8], step = [q = 12], kernel = fma>}
  return
}

// -----

func.func @shared_without_step(%A: memref<8x64xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected the step of 'q' to be a multiple of its 8 threads, got 1}}
  tc.contract (i = 8, q = 64) ins(%A[i, q] : memref<8x64xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [q = 8], kernel = fma>}
  return
}

// -----

// What threads show each other is in shared memory: 1024 threads of 64 results.
func.func @shared_results(%A: memref<64x1024xf32>, %C: memref<64xf32>) {
  // expected-error @+1 {{expected at most 232448 bytes of shared memory on sm_90a, got 262144}}
  tc.contract (i = 64, q = 1024) ins(%A[i, q] : memref<64x1024xf32>) outs(%C[i] : memref<64xf32>)
      {schedule = #tc.schedule<thread = [q = 1024], register = [i = 64], step = [q = 1024], kernel = fma>}
  return
}

// -----

// A term without a contracted iterator would be added by every thread.
func.func @shared_sum(%A: memref<8x64xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  tc.sum {
    // expected-error @+1 {{expected the same threads and registers for all terms of a tc.sum}}
    tc.contract (i = 8, q = 64) ins(%A[i, q] : memref<8x64xf32>) outs(%C[i] : memref<8xf32>)
        {schedule = #tc.schedule<thread = [i = 4, q = 8], step = [q = 8], kernel = fma>}
    tc.contract (i = 8) ins(%B[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
        {schedule = #tc.schedule<thread = [i = 4], kernel = fma>}
  }
  return
}

// -----

func.func @vector_of_extent(%A: memref<30x8xf32>, %y: memref<30xf32>) {
  // expected-error @+1 {{expected the extent of 'i' to be a multiple of its vector 4, got 30}}
  tc.contract (i = 30, q = 8) ins(%A[i, q] : memref<30x8xf32>) outs(%y[i] : memref<30xf32>)
      {schedule = #tc.schedule<thread = [i = 8], vector = [i = 4], kernel = fma>}
  return
}

// -----

func.func @vector_of_step(%A: memref<32x8xf32>, %y: memref<32xf32>) {
  // expected-error @+1 {{expected the step of 'q' to be a multiple of its vector 4, got 2}}
  tc.contract (i = 32, q = 8) ins(%A[i, q] : memref<32x8xf32>) outs(%y[i] : memref<32xf32>)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 2], vector = [q = 4], kernel = fma>}
  return
}

// -----

func.func @lanes_of_run_time(%A: memref<?x8xf32>, %y: memref<?xf32>, %n: index) {
  // expected-error @+1 {{expected the extent of 'i' to be a multiple of its vector 4 and 2 lanes, got a dynamic one}}
  tc.contract (i = %n, q = 8) ins(%A[i, q] : memref<?x8xf32>) outs(%y[i] : memref<?xf32>)
      {schedule = #tc.schedule<thread = [i = 4, i = 2], vector = [i = 4], kernel = fma>}
  return
}

// -----

func.func @lanes_of_extent(%A: memref<20x8xf32>, %y: memref<20xf32>) {
  // expected-error @+1 {{expected the extent of 'i' to be a multiple of its vector 4 and 2 lanes, got 20}}
  tc.contract (i = 20, q = 8) ins(%A[i, q] : memref<20x8xf32>) outs(%y[i] : memref<20xf32>)
      {schedule = #tc.schedule<thread = [i = 2, i = 2], vector = [i = 4], kernel = fma>}
  return
}

// -----

// Below sm_90a what is copied ahead is in registers.
module attributes {tc.machine = #tc.machine<chip = "sm_75", multiprocessors = 40, warp_size = 32, max_block_threads = 1024, max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 49152>} {
  func.func @stages(%A: memref<512x512xf32>, %C: memref<512x512xf32>) {
    // expected-error @+1 {{expected at most 255 registers in a thread of a block of 32 on sm_75, got an estimate of 326}}
    tc.contract (i = 512, j = 512, q = 512) ins(%A[i, q] : memref<512x512xf32>, %A[q, j] : memref<512x512xf32>)
        outs(%C[i, j] : memref<512x512xf32>)
        {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 8, j = 16], step = [q = 32], stages = 2, kernel = fma>}
    return
  }
}

// -----

func.func @resident(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{expected at most 32 blocks of 64 threads on a multiprocessor of sm_90a, got 33}}
  tc.contract (i = 64, j = 64, q = 64) ins(%A[i, q] : memref<64x64xf32>, %A[q, j] : memref<64x64xf32>)
      outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [i = 8, j = 8], step = [q = 4], resident = 33, kernel = fma>}
  return
}

// -----

func.func @vector_of_threads(%A: memref<8x64xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected the step of 'q' to be a multiple of its 8 threads times its vector 4, got 24}}
  tc.contract (i = 8, q = 64) ins(%A[i, q] : memref<8x64xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [q = 8], step = [q = 24], vector = [q = 4], kernel = fma>}
  return
}

// -----

// A part would have terms from here and there.
func.func @split_in_order(%A: memref<8x6x30xi32>, %C: memref<8xi32>) {
  // expected-error @+1 {{expected no split of 'r', since terms are to be combined in order; got 3}}
  tc.contract (i = 8, q = 6, r = 30) ins(%A[i, q, r] : memref<8x6x30xi32>) outs(%C[i] : memref<8xi32>)
      neutral(0 : i32) {schedule = #tc.schedule<split = [r = 3], kernel = fma>}
      combine associative (%acc: i32, %x: i32) {
        %zero = arith.constant 0 : i32
        %none = arith.cmpi eq, %x, %zero : i32
        %s = arith.select %none, %acc, %x : i32
        tc.yield %s : i32
      }
  return
}

// -----

func.func @split_regrouped(%A: memref<8x6xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected no split of 'q', since terms are to be combined in order; got 2}}
  tc.contract (i = 8, q = 6) ins(%A[i, q] : memref<8x6xf32>) outs(%C[i] : memref<8xf32>)
      neutral(1.0 : f32) {schedule = #tc.schedule<split = [q = 2], kernel = fma>}
      combine (%acc: f32, %x: f32) {
        %s = arith.divf %x, %acc : f32
        tc.yield %s : f32
      }
  return
}

// -----

func.func @split_short(%A: memref<8x60xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected as many steps of 'q' as parts, 7, got an extent of 60 and a step of 16}}
  tc.contract (i = 8, q = 60) ins(%A[i, q] : memref<8x60xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<step = [q = 16], split = [q = 7], kernel = fma>}
  return
}

// -----

func.func @split_vector(%A: memref<8x60xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected the extent of 'q' to be a multiple of its vector 4, got 10}}
  tc.contract (i = 8, q = 60) ins(%A[i, q] : memref<8x60xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<step = [q = 4], vector = [q = 4], split = [q = 6], kernel = fma>}
  return
}

// -----

func.func @split_leaves(%A: memref<8x61xi32>, %C: memref<8xi32>, %D: memref<8xi32>) {
  // expected-error @+1 {{expected the parts of 'q' to divide its extent, since what is left over could not be combined in any order into one accumulator; got 6}}
  tc.contract (i = 8, q = 61) ins(%A[i, q] : memref<8x61xi32>) outs(%C[i] : memref<8xi32>, %D[i] : memref<8xi32>)
      neutral(0 : i32, 0 : i32) {schedule = #tc.schedule<split = [q = 6], kernel = fma>}
      map (%a: i32) {
        tc.yield %a, %a : i32, i32
      } combine associative commutative (%m: i32, %l: i32, %a: i32, %b: i32) {
        %x0 = arith.addi %m, %a : i32
        %x1 = arith.ori %l, %b : i32
        tc.yield %x0, %x1 : i32, i32
      }
  return
}

// -----

func.func @split_sum(%A: memref<8x60xf32>, %C: memref<8xf32>) {
  tc.sum {
    // expected-error @+1 {{expected no split of a term of a tc.sum}}
    tc.contract (i = 8, q = 60) ins(%A[i, q] : memref<8x60xf32>) outs(%C[i] : memref<8xf32>)
        {schedule = #tc.schedule<split = [q = 6], kernel = fma>}
    tc.contract (i = 8, r = 60) ins(%A[i, r] : memref<8x60xf32>) outs(%C[i] : memref<8xf32>)
        {schedule = #tc.schedule<kernel = fma>}
  }
  return
}

// -----

func.func @split_addressable(%x: memref<1073741824xi8>, %C: memref<1099511627776xi8>) {
  // expected-error @+1 {{expected at most 72057594037927936 results of parts, got 9223372036854775807}}
  tc.contract (i = 1099511627776, q = 1073741824) ins(%x[q] : memref<1073741824xi8>) outs(%C[i] : memref<1099511627776xi8>)
      {schedule = #tc.schedule<thread = [i = 256], split = [q = 1073741824], kernel = fma>}
  return
}

// -----

func.func @split_steps(%x: memref<?xf32>, %n: index, %z: memref<f32>) {
  // expected-error @+1 {{expected at most 72057594037927936 terms in a step of all parts, got 4 times 4611686018427387904}}
  tc.contract (q = %n) ins(%x[q] : memref<?xf32>) outs(%z[] : memref<f32>)
      {schedule = #tc.schedule<thread = [q = 64], step = [q = 4611686018427387904], split = [q = 4], kernel = fma>}
  return
}

// -----

// Nobody wrote a schedule; none leaves a thread the registers that so many operands need.
func.func @operands(%A: memref<8xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{'tc.contract' op has no schedule that fits; of the smallest tiles: expected at most 255 registers in a thread}}
  tc.contract (a = 8) ins(
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>,
    %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>, %A[a] : memref<8xf32>
  ) outs(%C[a] : memref<8xf32>) overwrite
  return
}

// -----

func.func @version(%A: memref<?x8xf32>, %C: memref<?x8xf32>, %n: index) {
  // expected-error@+1 {{has an illegal version: expected at most 1024 threads in a block of sm_90a, got 2048}}
  tc.contract (i = %n, j = 8) ins(%A[i, j] : memref<?x8xf32>) outs(%C[i, j] : memref<?x8xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<below = 8, schedule = <thread = [i = 2048], kernel = fma>>]}
  return
}

// -----

func.func @two_splits_version(%A: memref<?x64x64xf32>, %C: memref<?xf32>, %n: index) {
  // expected-error@+1 {{has an illegal version: expected one iterator that is split in a version, got 2}}
  tc.contract (i = %n, p = 64, q = 64) ins(%A[i, p, q] : memref<?x64x64xf32>) outs(%C[i] : memref<?xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<below = 8, schedule = <split = [p = 4, q = 4], kernel = fma>>]}
  return
}

// -----

func.func @wide_version(%A: memref<?x64xf32>, %C: memref<?xf32>, %n: index) {
  // expected-error@+1 {{has an illegal version: expected less than 1073741824 results of parts in a version, got 16 parts of up to 1073741824 results}}
  tc.contract (i = %n, q = 64) ins(%A[i, q] : memref<?x64xf32>) outs(%C[i] : memref<?xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<below = 1073741824, schedule = <step = [q = 4], split = [q = 16], kernel = fma>>]}
  return
}

// -----

// Static results count, too.
func.func @wide_static_version(%A: memref<?x65536x64xf32>, %C: memref<?x65536xf32>, %n: index) {
  // expected-error@+1 {{has an illegal version: expected less than 1073741824 results of parts in a version, got 16 parts of up to 67108864 results}}
  tc.contract (i = %n, j = 65536, q = 64) ins(%A[i, j, q] : memref<?x65536x64xf32>) outs(%C[i, j] : memref<?x65536xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<below = 1024, schedule = <step = [q = 4], split = [q = 16], kernel = fma>>]}
  return
}

// -----

// The host decides how long the parts of a version are, and something may be left over.
func.func @rest_version(%x: memref<?x64xi32>, %most: memref<?xi32>, %least: memref<?xi32>, %n: index) {
  // expected-error@+1 {{has an illegal version: expected the parts of 'q' to divide its extent}}
  tc.contract (i = %n, q = 64) ins(%x[i, q] : memref<?x64xi32>)
      outs(%most[i] : memref<?xi32>, %least[i] : memref<?xi32>) overwrite
      neutral(-2147483648 : i32, 2147483647 : i32)
      {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<below = 8, schedule = <split = [q = 4], kernel = fma>>]}
      map (%a: i32) {
        tc.yield %a, %a : i32, i32
      } combine associative commutative (%m: i32, %l: i32, %a: i32, %b: i32) {
        %x0 = arith.maxsi %m, %a : i32
        %x1 = arith.minsi %l, %b : i32
        tc.yield %x0, %x1 : i32, i32
      }
  return
}

// -----

func.func @term_version(%A: memref<8xf32>, %C: memref<f32>) {
  tc.sum {
    // expected-error@+1 {{has an illegal version: expected no versions of a term of a tc.sum}}
    tc.contract (q = 8) ins(%A[q] : memref<8xf32>) outs(%C[] : memref<f32>)
        {schedule = #tc.schedule<kernel = fma>,
         tc.versions = [#tc.version<below = 8, schedule = <kernel = fma>>]}
    tc.contract (q = 8) ins(%A[q] : memref<8xf32>) outs(%C[] : memref<f32>)
        {schedule = #tc.schedule<kernel = fma>}
  }
  return
}

// -----

func.func @stages(%A: memref<16x8xf32>, %B: memref<8xf32>, %C: memref<16xf32>) {
  // expected-error@+1 {{has an illegal schedule: expected a stage for each of 2 inputs, got 1}}
  tc.contract (i = 16, q = 8) ins(%A[i, q] : memref<16x8xf32>, %B[q] : memref<8xf32>) outs(%C[i] : memref<16xf32>)
      {schedule = #tc.schedule<thread = [i = 16], step = [q = 8], stage = [in_place], kernel = fma>}
  return
}

// -----

func.func @stage_dims(%A: memref<16x8xf32>, %C: memref<16xf32>) {
  // expected-error@+1 {{has an illegal schedule: expected the stage of input 0 to have the dimensions [i, q, q] of its tile, in any order}}
  tc.contract (i = 16, q = 8) ins(%A[i, q] : memref<16x8xf32>) outs(%C[i] : memref<16xf32>)
      {schedule = #tc.schedule<thread = [i = 16], step = [q = 8], vector = [q = 4], stage = [[i = 9, q = 1]], kernel = fma>}
  return
}

// -----

func.func @stage_overlap(%A: memref<16x8xf32>, %C: memref<16xf32>) {
  // expected-error@+1 {{has an illegal schedule: expected a stride of at least 8 for 'i' in the stage of input 0, got 7}}
  tc.contract (i = 16, q = 8) ins(%A[i, q] : memref<16x8xf32>) outs(%C[i] : memref<16xf32>)
      {schedule = #tc.schedule<thread = [i = 16], step = [q = 8], stage = [[i = 7, q = 1]], kernel = fma>}
  return
}

// -----

func.func @stage_chunk(%A: memref<16x8xf32>, %C: memref<16xf32>) {
  // expected-error@+1 {{has an illegal schedule: expected the stage of input 0 to be copied by 1, or by its last dimension where that has stride 1 in both memories, got 4}}
  tc.contract (i = 16, q = 8) ins(%A[i, q] : memref<16x8xf32>) outs(%C[i] : memref<16xf32>)
      {schedule = #tc.schedule<thread = [i = 16], step = [q = 8], stage = [[i = 9, q = 1] by 4], kernel = fma>}
  return
}

// -----

func.func @stage_too_large(%A: memref<16x8xf32>, %C: memref<16xf32>) {
  // expected-error@+1 {{has an illegal schedule: expected at most 232448 bytes of shared memory on sm_90a, got 640000}}
  tc.contract (i = 16, q = 8) ins(%A[i, q] : memref<16x8xf32>) outs(%C[i] : memref<16xf32>)
      {schedule = #tc.schedule<thread = [i = 16], step = [q = 8], stage = [[i = 10000, q = 1]], kernel = fma>}
  return
}
