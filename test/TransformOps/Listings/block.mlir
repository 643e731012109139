// Section 4.3, the block API: three stencils are scheduled as one.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/block.mlir \
// RUN:   --transform-interpreter -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %t.mlir --verify --device=emulator --checks=all 2>&1 | FileCheck %s --check-prefix=VALUES
func.func @stencils(%I: memref<66x98xf32>, %C: memref<64x96xf32>) {
  %two = arith.constant 2.0 : f32
  %A = tc.new : memref<65x97xf32>
  %B = tc.new : memref<64x96xf32>
  tc.par (%i, %j) = (0, 0) to (65, 97) {
    %below = affine.apply affine_map<(d) -> (d + 1)>(%i)
    %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
    %x = memref.load %I[%below, %j] : memref<66x98xf32>
    %y = memref.load %I[%i, %right] : memref<66x98xf32>
    %s = arith.addf %x, %y : f32
    %z = arith.divf %s, %two : f32
    memref.store %z, %A[%i, %j] : memref<65x97xf32>
  }
  tc.par (%i, %j) = (0, 0) to (64, 96) {
    %below = affine.apply affine_map<(d) -> (d + 1)>(%i)
    %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
    %x = memref.load %A[%i, %j] : memref<65x97xf32>
    %y = memref.load %A[%below, %right] : memref<65x97xf32>
    %s = arith.addf %x, %y : f32
    %z = arith.divf %s, %two : f32
    memref.store %z, %B[%i, %j] : memref<64x96xf32>
  }
  tc.par (%i, %j) = (0, 0) to (64, 96) {
    %x = memref.load %A[%i, %j] : memref<65x97xf32>
    %y = memref.load %B[%i, %j] : memref<64x96xf32>
    %s = arith.addf %x, %y : f32
    %z = math.tanh %s : f32
    memref.store %z, %C[%i, %j] : memref<64x96xf32>
  }
  return
}

// CHECK-COUNT-3: vector.store
// VALUES: verified
