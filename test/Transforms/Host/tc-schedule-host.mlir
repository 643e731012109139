// RUN: tc-opt %s --tc-schedule-host='vector-bits=512 vector-registers=32' --split-input-file | FileCheck %s
// RUN: tc-opt %s --tc-schedule-host='vector-bits=256 vector-registers=16' --split-input-file | FileCheck %s --check-prefix=AVX2

// Inner points of columns where the input's neighbours are not the result's.
// CHECK-LABEL: @interleaved
// CHECK: rows = [i], columns = [a, b, a = 16, b = 48], sums = [k], vector = 16
func.func @interleaved(%A: memref<96x64xf32>, %B: memref<96x64x64xf32>, %C: memref<96x64x96xf32>) {
  tc.contract (i = 96, a = 64, b = 96, k = 64)
    ins(%A[i, k] : memref<96x64xf32>, %B[b, k, a] : memref<96x64x64xf32>)
    outs(%C[i, a, b] : memref<96x64x96xf32>) overwrite
  return
}

// -----

// One tile has all rows: columns are read where they lie.
// CHECK-LABEL: @few_rows
// CHECK: tile = [8, 48], {{.*}}, columns_from = memory, tasks = blocks>
func.func @few_rows(%A: memref<64x8xf32>, %B: memref<64x9600xf32>, %C: memref<8x9600xf32>) {
  tc.contract (i = 8, j = 9600, k = 64)
    ins(%A[k, i] : memref<64x8xf32>, %B[k, j] : memref<64x9600xf32>)
    outs(%C[i, j] : memref<8x9600xf32>) overwrite
  return
}

// -----

// Columns along the short neighbours of the result are padded to whole vectors, where vectors
// can be written in part. Neighbours that go on from one iterator to the next need no padding.
// CHECK-LABEL: @padded
// CHECK: columns = [c, e, e = 14, a, a = 48]
// CHECK-SAME: block = [{{[0-9]+}}, 672, 29]
// CHECK-SAME: columns_from = panels
// AVX2-LABEL: @padded
// AVX2: columns = [c, e, e = 14, a],
// CHECK-LABEL: @goes_on
// CHECK: columns = [c, a], sums = [k]
func.func @padded(%A: memref<42x9x29x42xf32>, %B: memref<29x22xf32>, %C: memref<42x9x22x42xf32>) {
  tc.contract (a = 42, c = 9, e = 42, i = 22, k = 29)
    ins(%A[a, c, k, e] : memref<42x9x29x42xf32>, %B[k, i] : memref<29x22xf32>)
    outs(%C[e, c, i, a] : memref<42x9x22x42xf32>) overwrite
  return
}
func.func @goes_on(%A: memref<29x9x42xf32>, %B: memref<29x22xf32>, %C: memref<22x9x42xf32>) {
  tc.contract (a = 42, c = 9, i = 22, k = 29)
    ins(%A[k, c, a] : memref<29x9x42xf32>, %B[k, i] : memref<29x22xf32>)
    outs(%C[i, c, a] : memref<22x9x42xf32>) overwrite
  return
}

// -----

// A tile of five vectors wastes less of 72 columns than one of three.
// CHECK-LABEL: @ragged
// CHECK: tile = [4, 80]
func.func @ragged(%A: memref<640x64xf32>, %B: memref<64x72xf32>, %C: memref<640x72xf32>) {
  tc.contract (i = 640, j = 72, k = 64)
    ins(%A[i, k] : memref<640x64xf32>, %B[k, j] : memref<64x72xf32>)
    outs(%C[i, j] : memref<640x72xf32>) overwrite
  return
}

// -----

// What is there stays; what is no product of matrices gets none.
// CHECK-LABEL: @by_hand
// CHECK: tile = [2, 32], block = [64, 96, 64]
// CHECK-LABEL: @one_row
// CHECK-NOT: host_schedule
func.func @by_hand(%A: memref<64x64xf32>, %B: memref<64x96xf32>, %C: memref<64x96xf32>) {
  tc.contract (i = 64, j = 96, k = 64)
    ins(%A[i, k] : memref<64x64xf32>, %B[k, j] : memref<64x96xf32>)
    outs(%C[i, j] : memref<64x96xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [i], columns = [j], sums = [k], vector = 16, tile = [2, 32], block = [64, 96, 64],
        task = 64, rows_from = panels, columns_from = panels, tasks = blocks>}
  return
}
func.func @one_row(%A: memref<640xf32>, %B: memref<640x96xf32>, %C: memref<96xf32>) {
  tc.contract (j = 96, k = 640)
    ins(%A[k] : memref<640xf32>, %B[k, j] : memref<640x96xf32>)
    outs(%C[j] : memref<96xf32>) overwrite
  return
}

// -----

// An outer product whose result's neighbours come from the small input: tiles of them,
// one after the other down the rows. One that is a long loop over neighbours of both is
// left to it.
// CHECK-LABEL: @outer
// CHECK: rows = [b], columns = [a, c], vector = 16, tile = [16, 16], block = [{{[0-9]+}}, 16, 1], task = 4096
// CHECK-SAME: rows_from = memory
// CHECK-LABEL: @long_loop
// CHECK-NOT: host_schedule
func.func @outer(%A: memref<16x16xf32>, %B: memref<4096xf32>, %C: memref<16x4096x16xf32>) {
  tc.contract (a = 16, b = 4096, c = 16)
    ins(%A[c, a] : memref<16x16xf32>, %B[b] : memref<4096xf32>)
    outs(%C[a, b, c] : memref<16x4096x16xf32>) overwrite
  return
}
func.func @long_loop(%A: memref<64xf32>, %B: memref<4096xf32>, %C: memref<64x4096xf32>) {
  tc.contract (a = 64, b = 4096)
    ins(%A[a] : memref<64xf32>, %B[b] : memref<4096xf32>)
    outs(%C[a, b] : memref<64x4096xf32>) overwrite
  return
}

// -----

// Rows are in the order of the result where that is larger than their input.
// CHECK-LABEL: @more_results
// CHECK: rows = [c, b], columns = [a], sums = [k]
// CHECK-LABEL: @more_rows
// CHECK: rows = [b, c], columns = [a], sums = [k]
func.func @more_results(%A: memref<24x16x32xf32>, %B: memref<24x96xf32>, %C: memref<32x16x96xf32>) {
  tc.contract (a = 96, b = 16, c = 32, k = 24)
    ins(%A[k, b, c] : memref<24x16x32xf32>, %B[k, a] : memref<24x96xf32>)
    outs(%C[c, b, a] : memref<32x16x96xf32>) overwrite
  return
}
func.func @more_rows(%A: memref<96x16x32xf32>, %B: memref<96x96xf32>, %C: memref<32x16x96xf32>) {
  tc.contract (a = 96, b = 16, c = 32, k = 96)
    ins(%A[k, b, c] : memref<96x16x32xf32>, %B[k, a] : memref<96x96xf32>)
    outs(%C[c, b, a] : memref<32x16x96xf32>) overwrite
  return
}
