// Rows scaled by their largest element and their sum: three passes by the threads of a
// block, with what the reductions find in memory of the block.
//
// The order of a sum changes its last digits, of which six are printed.
//
// RUN: %run_program %s --tolerance=2e-5
func.func @softmax(%A: memref<7x300xf32>, %B: memref<7x300xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  tc.par (%i) = (0) to (7) {
    %max = tc.new : memref<f32>
    %sum = tc.new : memref<f32>
    tc.reduce (%j) = (0) to (300) init(%low : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<7x300xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %m = arith.maximumf %a, %b : f32
      tc.yield %m : f32
    } finish (%m: f32) {
      memref.store %m, %max[] : memref<f32>
    }
    tc.reduce (%j) = (0) to (300) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<7x300xf32>
      %m = memref.load %max[] : memref<f32>
      %d = arith.subf %x, %m : f32
      %e = math.exp %d : f32
      memref.store %e, %B[%i, %j] : memref<7x300xf32>
      tc.yield %e : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sum[] : memref<f32>
    }
    tc.par (%j) = (0) to (300) {
      %e = memref.load %B[%i, %j] : memref<7x300xf32>
      %s = memref.load %sum[] : memref<f32>
      %p = arith.divf %e, %s : f32
      memref.store %p, %B[%i, %j] : memref<7x300xf32>
    }
  }
  return
}
