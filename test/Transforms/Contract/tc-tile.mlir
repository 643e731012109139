// tc-tile: a grid over block tiles, steps of contracted iterators, threads round register
// tiles.
//
// RUN: tc-opt %s --tc-tile --cse --mlir-print-local-scope | FileCheck %s
//
// What is tiled is left alone by the passes before, and by this one.
// RUN: tc-opt %s --tc-tile > %t.once
// RUN: tc-opt %t.once --tc-normalize --tc-schedule --tc-tile | diff %t.once -

// The nest and its views where all tiles divide: every size is static. A thread holds
// results its number of threads apart.
// CHECK-LABEL: @divides(
// CHECK-SAME: %[[A:.*]]: memref<16x12xf32>, %[[B:.*]]: memref<12x32xf32>, %[[C:.*]]: memref<16x32xf32>)
// CHECK: tc.par grid (%[[I:.*]], %[[J:.*]]) = (0, 0) to (16, 32) step (8, 16){{.*}} {
// CHECK: %[[ACC:.*]] = tc.new init(0.000000e+00 : f32) threads(2) : memref<4x8x2x2xf32>
// CHECK: tc.seq (%[[Q:.*]]) = (0) to (12) step (4) {
// CHECK: tc.view %[[A]](%{{.*}}) <offset = ?, sizes = [8, 4], strides = [12, 1]>
// CHECK: tc.view %[[B]](%{{.*}}) <offset = ?, sizes = [4, 16], strides = [32, 1]>
// CHECK: tc.par block (%[[TI:.*]], %[[TJ:.*]]) = (0, 0) to (4, 8) {
// CHECK: tc.view %{{.*}}(%{{.*}}) <offset = ?, sizes = [2, 4], strides = [16, 1]>
// CHECK: tc.view %{{.*}}(%[[TJ]]) <offset = ?, sizes = [4, 2], strides = [16, 8]>
// CHECK: memref.subview %[[ACC]][%[[TI]], %[[TJ]], 0, 0] [1, 1, 2, 2] [1, 1, 1, 1]
// CHECK: tc.contract (i = 2, j = 2, q = 4) ins(%{{.*}}[i, q] : {{.*}}, %{{.*}}[q, j] : {{.*}}) outs(%{{.*}}[i, j] :
// CHECK-SAME: {schedule = #tc.schedule<
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (4, 8) {
// CHECK: tc.view %[[C]](%{{.*}}) <offset = ?, sizes = [2, 2], strides = [128, 8]>
// CHECK: tc.contract (i = 2, j = 2) ins(%{{.*}}[i, j] : {{.*}}) outs(%{{.*}}[i, j] : {{.*}}) overwrite
// CHECK-NOT: schedule
// CHECK-NOT: affine.min
// CHECK: return
func.func @divides(%A: memref<16x12xf32>, %B: memref<12x32xf32>, %C: memref<16x32xf32>) {
  tc.contract (i = 16, j = 32, q = 12)
      ins(%A[i, q] : memref<16x12xf32>, %B[q, j] : memref<12x32xf32>) outs(%C[i, j] : memref<16x32xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 8], register = [i = 2, j = 2], step = [q = 4], kernel = fma>}
  return
}

// Partial tiles in every iterator: what is inside is a minimum. Copies are filled, so threads
// compute with whole tiles; how much of the result is a thread's is counted.
// CHECK-LABEL: @partial(
// CHECK: tc.par grid (%[[I:.*]], %[[J:.*]]) = (0, 0) to (13, 31) step (8, 16){{.*}} {
// CHECK: %[[INI:.*]] = affine.min affine_map<(d0) -> (8, -d0 + 13)>(%[[I]])
// CHECK: %[[INJ:.*]] = affine.min affine_map<(d0) -> (16, -d0 + 31)>(%[[J]])
// CHECK: tc.seq (%[[Q:.*]]) = (0) to (7) step (4) {
// CHECK: %[[INQ:.*]] = affine.min affine_map<(d0) -> (4, -d0 + 7)>(%[[Q]])
// CHECK: tc.view %{{.*}}(%{{.*}}, %[[INI]], %[[INQ]]) <offset = ?, sizes = [?, ?], strides = [7, 1]>
// CHECK: tc.view %{{.*}}(%{{.*}}, %[[INQ]], %[[INJ]]) <offset = ?, sizes = [?, ?], strides = [31, 1]>
// CHECK: tc.contract (i = 2, j = 2, q = 4)
// CHECK: tc.par block (%[[TI:.*]], %{{.*}}) =
// CHECK: %[[COUNT:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 - d1) ceildiv 4)>(%[[INI]], %[[TI]])
// CHECK: tc.contract (i = %[[COUNT]], j = %{{.*}}) ins
func.func @partial(%A: memref<13x7xf32>, %B: memref<7x31xf32>, %C: memref<13x31xf32>) {
  tc.contract (i = 13, j = 31, q = 7)
      ins(%A[i, q] : memref<13x7xf32>, %B[q, j] : memref<7x31xf32>) outs(%C[i, j] : memref<13x31xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 8], register = [i = 2, j = 2], step = [q = 4], kernel = fma>}
  return
}

