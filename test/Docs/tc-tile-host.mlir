// RUN: tc-opt %s --tc-tile-host | FileCheck %s

// Rows are a and c, the columns b and d: those of the input that varies with d,
// the innermost of the result. The register tile is four rows by three vectors of
// eight columns; each task packs a block of columns for itself.
func.func @f(%A: memref<24x64x10xf32>, %B: memref<64x8x48xf32>, %C: memref<24x8x10x48xf32>) {
  tc.contract (a = 24, b = 8, c = 10, d = 48, k = 64)
    ins(%A[a, k, c] : memref<24x64x10xf32>, %B[k, b, d] : memref<64x8x48xf32>)
    outs(%C[a, b, c, d] : memref<24x8x10x48xf32>) overwrite
    {tc.host_schedule = #tc.host_schedule<
        rows = [a, c], columns = [b, d], sums = [k], vector = 8, tile = [4, 24],
        block = [240, 384, 64], task = 240, rows_from = panels, columns_from = panels,
        tasks = blocks>}
  return
}

// CHECK-LABEL: @f
// CHECK: %[[ROWS:.*]] = memref.alloc() {{.*}} : memref<60x1x64x4xf32>
// CHECK: scf.parallel
// CHECK:   vector.store %{{.*}}, %[[ROWS]][
// CHECK: scf.parallel
// CHECK:   %[[COLUMNS:.*]] = memref.alloca() {{.*}} : memref<16x1x64x24xf32>
// CHECK:   vector.store %{{.*}}, %[[COLUMNS]][
// CHECK:   scf.for %{{.*}} iter_args({{.*}}) -> (vector<8xf32>,
// CHECK:     vector.load %[[COLUMNS]][
// CHECK:     memref.load %[[ROWS]][
// CHECK:     arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<8xf32>
// CHECK:   vector.store %{{.*}} : memref<92160xf32>, vector<8xf32>
// CHECK: } {tc.distinct}
// CHECK-NOT: tc.contract
