// RUN: tc-opt %s --tc-schedule-host='vector-bits=512 vector-registers=32' --tc-tile-host --split-input-file | FileCheck %s
// RUN: tc-opt %s --tc-schedule-host --tc-tile-host --split-input-file | FileCheck %s --check-prefix=SMALL

// Eight rows by three vectors of 16; by default four by three of 4.
// CHECK-LABEL: @by_vectors
// CHECK: memref.alloc() {{.*}} : memref<8x1x64x8xf32>
// CHECK-COUNT-24: arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.mulf
// SMALL-LABEL: @by_vectors
// SMALL: memref.alloc() {{.*}} : memref<16x1x64x4xf32>
// SMALL-COUNT-12: arith.mulf {{.*}} : vector<4xf32>
// SMALL-NOT: arith.mulf
func.func @by_vectors(%A: memref<64x64xf32>, %B: memref<64x960xf32>, %C: memref<64x960xf32>) {
  tc.contract (i = 64, j = 960, k = 64)
    ins(%A[k, i] : memref<64x64xf32>, %B[k, j] : memref<64x960xf32>)
    outs(%C[i, j] : memref<64x960xf32>) overwrite
  return
}

// -----

// The columns belong to the first input where the result's neighbours do.
// SMALL-LABEL: @transposed
// CHECK-LABEL: @transposed
// CHECK: tc.view %arg0
// CHECK: memref.alloca() {{.*}} : memref<1x1x64x64xf32>
func.func @transposed(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<96x64xf32>) {
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[j, i] : memref<96x64xf32>) overwrite
  return
}

// -----

// Columns padded from 42 to 48: three vectors of 16, the last of which is read and written in part.
// CHECK-LABEL: @padded
// CHECK: vector.create_mask
// CHECK: vector.maskedload %{{.*}} : memref<{{.*}}xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
// CHECK: vector.maskedstore %{{.*}} : memref<{{.*}}xf32>, vector<16xi1>, vector<16xf32>
// CHECK-NOT: memref.store %{{.*}} : memref<{{.*}}xf32>
func.func @padded(%A: memref<64x64xf32>, %B: memref<9x64x42xf32>, %C: memref<64x9x42xf32>) {
  tc.contract (i = 64, j = 9, l = 42, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[j, k, l] : memref<9x64x42xf32>)
    outs(%C[i, j, l] : memref<64x9x42xf32>) overwrite
  return
}

// -----

// Complex numbers in two parts: four products for each of four rows by two vectors.
// CHECK-LABEL: @complex
// CHECK: memref.alloc() {{.*}} : memref<16x2x64x4xf32>
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

// Rows from memory: no panels of them, a view of each row of a tile, whose elements
// come by the places of sums. Columns from memory: the same of each vector.
// CHECK-LABEL: @rows_in_place
// CHECK-NOT: memref.alloc()
// CHECK-COUNT-4: tc.view %{{.*}} <offset = ?, sizes = [?], strides = [1]>
// CHECK: scf.for %[[K:[^ ]*]] = {{.*}} -> (vector<16xf32>,
// CHECK:   %[[PLACE:.*]] = memref.load %{{.*}}[%[[K]]] : memref<64xindex>
// CHECK:   memref.load %{{.*}}[%[[PLACE]]] : memref<?xf32, strided<[1], offset: ?>>
// CHECK-LABEL: @columns_in_place
// CHECK: memref.alloc() {{.*}} : memref<1x1x64x8xf32>
// CHECK: scf.for %[[K:[^ ]*]] = {{.*}} -> (vector<16xf32>,
// CHECK:   %[[PLACE:.*]] = memref.load %{{.*}}[%[[K]]] : memref<64xindex>
// CHECK:   vector.load %{{.*}}[%[[PLACE]]] : {{.*}}, vector<16xf32>
func.func @rows_in_place(%A: memref<640x64xf32>, %B: memref<64x32xf32>, %C: memref<640x32xf32>) {
  tc.contract (i = 640, j = 32, k = 64)
    ins(%A[i, k] : memref<640x64xf32>, %B[k, j] : memref<64x32xf32>)
    outs(%C[i, j] : memref<640x32xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 16, tile = [4, 32], block = [640, 32, 64],
        task = 640, rows_from = memory, columns_from = panels, tasks = blocks>}
  return
}
func.func @columns_in_place(%A: memref<64x8xf32>, %B: memref<64x960xf32>, %C: memref<8x960xf32>) {
  tc.contract (i = 8, j = 960, k = 64)
    ins(%A[k, i] : memref<64x8xf32>, %B[k, j] : memref<64x960xf32>)
    outs(%C[i, j] : memref<8x960xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 16, tile = [8, 48], block = [8, 960, 64],
        task = 8, rows_from = panels, columns_from = memory, tasks = blocks>}
  return
}

