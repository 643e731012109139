// tc-schedule: a legal schedule on every normal contraction, hand-written ones kept. What
// is asserted is what any good schedule has; tc-schedule-search.mlir is about the search.
//
// RUN: tc-opt %s --split-input-file --tc-schedule | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-schedule="chip=sm_80" | FileCheck %s --check-prefix=SM80
//
// Twice is once.
// RUN: tc-opt %s --split-input-file --tc-schedule > %t.once
// RUN: tc-opt %t.once --split-input-file --tc-schedule | diff %t.once -

// Rows and columns have reuse: registers along rows. Neighbours of 16 bytes go together,
// and copies run ahead. Doubles take tensor instructions.
// CHECK-LABEL: @matmul(
// CHECK: schedule = #tc.schedule<thread = [i = {{[0-9]+}}, j = {{[0-9]+}}, i = 2], register = [i = 8{{.*}}], step = [q = {{[0-9]+}}], vector = [j = 4, q = 4], stage = {{.*}}, stages = {{[23]}},
// CHECK: schedule = #tc.schedule<thread = [{{.*}}], register = [{{.*}}], step = [q = {{[0-9]+}}], vector = [{{.*}}j = 2{{.*}}], {{.*}}stages = {{[23]}}, {{.*}}kernel = mma, unit = <"m16n8k{{4|8|16}}.f64", m = [{{[ij]}} = 8], n = [{{[ij]}} = 4], k = [q = 4]>>
func.func @matmul(%A: memref<4096x4096xf32>, %C: memref<4096x4096xf32>,
                  %D: memref<4096x4096xf64>, %F: memref<4096x4096xf64>) {
  tc.contract (i = 4096, j = 4096, q = 4096)
      ins(%A[i, q] : memref<4096x4096xf32>, %A[q, j] : memref<4096x4096xf32>)
      outs(%C[i, j] : memref<4096x4096xf32>)
  tc.contract (i = 4096, j = 4096, q = 4096)
      ins(%D[i, q] : memref<4096x4096xf64>, %D[q, j] : memref<4096x4096xf64>)
      outs(%F[i, j] : memref<4096x4096xf64>)
  return
}

// A transpose is tiled along both iterators, so that accesses of both operands are whole
// sectors. A copy is not; nor where what the input lies along is summed: there lanes go
// along the sum.
// CHECK-LABEL: @transpose(
// CHECK: schedule = #tc.schedule<thread = [j = {{[0-9]+}}, i = {{[0-9]+}}{{.*}}], vector = [{{[ij]}} = 4]
// CHECK: schedule = #tc.schedule<thread = [j = {{[0-9]+}}], {{.*}}kernel = fma>
// CHECK: schedule = #tc.schedule<thread = [j = {{[0-9]+}}], step = [j = 512], vector = [j = 4], stage = [in_place], unroll = [j = 8], kernel = fma>
func.func @transpose(%A: memref<512x512xf32>, %C: memref<512x512xf32, strided<[1024, 1]>>,
                     %Z: memref<512xf32>) {
  tc.contract (i = 512, j = 512)
      ins(%A[i, j] : memref<512x512xf32>)
      outs(%C[j, i] : memref<512x512xf32, strided<[1024, 1]>>) overwrite
  tc.contract (i = 512, j = 512)
      ins(%A[i, j] : memref<512x512xf32>)
      outs(%C[i, j] : memref<512x512xf32, strided<[1024, 1]>>) overwrite
  tc.contract (i = 512, j = 512)
      ins(%A[i, j] : memref<512x512xf32>) outs(%Z[i] : memref<512xf32>) overwrite
  return
}

// The fastest threads walk the result's smallest stride, wherever it is.
// CHECK-LABEL: @transposed(
// CHECK: thread = [{{.*}}i = {{[0-9]+}}], register
func.func @transposed(%A: memref<512x512xf32>, %C: memref<512x512xf32>) {
  tc.contract (i = 512, j = 512, q = 512)
      ins(%A[i, q] : memref<512x512xf32>, %A[q, j] : memref<512x512xf32>)
      outs(%C[j, i] : memref<512x512xf32>)
  return
}

// Several short iterators fill an axis together: sd1_7 of the thesis.
// CHECK-LABEL: @sd1_7(
// CHECK: schedule = #tc.schedule<thread = [a = {{[0-9]+}}, j = {{[0-9]+}}, k = {{[0-9]+}}
func.func @sd1_7(%X: memref<16x16x16x16xf32>, %Y: memref<16x16x16x16xf32>,
                 %Z: memref<16x16x16x16x16x16xf32>) {
  tc.contract (a = 16, b = 16, c = 16, i = 16, j = 16, k = 16, q = 16)
      ins(%X[i, c, a, q] : memref<16x16x16x16xf32>, %Y[q, b, j, k] : memref<16x16x16x16xf32>)
      outs(%Z[a, b, c, i, j, k] : memref<16x16x16x16x16x16xf32>)
  return
}