// Threads are in the order of the schedule, iterators that only registers hold before
// them; an iterator of factor 1 is an index of the grid alone.
// CHECK-LABEL: @order(
// CHECK: tc.par grid (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0, 0) to (4, 4, 8, 8) step (1, 2, 8, 4){{.*}} {
// CHECK: tc.new init(0.000000e+00 : f64) threads(3) : memref<1x8x4x2x1x1xf64>
// CHECK: tc.par block (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (1, 8, 4) {
// CHECK: tc.contract (b = 2, c = 1, d = 1)
// CHECK: tc.contract (b = 2, c = 1, d = 1)
func.func @order(%A: memref<4x4x8x8xf64>, %C: memref<4x4x8x8xf64>) {
  tc.contract (a = 4, b = 4, c = 8, d = 8)
      ins(%A[a, b, c, d] : memref<4x4x8x8xf64>) outs(%C[a, b, c, d] : memref<4x4x8x8xf64>)
      {schedule = #tc.schedule<thread = [c = 8, d = 4], register = [b = 2], kernel = fma>}
  return
}

// Several contracted iterators are dimensions of one tc.seq; without any there is none.
// CHECK-LABEL: @steps(
// CHECK: tc.seq (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (6, 5, 4) step (3, 5, 1) {
// CHECK: tc.contract (i = 1, q = 3, r = 5)
// CHECK: tc.par grid
// CHECK-NOT: tc.seq
// CHECK: return
func.func @steps(%A: memref<8x6x5x4xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, q = 6, r = 5, s = 4)
      ins(%A[i, q, r, s] : memref<8x6x5x4xf32>, %A[i, q, r, s] : memref<8x6x5x4xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 3, r = 5], kernel = fma>}
  tc.contract (i = 8) ins(%C[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [i = 8], kernel = fma>}
  return
}

