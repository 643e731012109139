func.func @row_sums(%A: memref<3x4xf32>, %C: memref<3xf32>) {
  linalg.reduce { arith.addf } ins(%A : memref<3x4xf32>) outs(%C : memref<3xf32>) dimensions = [1]
  return
}

func.func @scaled(%A: memref<3x4xf32>, %factor: f32, %C: memref<3x4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%A : memref<3x4xf32>) outs(%C : memref<3x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.mulf %a, %factor : f32
    linalg.yield %0 : f32
  }
  return
}
