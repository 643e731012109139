// RUN: tc-opt %s --tc-tile-host='vector-bits=512 vector-registers=32' --split-input-file | FileCheck %s
// RUN: tc-opt %s --tc-tile-host --split-input-file | FileCheck %s --check-prefix=SMALL

// Eight rows by three vectors of 16; by default four by three of 4.
// CHECK-LABEL: @by_vectors
// CHECK: memref.alloc() {{.*}} : memref<8x1x64x8xf32>
// CHECK-COUNT-24: arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.mulf
// SMALL-LABEL: @by_vectors
// SMALL: memref.alloc() {{.*}} : memref<16x1x64x4xf32>
// SMALL-COUNT-12: arith.mulf {{.*}} : vector<4xf32>
// SMALL-NOT: arith.mulf
func.func @by_vectors(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
  return
}

// -----

// The columns belong to the first input where the result's neighbours do.
// SMALL-LABEL: @transposed
// CHECK-LABEL: @transposed
// CHECK: tc.view %arg0
// CHECK: memref.alloc() {{.*}} : memref<12x1x64x8xf32>
func.func @transposed(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<96x64xf32>) {
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[j, i] : memref<96x64xf32>) overwrite
  return
}

// -----

// Complex numbers in two parts, one vector wide: four products for each.
// CHECK-LABEL: @complex
// CHECK: memref.alloc() {{.*}} : memref<8x2x64x8xf32>
// CHECK-COUNT-32: arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.mulf
// CHECK: complex.create
func.func @complex(%A: memref<64x64xcomplex<f32>>, %B: memref<64x96xcomplex<f32>>,
                   %C: memref<64x96xcomplex<f32>>) {
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xcomplex<f32>>, %B[k, j] : memref<64x96xcomplex<f32>>)
    outs(%C[i, j] : memref<64x96xcomplex<f32>>) overwrite
  return
}

// -----

// A reversal is counted from its end, so that no place is below 0.
// CHECK-LABEL: @reversed
// CHECK: tc.view %arg0 <offset = 0, sizes = [4096], strides = [1]>
func.func @reversed(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[-i + 63, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
  return
}

// -----

// Few sums: the result comes straight from the registers, converted. More than a
// block: from accumulators in memory.
// CHECK-LABEL: @converted
// CHECK-NOT: memref<6144xf32>
// CHECK: arith.truncf {{.*}} : f32 to f16
// CHECK-LABEL: @many_sums
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<6144xf32>
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: tc.view %[[SUMS]]
// CHECK: tc.contract (i = 64, j = 96) ins(%{{.*}} : memref<64x96xf32>) outs({{.*}}xf16>) overwrite accumulate(f32)
// CHECK: memref.dealloc %[[SUMS]]
func.func @converted(%A: memref<64x64xf16>, %B: memref<64x96xf16>, %C: memref<64x96xf16>) {
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf16>, %B[k, j] : memref<64x96xf16>)
    outs(%C[i, j] : memref<64x96xf16>) overwrite
  return
}
func.func @many_sums(%A: memref<64x640xf16>, %B: memref<640x96xf16>, %C: memref<64x96xf16>) {
  tc.contract (i = 64, j = 96, k = 640)
    ins(%A[i, k] : memref<64x640xf16>, %B[k, j] : memref<640x96xf16>)
    outs(%C[i, j] : memref<64x96xf16>) overwrite
  return
}

// -----

// Small products share out the batch, with all panels on the stack.
// CHECK-LABEL: @batch
// CHECK-NOT: memref.alloc()
// CHECK: scf.parallel
// CHECK: memref.alloca() {{.*}} : memref<4x1x32x8xf32>
// CHECK-NOT: scf.parallel
func.func @batch(%A: memref<64x32x32xf32>, %B: memref<64x32x48xf32>, %C: memref<64x32x48xf32>) {
  tc.contract (b = 64, i = 32, j = 48, k = 32)
    ins(%A[b, i, k] : memref<64x32x32xf32>, %B[b, k, j] : memref<64x32x48xf32>)
    outs(%C[b, i, j] : memref<64x32x48xf32>) overwrite
  return
}

// -----