// Threads along a contracted iterator take turns: lanes read neighbours. What each has
// gathered is combined, eight at a time, and written by the first thread.
// CHECK-LABEL: @shared(
// CHECK: %[[ACC:.*]] = tc.new init(0.000000e+00 : f32) threads(1) : memref<64xf32>
// CHECK: tc.seq (%{{.*}}) = (0) to (1024) step (256) {
// CHECK: tc.par block (%[[T:.*]]) = (0) to (64) {
// CHECK: tc.view %{{.*}}(%[[T]]) <offset = ?, sizes = [4], strides = [64]>
// CHECK: tc.contract (q = 4)
// CHECK: %[[PARTIAL:.*]] = tc.new : memref<64xf32>
// CHECK-NEXT: tc.par block (%[[T:.*]]) = (0) to (64) {
// CHECK-NEXT: %[[FROM:.*]] = memref.subview %[[ACC]][%[[T]]] [1] [1]
// CHECK-NEXT: %[[TO:.*]] = tc.view %[[PARTIAL]](%[[T]]) <offset = ?, sizes = [], strides = []>
// CHECK-NEXT: tc.contract () ins(%[[FROM]][] : {{.*}}) outs(%[[TO]][] : {{.*}}) overwrite
// CHECK: tc.par block (%[[T:.*]]) = (0) to (64) step (64) width (8) {
// CHECK-NEXT: %[[NEXT:.*]] = affine.apply affine_map<(d0) -> (d0 + 8)>(%[[T]])
// CHECK-NEXT: %[[OTHERS:.*]] = tc.view %[[PARTIAL]](%[[NEXT]]) <offset = ?, sizes = [7], strides = [8]>
// CHECK-NEXT: %[[OWN:.*]] = memref.subview %[[ACC]][%[[T]]] [1] [1]
// CHECK-NEXT: tc.contract (q = 7) ins(%[[OTHERS]][q] : {{.*}}) outs(%[[OWN]][] : {{.*}}) accumulate
// CHECK: tc.contract () ins(%{{.*}}) outs(%{{.*}}) overwrite
// CHECK: tc.par block (%[[T:.*]]) = (0) to (64) step (64) {
// CHECK: tc.view %[[PARTIAL]](%{{.*}}) <offset = ?, sizes = [7], strides = [1]>
// CHECK-NOT: overwrite
// CHECK: tc.par block (%{{.*}}) = (0) to (64) step (64) {
// CHECK: tc.contract () ins(%{{.*}}) outs(%{{.*}} : memref<f32>) accumulate
func.func @shared(%x: memref<1024xf32>, %z: memref<f32>) {
  tc.contract (q = 1024) ins(%x[q] : memref<1024xf32>) outs(%z[] : memref<f32>)
      {schedule = #tc.schedule<thread = [q = 64], step = [q = 256], kernel = fma>}
  return
}

// The terms of a sum have contracted iterators of their own, and as many threads along
// them. Rounds of 12 = 2 x 6 threads that do not divide leave some threads less to read.
// CHECK-LABEL: @shared_sum(
// CHECK: threads(2) : memref<12x4x1xf32>
// CHECK: tc.contract (q = 2, i = 1)
// CHECK: tc.contract (r = 1, i = 1)
// CHECK: tc.par block (%[[T:.*]], %[[J:.*]]) = (0, 0) to (12, 4) step (12, 1) width (2, 1) {
// CHECK-NEXT: %[[NEXT:.*]] = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1 + 8)>(%[[T]], %[[J]])
// CHECK-NEXT: tc.view %{{.*}}(%[[NEXT]]) <offset = ?, sizes = [1, 5], strides = [48, 8]>
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (12, 4) step (12, 1) {
func.func @shared_sum(%A: memref<48x8xf32>, %B: memref<24x8xf32>, %C: memref<8xf32>) {
  tc.sum {
    tc.contract (q = 48, i = 8) ins(%A[q, i] : memref<48x8xf32>) outs(%C[i] : memref<8xf32>)
        {schedule = #tc.schedule<thread = [q = 12, i = 4], step = [q = 24], kernel = fma>}
    tc.contract (i = 8, r = 24) ins(%B[r, i] : memref<24x8xf32>) outs(%C[i] : memref<8xf32>)
        {schedule = #tc.schedule<thread = [r = 12, i = 4], step = [r = 12], kernel = fma>}
  }
  return
}

// Results that a thread would read many times the same: an input that does not vary with
// the threads is viewed whole by each.
// CHECK-LABEL: @broadcast_input(
// CHECK: tc.par block (%[[T:.*]]) = (0) to (8) {
// CHECK: tc.view %{{.*}}(%[[T]]) <offset = ?, sizes = [1], strides = [8]>
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [], strides = []>
func.func @broadcast_input(%A: memref<8xf32>, %x: memref<f32>, %C: memref<8xf32>) {
  tc.contract (i = 8) ins(%A[i] : memref<8xf32>, %x[] : memref<f32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [i = 8], kernel = fma>}
  return
}

// Rank 0: one block of one thread.
// CHECK-LABEL: @rank0(
// CHECK: tc.par grid () = () to (){{.*}} {
// CHECK: tc.new init(0.000000e+00 : f32) : memref<f32>
// CHECK: tc.par block () = () to () {
// CHECK: tc.contract () ins
// CHECK: tc.par block () = () to () {
// CHECK: tc.contract () ins(%{{.*}}[] : {{.*}}) outs(%{{.*}}[] : {{.*}}) overwrite
func.func @rank0(%x: memref<f32>, %y: memref<f32>) {
  tc.contract () ins(%x[] : memref<f32>, %x[] : memref<f32>) outs(%y[] : memref<f32>) overwrite
  return
}

// Nothing to add leaves the neutral element to be written; no results leave nothing.
// CHECK-LABEL: @empty(
// CHECK: tc.par grid
// CHECK: tc.new init(-1.000000e+00 : f32)
// CHECK-NOT: tc.seq
// CHECK: tc.contract (i = 1) ins({{.*}}) outs({{.*}}) overwrite accumulate(f32){{$}}
// CHECK-NOT: tc.par grid
// CHECK: return
func.func @empty(%A: memref<8x0xf32>, %C: memref<8xf32>, %B: memref<0x8xf32>, %D: memref<0xf32>) {
  tc.contract (i = 8, q = 0) ins(%A[i, q] : memref<8x0xf32>) outs(%C[i] : memref<8xf32>)
      overwrite neutral(-1.0 : f32) {schedule = #tc.schedule<thread = [i = 8], kernel = fma>}
      combine associative commutative (%acc: f32, %x: f32) {
        %m = arith.maximumf %acc, %x : f32
        tc.yield %m : f32
      }
  tc.contract (i = 0, q = 8) ins(%B[i, q] : memref<0x8xf32>) outs(%D[i] : memref<0xf32>) overwrite
  return
}

// The map is for each step; results go out through combine alone.
// CHECK-LABEL: @regions(
// CHECK: tc.new init(0xFF800000 : f32)
// CHECK: tc.contract (i = 1, q = 4)
// CHECK-SAME: neutral(0xFF800000 : f32)
// CHECK-SAME: map (
// CHECK: arith.addf
// CHECK: combine associative commutative (
// CHECK: arith.maximumf
// CHECK: tc.contract (i = 1)
// CHECK-SAME: neutral(0xFF800000 : f32)
// CHECK-SAME: combine associative commutative (
// CHECK-NOT: arith.addf
// CHECK: arith.maximumf
func.func @regions(%A: memref<8x16xf32>, %B: memref<16xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, q = 16) ins(%A[i, q] : memref<8x16xf32>, %B[q] : memref<16xf32>) outs(%C[i] : memref<8xf32>)
      neutral(0xFF800000 : f32) {schedule = #tc.schedule<thread = [i = 8], step = [q = 4], kernel = fma>}
      map (%x: f32, %y: f32) {
        %s = arith.addf %x, %y : f32
        tc.yield %s : f32
      } combine associative commutative (%acc: f32, %x: f32) {
        %m = arith.maximumf %acc, %x : f32
        tc.yield %m : f32
      }
  return
}

// Normalised and scheduled where that has not been done: units go away, i and j merge.
// CHECK-LABEL: @from_phase_1(
// CHECK: tc.par grid (%{{.*}}) = (0) to (24)
// CHECK: tc.contract (ij = {{.*}}) ins
func.func @from_phase_1(%A: memref<4x1x6xf32>, %C: memref<4x6xf32>) {
  tc.contract (i = 4, u = 1, j = 6) ins(%A[i, u, j] : memref<4x1x6xf32>) outs(%C[i, j] : memref<4x6xf32>)
  return
}

// In loops of the host as anywhere; tensors and contractions in a nest are left.
// CHECK-LABEL: @left(
// CHECK: scf.for
// CHECK: tc.par grid
// CHECK: tc.par grid (%{{.*}}) = (0) to (1){{.*}} {
// CHECK-NEXT: tc.contract (i = 8)
// CHECK: tc.contract (i = 8) {{.*}} -> tensor<8xf32>
func.func @left(%A: memref<8xf32>, %C: memref<8xf32>, %T: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %s = %c0 to %n step %c1 {
    tc.contract (i = 8) ins(%A[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
  }
  tc.par grid (%g) = (0) to (1) {
    tc.contract (i = 8) ins(%A[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
  }
  %r = tc.contract (i = 8) ins(%T[i] : tensor<8xf32>) outs(%T[i] : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Old results of several types are read in as their accumulators.
// CHECK-LABEL: @read_in(
// CHECK: map (%[[Z:.*]]: f32, %[[Y:.*]]: f64) {
// CHECK-NEXT: %[[T:.*]] = arith.truncf %[[Y]] : f64 to f32
// CHECK-NEXT: tc.yield %[[Z]], %[[T]] : f32, f32
func.func @read_in(%x: memref<2x3xf32>, %z: memref<2xf32>, %y: memref<2xf64>) {
  tc.contract (a = 2, q = 3) ins(%x[a, q] : memref<2x3xf32>)
      outs(%z[a] : memref<2xf32>, %y[a] : memref<2xf64>) neutral(1.0 : f32, 0.0 : f32)
      map (%e: f32) {
        tc.yield %e, %e : f32, f32
      } combine (%m: f32, %c: f32, %n: f32, %d: f32) {
        %mn = arith.mulf %m, %n : f32
        %cn = arith.mulf %c, %n : f32
        %s = arith.addf %cn, %d : f32
        tc.yield %mn, %s : f32, f32
      }
  return
}
