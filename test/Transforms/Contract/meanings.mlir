// What a contraction can say beside products and sums, through each pass: sides and an
// epilogue, several results, terms in order, partial steps without a fill, mixed types.
//
// RUN: tc-opt %s --tc-tile --cse --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,TILE
// RUN: tc-opt %s --tc-tile --tc-promote --cse --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,STAGE
// RUN: tc-opt %s --tc-tile --tc-promote --tc-lower-microkernel --canonicalize --cse --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefixes=ALL,THREAD
// RUN: tc-opt %s --convert-tc-to-loops --canonicalize --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,LOOPS
//
// Normal already, so normalising changes nothing.
// RUN: tc-opt %s > %t.once
// RUN: tc-opt %s --tc-normalize | diff %t.once -

// Sums are kept in f32, and only what is stored is f16; a side is read where results are
// written, by those of its iterators that it varies with.
// ALL-LABEL: func.func @bias(
// TILE: tc.new init(0.000000e+00 : f32) threads(2) : memref<4x3x2x2xf32>
// TILE: tc.contract (i = 2, j = 2, q = 8) ins
// TILE-SAME: accumulate(f32) {schedule
// TILE-NOT: epilogue
// TILE: %[[S:.*]] = tc.view %arg2(%{{.*}}) <offset = ?, sizes = [2], strides = [3]>
// TILE: tc.contract (i = 2, j = 2) ins(%{{.*}}[i, j] : {{.*}}) sides(%[[S]][j] : {{.*}}) outs(%{{.*}}[i, j] : memref<2x2xf16,
// TILE-SAME: overwrite accumulate(f32) epilogue (
// STAGE: tc.stage %{{.*}} pad(0.000000e+00 : f16) : {{.*}} to memref<8x8xf16,
// STAGE: tc.contract (i = 2, j = 2, q = 8)
// THREAD: arith.extf {{.*}} : f16 to f32
// THREAD: math.fma {{.*}} : f32
// THREAD-NOT: arith.truncf
// THREAD: tc.par block
// THREAD: arith.addf
// THREAD-NEXT: arith.truncf {{.*}} : f32 to f16
// LOOPS: %[[SUM:.*]] = scf.for
// LOOPS: %[[S:.*]] = memref.load %arg2[%{{.*}}] : memref<6xf32>
// LOOPS-NEXT: %[[T:.*]] = arith.addf %[[SUM]], %[[S]] : f32
// LOOPS-NEXT: %[[R:.*]] = arith.truncf %[[T]] : f32 to f16
// LOOPS-NEXT: memref.store %[[R]], %arg3
func.func @bias(%A: memref<8x30xf16>, %B: memref<30x6xf16>, %b: memref<6xf32>, %C: memref<8x6xf16>) {
  tc.contract (i = 8, j = 6, q = 30)
      ins(%A[i, q] : memref<8x30xf16>, %B[q, j] : memref<30x6xf16>) sides(%b[j] : memref<6xf32>)
      outs(%C[i, j] : memref<8x6xf16>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 3], register = [i = 2, j = 2], step = [q = 8], kernel = fma>}
      epilogue (%acc: f32, %s: f32) {
        %t = arith.addf %acc, %s : f32
        %r = arith.truncf %t : f32 to f16
        tc.yield %r : f16
      }
  return
}

