// A branch on a difference that is nothing but a rounding error, and not the same one
// with a fused multiply-add.
func.func @undecided(%A: memref<40xf32>, %B: memref<40xi32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%t) = (0) to (40) {
      %zero = arith.constant 0.0 : f32
      %x = memref.load %A[%t] : memref<40xf32>
      %p = arith.mulf %x, %x : f32
      %n = arith.negf %p : f32
      %d = math.fma %x, %x, %n : f32
      %positive = arith.cmpf ogt, %d, %zero : f32
      %one = arith.constant 1 : i32
      %none = arith.constant 0 : i32
      %r = arith.select %positive, %one, %none : i32
      memref.store %r, %B[%t] : memref<40xi32>
    }
  }
  return
}
