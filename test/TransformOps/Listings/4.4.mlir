// Listings 4.3 and 4.4: a transposition through shared memory.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/listing-4.4.mlir \
// RUN:   --transform-interpreter -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %t.mlir --verify --device=emulator --checks=all 2>&1 | FileCheck %s --check-prefix=VALUES
func.func @transposition(%A: memref<128x256xf32>, %B: memref<256x128xf32>) {
  tc.par (%j, %i) = (0, 0) to (256, 128) {
    %x = memref.load %A[%i, %j] : memref<128x256xf32>
    memref.store %x, %B[%j, %i] : memref<256x128xf32>
  }
  return
}

// CHECK: tc.par grid (%{{.*}}, %{{.*}}) = (0, 0) to (256, 128) step (16, 16) {
// CHECK-NEXT: tc.cache %{{.*}} : memref<128x256xf32>
// CHECK: tc.par block
// VALUES: verified