// Two accumulators, and a fill for each input that changes neither.
// ALL-LABEL: func.func @argmax(
// TILE: tc.new init(0xFF800000 : f32) threads(1) : memref<8x1xf32>
// TILE: tc.new init(-1 : i32) threads(1) : memref<8x1xi32>
// TILE: tc.contract (i = 1, q = 8) ins({{.*}}) outs(%{{.*}}[i] : memref<1xf32, {{.*}}>, %{{.*}}[i] : memref<1xi32, {{.*}}>) neutral(0xFF800000 : f32, -1 : i32)
// TILE: combine associative commutative (
// TILE: tc.contract (i = 1) ins({{.*}}) outs({{.*}}) overwrite map (%[[V:.*]]: f32, %[[K:.*]]: i32) {
// TILE-NEXT: tc.yield %[[V]], %[[K]] : f32, i32
// STAGE: tc.stage %{{.*}} pad(0xFF800000 : f32)
// STAGE: tc.stage %{{.*}} pad(-1 : i32)
// STAGE: tc.contract (i = 1, q = 8)
// THREAD: scf.for
// THREAD: arith.cmpf ogt
// THREAD: memref.store {{.*}} : memref<1xf32,
// THREAD: memref.store {{.*}} : memref<1xi32,
// LOOPS: %[[R:.*]]:2 = scf.for {{.*}} -> (f32, i32)
// LOOPS: memref.store %[[R]]#0, %arg2
// LOOPS: memref.store %[[R]]#1, %arg3
func.func @argmax(%x: memref<8x30xf32>, %n: memref<30xi32>, %v: memref<8xf32>, %k: memref<8xi32>) {
  tc.contract (i = 8, q = 30) ins(%x[i, q] : memref<8x30xf32>, %n[q] : memref<30xi32>)
      outs(%v[i] : memref<8xf32>, %k[i] : memref<8xi32>) overwrite neutral(0xFF800000 : f32, -1 : i32)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 8], kernel = fma>}
      map (%a: f32, %b: i32) {
        tc.yield %a, %b : f32, i32
      } combine associative commutative (%a: f32, %i: i32, %b: f32, %j: i32) {
        %m = arith.cmpf ogt, %b, %a : f32
        %w = arith.select %m, %b, %a : f32
        %p = arith.select %m, %j, %i : i32
        tc.yield %w, %p : f32, i32
      }
  return
}

// Terms in order start from the old result, and q is outside of r; what is beyond the end
// is no term, whatever it is filled with.
// ALL-LABEL: func.func @in_order(
// TILE: %[[ACC:.*]] = tc.new init({{.*}} : f32) threads(1) : memref<8x1xf32>
// TILE-NEXT: tc.par block
// TILE: %[[OLD:.*]] = tc.view %arg1(
// TILE: tc.contract (i = 1) ins(%[[OLD]][i] : {{.*}}) outs({{.*}}) overwrite
// TILE: tc.seq (%{{.*}}, %{{.*}}) = (0, 0) to (6, 5) step (4, 5) {
// TILE: %[[IN:.*]] = affine.min affine_map<(d0) -> (4, -d0 + 6)>
// TILE: tc.contract (i = 1, q = %[[IN]], r = 5)
// TILE: combine (
// TILE: tc.contract (i = 1) ins({{.*}}) outs({{.*}}) overwrite accumulate(f32){{$}}
// STAGE: %[[IN:.*]] = affine.min affine_map<(d0) -> (4, -d0 + 6)>
// STAGE: tc.contract (i = 1, q = %[[IN]], r = 5)
// THREAD: %[[IN:.*]] = affine.min affine_map<(d0) -> (-d0 + 6, 4)>
// THREAD: scf.for %[[Q:.*]] = %c0 to %[[IN]] step %c1 {
// THREAD-NEXT: scf.for %[[R:.*]] = %c0 to %c5 step %c1 {
// THREAD-NEXT: %[[X:.*]] = memref.load %{{.*}}[%c0, %[[Q]], %[[R]]]
// THREAD-NEXT: %[[ACC:.*]] = memref.load
// THREAD-NEXT: arith.mulf %[[ACC]], %[[X]]
// LOOPS: %[[OLD:.*]] = memref.load %arg1
// LOOPS-NEXT: scf.for %{{.*}} = %c0 to %c6 step %c1 iter_args(%[[OUTER:.*]] = %[[OLD]])
// LOOPS-NEXT: scf.for %{{.*}} = %c0 to %c5 step %c1 iter_args(%[[ACC:.*]] = %[[OUTER]])
// LOOPS: arith.mulf %[[ACC]]
func.func @in_order(%x: memref<8x6x5xf32>, %z: memref<8xf32>) {
  tc.contract (i = 8, q = 6, r = 5) ins(%x[i, q, r] : memref<8x6x5xf32>) outs(%z[i] : memref<8xf32>)
      neutral(1.0 : f32) {schedule = #tc.schedule<thread = [i = 8], step = [q = 4, r = 5], kernel = fma>}
      combine (%acc: f32, %v: f32) {
        %p = arith.mulf %acc, %v : f32
        %one = arith.constant 1.0 : f32
        %s = arith.addf %p, %one : f32
        tc.yield %s : f32
      }
  return
}

// The second input does not vary with q, and zero times infinity is no zero: the last step
// ends where the array does.
// ALL-LABEL: func.func @guard(
// STAGE: %[[IN:.*]] = affine.min affine_map<(d0) -> (8, -d0 + 30)>
// STAGE: tc.contract (i = 1, q = %[[IN]])
// THREAD: %[[IN:.*]] = affine.min affine_map<(d0) -> (-d0 + 30, 8)>
// THREAD: scf.for %{{.*}} = %c0 to %[[IN]] step %c1
// THREAD: math.fma
func.func @guard(%A: memref<8x30xf32>, %b: memref<8xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, q = 30) ins(%A[i, q] : memref<8x30xf32>, %b[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 8], kernel = fma>}
  return
}