// -----

// Sums that are neighbours are transposed, eight at a time; the shuffles are three
// rounds of eight.
// CHECK-LABEL: @transposed_sums
// CHECK: scf.parallel
// CHECK-COUNT-8: vector.load {{.*}} : memref<4608xf32>, vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: vector.store
func.func @transposed_sums(%A: memref<64x72xf32>, %B: memref<72x960xf32>, %C: memref<64x960xf32>) {
  tc.contract (i = 64, j = 960, k = 72)
    ins(%A[i, k] : memref<64x72xf32>, %B[k, j] : memref<72x960xf32>)
    outs(%C[i, j] : memref<64x960xf32>) overwrite
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
func.func @batch(%A: memref<64x32x32xf32>, %B: memref<64x32x96xf32>, %C: memref<64x32x96xf32>) {
  tc.contract (b = 64, i = 32, j = 96, k = 32)
    ins(%A[b, k, i] : memref<64x32x32xf32>, %B[b, k, j] : memref<64x32x96xf32>)
    outs(%C[b, i, j] : memref<64x32x96xf32>) overwrite
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
// Results whose neighbours are those of the input become a nest that carries their sums, of which
// tc-map-host makes vectors.
// CHECK-LABEL: @column_sums
// CHECK: tc.par (%[[J:.*]]) = (0) to (500)
// CHECK:   %[[SUM:.*]] = tc.seq (%[[I:.*]]) = (0) to (300) init(%{{.*}} = %{{.*}} : f32)
// CHECK:     memref.load %arg0{{.*}} : memref<300x500xf32>
// CHECK:     arith.mulf
// CHECK:     arith.addf
// CHECK:   memref.store %[[SUM]], %{{.*}}[%[[J]]] : memref<500xf32>
// CHECK-NOT: tc.contract
// Where vectors cannot be made of them, a loop over a block of them runs inside the reduction loop.
// CHECK-LABEL: @complex_column_sums
// CHECK: scf.parallel (%[[J:.*]]) = (%c0{{.*}}) to (%c500) step (%c256)
// CHECK:   %[[SIZE:.*]] = affine.min {{.*}}(%[[J]])
// CHECK:   %[[SUMS:.*]] = tc.new {{.*}} : memref<1x256xcomplex<f32>>
// CHECK:   tc.seq (%{{.*}}) = (0) to (300)
// CHECK-NOT: tc.seq
// CHECK:   tc.contract (j = %[[SIZE]]) ins({{.*}}) outs(%{{.*}} : memref<256xcomplex<f32>
// CHECK-NOT: overwrite
// CHECK:   tc.contract (j = %[[SIZE]]) ins({{.*}} : memref<256xcomplex<f32>{{.*}}) outs({{.*}}) overwrite
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
func.func @complex_column_sums(%A: memref<300x500xcomplex<f32>>, %x: memref<300xcomplex<f32>>, %C: memref<500xcomplex<f32>>) {
  tc.contract (i = 300, j = 500)
    ins(%A[i, j] : memref<300x500xcomplex<f32>>, %x[i] : memref<300xcomplex<f32>>)
    outs(%C[j] : memref<500xcomplex<f32>>) overwrite
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
