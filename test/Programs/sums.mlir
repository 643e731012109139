// Sums of rows and of all rows, in place of loops written by hand: by the threads of
// a block, by all blocks, by one thread in a region of another.
//
// RUN: %run_program %s
func.func @sums(%A: memref<40x333xf32>, %sums: memref<40xf32>, %all: memref<f32>, %norm: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (40) {
    tc.reduce (%j) = (0) to (333) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<40x333xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sums[%i] : memref<40xf32>
    }
  }
  tc.reduce (%i, %j) = (0, 0) to (40, 333) init(%zero : f32) commutative {
    %x = memref.load %A[%i, %j] : memref<40x333xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %all[] : memref<f32>
  }
  tc.reduce (%i) = (0) to (40) init(%zero : f32) commutative {
    %s = memref.load %sums[%i] : memref<40xf32>
    %square = arith.mulf %s, %s : f32
    tc.yield %square : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    %root = math.sqrt %s : f32
    memref.store %root, %norm[] : memref<f32>
  }
  return
}