// A side may be the result: its old element is read before it is written.
// ALL-LABEL: func.func @update(
// TILE: tc.par block
// TILE: tc.par block
// TILE: %[[Z:.*]] = tc.view %arg1(
// TILE: tc.contract (i = 1) ins({{.*}}) sides(%[[Z]][i] : {{.*}}) outs(%[[Z]][i] :
// THREAD: tc.par block
// THREAD: tc.par block
// THREAD: %[[OLD:.*]] = memref.load %[[Z:.*]][%c0] : memref<1xf32, strided<[8], offset: ?>>
// THREAD-NEXT: %[[U:.*]] = arith.mulf %[[OLD]]
// THREAD-NEXT: %[[R:.*]] = arith.addf %{{.*}}, %[[U]]
// THREAD-NEXT: memref.store %[[R]], %[[Z]][%c0]
func.func @update(%A: memref<8x4xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, q = 4) ins(%A[i, q] : memref<8x4xf32>) sides(%C[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 4], kernel = fma>}
      epilogue (%acc: f32, %old: f32) {
        %beta = arith.constant 5.0e-01 : f32
        %u = arith.mulf %beta, %old : f32
        %r = arith.addf %acc, %u : f32
        tc.yield %r : f32
      }
  return
}

// Each input is converted by itself; a product of complex numbers is four fused ones.
// ALL-LABEL: func.func @mixed(
// TILE: tc.new init(#complex.number<:f64 0.000000e+00, 0.000000e+00> : complex<f64>)
// TILE: accumulate(complex<f64>) {schedule
// STAGE: tc.stage %{{.*}} pad(0 : i8)
// STAGE: tc.stage %{{.*}} pad(0.000000e+00 : f32)
// THREAD: arith.sitofp {{.*}} : i8 to f64
// THREAD: arith.extf {{.*}} : f32 to f64
// THREAD-COUNT-4: math.fma {{.*}} : f64
// THREAD: complex.create
// LOOPS: arith.sitofp {{.*}} : i8 to f64
// LOOPS: complex.mul
// LOOPS: arith.truncf {{.*}} : f64 to f32
func.func @mixed(%x: memref<8x8xi8>, %y: memref<8xf32>, %z: memref<8xcomplex<f32>>) {
  tc.contract (i = 8, q = 8) ins(%x[i, q] : memref<8x8xi8>, %y[q] : memref<8xf32>) outs(%z[i] : memref<8xcomplex<f32>>)
      accumulate(complex<f64>) {schedule = #tc.schedule<thread = [i = 8], step = [q = 4], kernel = fma>}
  return
}
