func.func @normalise(%A: memref<3x40000xf32>, %B: memref<3x40000xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (3) {
    %sum = tc.new : memref<f32>
    tc.reduce (%j) = (0) to (40000) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<3x40000xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sum[] : memref<f32>
    }
    tc.par (%j) = (0) to (40000) {
      %x = memref.load %A[%i, %j] : memref<3x40000xf32>
      %s = memref.load %sum[] : memref<f32>
      %y = arith.divf %x, %s : f32
      memref.store %y, %B[%i, %j] : memref<3x40000xf32>
    }
  }
  return
}
