// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-run %s --verify --device=emulator --checks=all

// The with-loop of Janssen and Scholz, listing 3: two partitions, and zeros elsewhere.
func.func @listing(%A: memref<9x9xi32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  // CHECK: tc.with %{{.*}} default(%{{.*}} : i32) : memref<9x9xi32> {
  tc.with %A default(%zero : i32) : memref<9x9xi32> {
    // CHECK: tc.partition (%{{.*}}, %{{.*}}) = (0, 1) to (9, 8) step (2, 3) width (1, 2) {
    tc.partition (%i, %j) = (0, 1) to (9, 8) step (2, 3) width (1, 2) {
      // CHECK: tc.yield %{{.*}} : i32
      tc.yield %three : i32
    }
    tc.partition (%i, %j) = (1, 0) to (8, 9) step (3, 2) width (2, 1) {
      tc.yield %seven : i32
    }
  }
  return
}
