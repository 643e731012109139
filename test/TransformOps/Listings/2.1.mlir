// Listing 2.1: roots, and averages of neighbours, which are stored where the roots
// were. As the listing has it, a loop after the other; where iterations are
// independent no two buffers may be one.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/listing-2.1.mlir \
// RUN:   --transform-interpreter | FileCheck %s
// RUN: sed 's/tc.seq (%i, %j)/tc.par (%i, %j)/' %s > %t.mlir
// RUN: not tc-opt %t.mlir --transform-preload-library=transform-library-paths=%S/Inputs/listing-2.1.mlir \
// RUN:   --transform-interpreter 2>&1 | FileCheck %s --check-prefix=PARALLEL
func.func @my_program(%A: memref<128x128xf32>, %C: memref<128x128xf32>) {
  %two = arith.constant 2.0 : f32
  %B = tc.new : memref<128x128xf32>
  tc.seq (%i, %j) = (0, 0) to (128, 128) {
    %x = memref.load %A[%i, %j] : memref<128x128xf32>
    %y = math.sqrt %x : f32
    memref.store %y, %B[%i, %j] : memref<128x128xf32>
  }
  tc.seq (%i, %j) = (0, 0) to (128, 127) {
    %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
    %x = memref.load %B[%i, %j] : memref<128x128xf32>
    %y = memref.load %B[%i, %right] : memref<128x128xf32>
    %s = arith.addf %x, %y : f32
    %z = arith.divf %s, %two : f32
    memref.store %z, %C[%i, %j] {C} : memref<128x128xf32>
  }
  return
}

// CHECK-NOT: tc.new
// CHECK: tc.seq (%{{.*}}, %{{.*}}) = (0, 0) to (128, 128) {
// CHECK: memref.store %{{.*}}, %[[C:.*]][
// CHECK: tc.seq (%[[i:.*]], %[[j:.*]]) = (0, 0) to (128, 127) step (16, 16) {
// CHECK: tc.seq (%{{.*}}, %{{.*}}) = (%[[i]], %[[j]]) to
// CHECK: memref.load %[[C]][
// CHECK: memref.load %[[C]][
// CHECK: memref.store %{{.*}}, %[[C]][

// PARALLEL: error: two elements of one place would be needed at one time
// PARALLEL: note: iteration ([[#I:]], [[#]]) writes a value here
// PARALLEL-NEXT: memref.store %y, %B
// PARALLEL: note: iteration ([[#I]], [[#]]) writes another one to its place here
// PARALLEL-NEXT: memref.store %z, %C
// PARALLEL: note: iteration ([[#I]], [[#]]) reads the value here
// PARALLEL-NEXT: memref.load %B[%i, %right]
