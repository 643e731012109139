// Sums of floats in the order that they are written in, for --keep-order.
func.func @ordered(%weights: memref<300x70xf32>, %values: memref<300xf32>,
                   %result: memref<70xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 300 : index
  %columns = arith.constant 70 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%j) = (%c0) to (%columns) step (%c1) {
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %zero) -> f32 {
      %weight = memref.load %weights[%i, %j] : memref<300x70xf32>
      %value = memref.load %values[%i] : memref<300xf32>
      %power = math.exp %value : f32
      %product = arith.mulf %weight, %power : f32
      %after = arith.addf %before, %product : f32
      scf.yield %after : f32
    }
    memref.store %sum, %result[%j] : memref<70xf32>
  }
  return
}
