// Listing 3.4: layers and steps of a recurrent network along diagonals, whose cells
// are independent.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/listing-3.4.mlir \
// RUN:   --transform-interpreter -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %t.mlir --verify --device=emulator --checks=all 2>&1 | FileCheck %s --check-prefix=VALUES
func.func @network(%h: memref<5x101xf32>, %c: memref<4x101xf32>) {
  tc.seq (%l, %s) = (0, 0) to (4, 100) {
    %next = affine.apply affine_map<(d) -> (d + 1)>(%s)
    %out = affine.apply affine_map<(d) -> (d + 1)>(%l)
    %below = memref.load %h[%l, %next] : memref<5x101xf32>
    %before = memref.load %h[%out, %s] : memref<5x101xf32>
    %cell = memref.load %c[%l, %s] : memref<4x101xf32>
    %x = arith.addf %below, %before : f32
    %t = math.tanh %x : f32
    %new = arith.mulf %t, %cell : f32
    memref.store %new, %c[%l, %next] : memref<4x101xf32>
    memref.store %t, %h[%out, %next] : memref<5x101xf32>
  }
  return
}

// CHECK: tc.seq (%[[d:.*]]) = (0) to (103) {
// CHECK: tc.par (%{{.*}}) = (%{{.*}}) to (%{{.*}}) {
// VALUES: verified
