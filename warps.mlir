func.func @normalise(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %rows: index, %terms: index) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (%rows) attributes {tc.flatten = #tc<level warp>} {
    %sum = tc.new : memref<f32>
    tc.reduce (%j) = (0) to (%terms) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sum[] : memref<f32>
    }
    tc.par (%j) = (0) to (%terms) {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      %s = memref.load %sum[] : memref<f32>
      %y = arith.divf %x, %s : f32
      memref.store %y, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