// Without reuse each thread holds one result. Blocks of 34 store fewer parts of sectors than those
// of 15 would, which waste no thread.
// CHECK-LABEL: @matvec(
// CHECK: schedule = #tc.schedule<thread = [i = 34], step = [q = 16], {{.*}}stages = 2, kernel = fma>
func.func @matvec(%A: memref<300x31xf32>, %x: memref<31xf32>, %y: memref<300xf32>) {
  tc.contract (i = 300, q = 31)
      ins(%A[i, q] : memref<300x31xf32>, %x[q] : memref<31xf32>) outs(%y[i] : memref<300xf32>)
  return
}

// No result iterator, no iterator: what is left is one thread.
// CHECK-LABEL: @small(
// CHECK: schedule = #tc.schedule<step = [q = {{8|16}}], {{.*}}stages = {{[23]}}, kernel = fma>
// CHECK: schedule = #tc.schedule<stage = {{.*}}, kernel = fma>
func.func @small(%x: memref<31xf32>, %y: memref<f32>) {
  tc.contract (q = 31)
      ins(%x[q] : memref<31xf32>, %x[q] : memref<31xf32>) outs(%y[] : memref<f32>)
  tc.contract () ins(%y[] : memref<f32>) outs(%y[] : memref<f32>) overwrite
  return
}

// Threads share results that are few, or that lie across the input: along what the input
// lies along, in vectors where rows are whole ones. Terms of few results with reuse are
// shared, too; short sums are not.
// CHECK-LABEL: @shared(
// CHECK: schedule = #tc.schedule<thread = [q = {{[0-9]+}}], step = [q = 4096], vector = [q = 4], stage = [in_place, in_place], unroll = [q = {{[0-9]+}}], kernel = fma>
// CHECK: schedule = #tc.schedule<thread = [i = {{[0-9]+}}, j = {{[0-9]+}}], step = [i = {{[0-9]+}}]
// CHECK: schedule = #tc.schedule<thread = [i = {{[0-9]+}}, j = {{[0-9]+}}], step = [i = {{[0-9]+}}]
// CHECK: schedule = #tc.schedule<thread = [{{.*}}q = {{[0-9]+}}{{.*}}], {{.*}}step = [q = {{[0-9]+}}]
// CHECK: schedule = #tc.schedule<thread = [i = {{[0-9]+}}], step = [q = {{[0-9]+}}]
func.func @shared(%x: memref<4096xf32>, %z: memref<f32>, %A: memref<4096x4096xf32>, %y: memref<4096xf32>,
                  %W: memref<4096x262144xf32>, %w: memref<262144xf32>,
                  %P: memref<16x4096xf32>, %Q: memref<4096x16xf32>, %R: memref<16x16xf32>,
                  %N: memref<64x24xf32>, %n: memref<64xf32>) {
  tc.contract (q = 4096) ins(%x[q] : memref<4096xf32>, %x[q] : memref<4096xf32>) outs(%z[] : memref<f32>)
  tc.contract (i = 4096, j = 4096) ins(%A[i, j] : memref<4096x4096xf32>) outs(%y[j] : memref<4096xf32>)
  tc.contract (i = 4096, j = 262144) ins(%W[i, j] : memref<4096x262144xf32>) outs(%w[j] : memref<262144xf32>)
  tc.contract (i = 16, j = 16, q = 4096)
      ins(%P[i, q] : memref<16x4096xf32>, %Q[q, j] : memref<4096x16xf32>) outs(%R[i, j] : memref<16x16xf32>)
  tc.contract (i = 64, q = 24) ins(%N[i, q] : memref<64x24xf32>) outs(%n[i] : memref<64xf32>)
  return
}

// Terms of one sum have as many threads, each along its own iterator; terms in order none.
// CHECK-LABEL: @shared_terms(
// CHECK: thread = [q = [[THREADS:[0-9]+]]], step = [q = 1024], vector = [q = 4]
// CHECK: thread = [r = [[THREADS]]], step = [r = 512], vector = [r = 4]
// CHECK: #tc.schedule<step = [q = {{[0-9]+}}], {{.*}}stages = {{[23]}}, kernel = fma>
func.func @shared_terms(%x: memref<1024xf32>, %y: memref<512xf32>, %z: memref<f32>) {
  tc.sum {
    tc.contract (q = 1024) ins(%x[q] : memref<1024xf32>) outs(%z[] : memref<f32>)
    tc.contract (r = 512) ins(%y[r] : memref<512xf32>) outs(%z[] : memref<f32>)
  }
  tc.contract (q = 1024) ins(%x[q] : memref<1024xf32>) outs(%z[] : memref<f32>)
      neutral(1.0 : f32) combine associative (%acc: f32, %a: f32) {
        %s = arith.divf %a, %acc : f32
        tc.yield %s : f32
      }
  return
}

