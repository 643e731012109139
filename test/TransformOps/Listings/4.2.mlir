// Listing 4.2: a loop of kernels, which run on several streams.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/listing-4.2.mlir \
// RUN:   --transform-interpreter -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: env TC_EMU_SCHEDULE=adversarial:1 tc-run %t.mlir --verify --device=emulator --checks=all \
// RUN:   --remarks 2>&1 | FileCheck %s --check-prefix=VALUES
func.func @computation(%A: memref<8x64x48xf32>, %C: memref<8x64x48xf32>) {
  tc.seq (%i) = (0) to (8) {
    tc.par (%j, %k) = (0, 0) to (64, 48) {
      %x = memref.load %A[%i, %j, %k] : memref<8x64x48xf32>
      %y = arith.mulf %x, %x : f32
      memref.store %y, %C[%i, %j, %k] : memref<8x64x48xf32>
    }
  }
  return
}

// CHECK: tc.par host (%[[I:.*]]) = (0) to (8) {
// CHECK-NEXT: tc.par (%{{.*}}, %{{.*}}) = (0, 0) to (64, 48) step (16, 16) {
// CHECK: tc.par (%{{.*}}, %{{.*}}) =
// CHECK: memref.load %{{.*}}[%[[I]],
// VALUES: the iterations are dealt out to 4 streams
// VALUES: verified