// Extents of the run: tiles where there are enough terms, loops else.
// CHECK-LABEL: @at_run_time
// CHECK: %[[ENOUGH:.*]] = arith.cmpi uge, %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[ENOUGH]] {
// CHECK:   arith.mulf {{.*}} : vector<16xf32>
// CHECK: } else {
// CHECK:   tc.contract
func.func @at_run_time(%i: index, %j: index, %k: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>,
                       %C: memref<?x?xf32>) {
  tc.contract (i = %i, j = %j, k = %k)
    ins(%A[i, k] : memref<?x?xf32>, %B[k, j] : memref<?x?xf32>)
    outs(%C[i, j] : memref<?x?xf32>) overwrite
  return
}

// -----

// No product of two matrices: loops in the order of memory, the outer in tasks.
// CHECK-LABEL: @transpose
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step
// CHECK:   tc.contract (i = 300)
// CHECK-LABEL: @row_sums
// CHECK: scf.parallel
// CHECK:   tc.contract (j = 500)
// Results whose neighbours are those of the input: a loop over a block of them runs inside
// the reduction loop.
// CHECK-LABEL: @column_sums
// CHECK: scf.parallel (%[[J:.*]]) = (%c0{{.*}}) to (%c500) step (%c256)
// CHECK:   %[[SIZE:.*]] = affine.min {{.*}}(%[[J]])
// CHECK:   %[[SUMS:.*]] = tc.new init(0.000000e+00 : f32) threads(1) : memref<1x256xf32>
// CHECK:   tc.seq (%{{.*}}) = (0) to (300)
// CHECK-NOT: tc.seq
// CHECK:   tc.contract (j = %[[SIZE]]) ins({{.*}}) outs(%{{.*}} : memref<256xf32
// CHECK-NOT: overwrite
// CHECK:   tc.contract (j = %[[SIZE]]) ins({{.*}} : memref<256xf32{{.*}}) outs({{.*}}) overwrite
// CHECK-NOT: tc.contract
// CHECK-LABEL: @few_terms
// CHECK-NOT: scf.parallel
// CHECK: tc.contract (i = 4, j = 4, k = 4)
// CHECK-LABEL: @no_terms
// CHECK: tc.contract (i = 64, j = 64, k = 0)
// CHECK-LABEL: @minimum
// CHECK-NOT: vector
// CHECK: tc.contract (j = 64, k = 64)
func.func @transpose(%A: memref<300x500xf32>, %C: memref<500x300xf32>) {
  tc.contract (i = 300, j = 500)
    ins(%A[i, j] : memref<300x500xf32>) outs(%C[j, i] : memref<500x300xf32>) overwrite
  return
}
func.func @row_sums(%A: memref<300x500xf32>, %C: memref<300xf32>) {
  tc.contract (i = 300, j = 500)
    ins(%A[i, j] : memref<300x500xf32>) outs(%C[i] : memref<300xf32>) overwrite
  return
}
func.func @column_sums(%A: memref<300x500xf32>, %x: memref<300xf32>, %C: memref<500xf32>) {
  tc.contract (i = 300, j = 500)
    ins(%A[i, j] : memref<300x500xf32>, %x[i] : memref<300xf32>)
    outs(%C[j] : memref<500xf32>) overwrite
  return
}
func.func @few_terms(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  tc.contract (i = 4, j = 4, k = 4)
    ins(%A[i, k] : memref<4x4xf32>, %B[k, j] : memref<4x4xf32>)
    outs(%C[i, j] : memref<4x4xf32>) overwrite
  return
}
func.func @no_terms(%A: memref<64x0xf32>, %B: memref<0x64xf32>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, k = 0)
    ins(%A[i, k] : memref<64x0xf32>, %B[k, j] : memref<0x64xf32>)
    outs(%C[i, j] : memref<64x64xf32>) overwrite
  return
}
func.func @minimum(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x64xf32>)
    outs(%C[i, j] : memref<64x64xf32>) neutral(0x7F800000 : f32)
    map (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } combine associative commutative (%acc: f32, %v: f32) {
      %m = arith.minimumf %acc, %v : f32
      tc.yield %m : f32
    }
  return
}
