// Sums of other types over one space become one, and so does a map behind them.
//
// RUN: %run_program %s
func.func @sums(%A: memref<37x20xf32>, %C: memref<37x20xi32>, %r: memref<f32>, %n: memref<i32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.reduce (%i, %j) = (0, 0) to (37, 20) init(%zero : f32) commutative {
    %x = memref.load %A[%i, %j] : memref<37x20xf32>
    %y = arith.mulf %x, %x : f32
    tc.yield %y : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  tc.reduce (%i, %j) = (0, 0) to (37, 20) init(%none : i32) commutative {
    %x = memref.load %A[%i, %j] : memref<37x20xf32>
    %positive = arith.cmpf ogt, %x, %zero : f32
    %n1 = arith.extui %positive : i1 to i32
    tc.yield %n1 : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%s: i32) {
    memref.store %s, %n[] : memref<i32>
  }
  tc.par (%i) = (0) to (37) {
    tc.par (%j) = (0) to (20) {
      memref.store %one, %C[%i, %j] : memref<37x20xi32>
    }
  }
  return
}
