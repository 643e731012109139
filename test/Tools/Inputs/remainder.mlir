// No instruction computes a remainder of floats.
func.func @remainder(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.remf %a, %b : f32
    linalg.yield %r : f32
  }
  return
}
