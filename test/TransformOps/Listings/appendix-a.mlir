// Appendix A: C = alpha * A * B + beta * C, as three computations over one space.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/appendix-a.mlir \
// RUN:   --transform-interpreter -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tc-run %t.mlir --verify --device=emulator --checks=all 2>&1 | FileCheck %s --check-prefix=VALUES
func.func @gemm(%A: memref<512x48xf32>, %B: memref<48x192xf32>, %C: memref<512x192xf32>,
                %scale: memref<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %second = arith.constant 1 : index
  %acc = tc.new : memref<512x192xf32>
  tc.par (%i, %j) = (0, 0) to (512, 192) {
    memref.store %zero, %acc[%i, %j] : memref<512x192xf32>
  }
  tc.par (%i, %j) = (0, 0) to (512, 192) {
    tc.seq (%k) = (0) to (48) {
      %a = memref.load %A[%i, %k] {factor} : memref<512x48xf32>
      %b = memref.load %B[%k, %j] {factor} : memref<48x192xf32>
      %s = memref.load %acc[%i, %j] : memref<512x192xf32>
      %t = math.fma %a, %b, %s : f32
      memref.store %t, %acc[%i, %j] : memref<512x192xf32>
    }
  }
  tc.par (%i, %j) = (0, 0) to (512, 192) {
    %alpha = memref.load %scale[%first] : memref<2xf32>
    %beta = memref.load %scale[%second] : memref<2xf32>
    %s = memref.load %acc[%i, %j] : memref<512x192xf32>
    %c = memref.load %C[%i, %j] : memref<512x192xf32>
    %p = arith.mulf %alpha, %s : f32
    %q = arith.mulf %beta, %c : f32
    %r = arith.addf %p, %q : f32
    memref.store %r, %C[%i, %j] : memref<512x192xf32>
  }
  return
}

// VALUES: verified

// CHECK: tc.par grid (%[[i:.*]], %[[j:.*]]) = (0, 0) to (512, 192) step (256, 96) {
// CHECK: %[[sums:.*]] = tc.new threads(2) : memref<16x16x16x6xf32>
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (16, 16) {
// CHECK: memref.store %{{.*}}, %[[sums]][
// CHECK: tc.seq (%{{.*}}) = (0) to (48) step (16) stages(2) {
// CHECK-NEXT: tc.cache
// CHECK-NEXT: tc.cache
// CHECK: tc.par block (%[[ti:.*]], %[[tj:.*]]) = (0, 0) to (16, 16) {
// CHECK: tc.seq (%[[i1:.*]], %[[j1:.*]]) = (0, 0) to (16, 6) {
// CHECK: memref.store %{{.*}}, %[[sums]][%[[ti]], %[[tj]], %[[i1]], %[[j1]]]
// CHECK: tc.par block