// A step need not be filled: it may end where the array does.
// CHECK-LABEL: @fill(
// CHECK: step = [q = {{8|16}}]
// CHECK: tc.contract (i = 8, q = 31, r = 30)
// CHECK-SAME: step = [q = {{[0-9]+}}
// CHECK: tc.contract (i = 8, q = 30)
// CHECK-SAME: step = [q = {{10|12|16|30}}]
func.func @fill(%A: memref<8x31xf32>, %B: memref<8x30xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, q = 31)
      ins(%A[i, q] : memref<8x31xf32>, %A[i, q] : memref<8x31xf32>) outs(%C[i] : memref<8xf32>)
  tc.contract (i = 8, q = 31, r = 30)
      ins(%A[i, q] : memref<8x31xf32>, %B[i, r] : memref<8x30xf32>) outs(%C[i] : memref<8xf32>)
  tc.contract (i = 8, q = 30)
      ins(%B[i, q] : memref<8x30xf32>) outs(%C[i] : memref<8xf32>)
      overwrite neutral(0xFF800000 : f32)
      map (%x: f32) {
        tc.yield %x : f32
      } combine associative commutative (%acc: f32, %x: f32) {
        %m = arith.maximumf %acc, %x : f32
        tc.yield %m : f32
      }
  return
}

// Terms in order: the last contracted iterator is walked first, and one before it only by
// whole rows of it.
// CHECK-LABEL: @in_order(
// CHECK: tc.contract (i = 8, q = 6, r = 30)
// CHECK-SAME: step = [r = {{15|30}}]
// CHECK: tc.contract (i = 8, q = 6, r = 4)
// CHECK-SAME: step = [q = {{[23]}}, r = 4]
func.func @in_order(%A: memref<8x6x30xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, q = 6, r = 30) ins(%A[i, q, r] : memref<8x6x30xf32>) outs(%C[i] : memref<8xf32>)
      neutral(1.0 : f32) combine (%acc: f32, %x: f32) {
        %s = arith.divf %x, %acc : f32
        tc.yield %s : f32
      }
  tc.contract (i = 8, q = 6, r = 4) ins(%A[i, q, r] : memref<8x6x30xf32>) outs(%C[i] : memref<8xf32>)
      neutral(1.0 : f32) combine (%acc: f32, %x: f32) {
        %s = arith.divf %x, %acc : f32
        tc.yield %s : f32
      }
  return
}

// A schedule that is there is kept; a factor of 1 says nothing and goes away.
// CHECK-LABEL: @by_hand(
// CHECK: schedule = #tc.schedule<thread = [j = 4, i = 2], register = [i = 3], step = [q = 7], stage = {{.*}}, kernel = fma>
func.func @by_hand(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, q = 64)
      ins(%A[i, q] : memref<64x64xf32>, %A[q, j] : memref<64x64xf32>) outs(%C[i, j] : memref<64x64xf32>)
      {schedule = #tc.schedule<thread = [j = 4, i = 2], register = [i = 3, j = 1], step = [q = 7], kernel = fma>}
  return
}

// Tiles of a nest are not scheduled, and tensors wait for bufferization.
// CHECK-LABEL: @left(
// CHECK-NOT: schedule
func.func @left(%A: memref<8xf32>, %T: tensor<8xf32>) -> tensor<8xf32> {
  tc.par grid (%b) = (0) to (1) {
    tc.contract (i = 8) ins(%A[i] : memref<8xf32>) outs(%A[i] : memref<8xf32>)
  }
  %r = tc.contract (i = 8) ins(%T[i] : tensor<8xf32>) outs(%T[i] : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// The machine of the module holds where no chip is named: one multiprocessor, which a block
// of 64 threads at most is to keep busy.
module attributes {tc.machine = #tc.machine<chip = "small", multiprocessors = 1, warp_size = 32,
    max_block_threads = 64, max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 49152>} {
  // CHECK-LABEL: @machine(
  // CHECK: thread = [i = 8, j = 8], register
  // SM80-LABEL: @machine(
  // SM80-NOT: thread = [i = 8, j = 8], register
  func.func @machine(%A: memref<512x512xf32>, %C: memref<512x512xf32>) {
    tc.contract (i = 512, j = 512, q = 512)
        ins(%A[i, q] : memref<512x512xf32>, %A[q, j] : memref<512x512xf32>)
        outs(%C[i, j] : memref<512x512xf32>)
    return
  }
}
