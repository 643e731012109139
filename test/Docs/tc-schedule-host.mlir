// RUN: tc-opt %s --tc-schedule-host='vector-bits=256 vector-registers=16' | FileCheck %s

// d is innermost in the result, so the columns are those of B; both inputs are used
// many times, and copied into panels. Where one tile has all columns, rows whose sums
// are neighbours are read where they lie.
func.func @f(%A: memref<24x64x10xf32>, %B: memref<64x8x48xf32>, %C: memref<24x8x10x48xf32>) {
  tc.contract (a = 24, b = 8, c = 10, d = 48, k = 64)
    ins(%A[a, k, c] : memref<24x64x10xf32>, %B[k, b, d] : memref<64x8x48xf32>)
    outs(%C[a, b, c, d] : memref<24x8x10x48xf32>) overwrite
  return
}
func.func @few_columns(%A: memref<4096x72xf32>, %B: memref<72x24xf32>, %C: memref<4096x24xf32>) {
  tc.contract (i = 4096, j = 24, k = 72)
    ins(%A[i, k] : memref<4096x72xf32>, %B[k, j] : memref<72x24xf32>)
    outs(%C[i, j] : memref<4096x24xf32>) overwrite
  return
}

// CHECK-LABEL: @f
// CHECK: #tc.host_schedule<rows = [a, c], columns = [b, d], sums = [k], vector = 8, tile = [4, 24]
// CHECK-SAME: rows_from = panels, columns_from = panels, tasks = blocks>
// CHECK-LABEL: @few_columns
// CHECK: #tc.host_schedule<rows = [i], columns = [j], sums = [k], vector = 8, tile = [4, 24]
// CHECK-SAME: rows_from = memory, columns_from = panels, tasks = blocks>
