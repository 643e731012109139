// A transpose by a cached tile of 32 x 32 (listing 4.4 of the thesis on Tiramisu), counted: every sector that
// is touched is used whole, and no request has a bank conflict.
//
// REQUIRES: ptxas
// RUN: %run_program %s
// RUN: tc-run --count --json %s | FileCheck %s
//
//      CHECK: "global_loads": {
//      CHECK: "sectors": [[LOADS:4096]],
// CHECK-NEXT: "ideal_sectors": [[LOADS]],
//      CHECK: "global_stores": {
//      CHECK: "sectors": [[STORES:4096]],
// CHECK-NEXT: "ideal_sectors": [[STORES]],
//      CHECK: "shared_loads": {
//      CHECK: "wavefronts": [[READS:1024]],
// CHECK-NEXT: "ideal_wavefronts": [[READS]]
//      CHECK: "shared_stores": {
//      CHECK: "wavefronts": [[WRITES:1024]],
// CHECK-NEXT: "ideal_wavefronts": [[WRITES]]
func.func @transpose(%A: memref<128x256xf32>, %B: memref<256x128xf32>) {
  tc.par (%i, %j) = (0, 0) to (128, 256) step (32, 32) {
    tc.cache %A : memref<128x256xf32>
    tc.par (%a, %b) = (0, 0) to (32, 32) {
      %row = affine.apply affine_map<(i, b) -> (i + b)>(%i, %b)
      %column = affine.apply affine_map<(j, a) -> (j + a)>(%j, %a)
      %x = memref.load %A[%row, %column] : memref<128x256xf32>
      memref.store %x, %B[%column, %row] : memref<256x128xf32>
    }
  }
  return
}
