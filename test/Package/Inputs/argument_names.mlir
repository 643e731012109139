func.func @update(%lhs: memref<?x8xf32>, %rhs: memref<8x6xf32>, %0: f32,
                  %float: memref<?x6xf32>, %x.1: memref<4xf32>,
                  %x_1: memref<4xf32>, %arg1: memref<4xf32>,
                  %_t: memref<4xf32>,
                  %stream: memref<4xf32> loc("weights"),
                  %w_extent0: memref<4xf32> loc("void"),
                  %call: memref<4xf32> loc(callsite("a" at "b"))) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                       affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%lhs, %rhs : memref<?x8xf32>, memref<8x6xf32>)
      outs(%float : memref<?x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.mulf %p, %0 : f32
    %t = arith.addf %c, %s : f32
    linalg.yield %t : f32
  }
  return
}

func.func @pair(%image: tensor<4x5xf32>, %kernel: tensor<5x4xf32>)
    -> (tensor<4x4xf32>, tensor<5x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x4xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x4xf32>)
      -> tensor<4x4xf32>
  %first = linalg.matmul
      ins(%image, %kernel : tensor<4x5xf32>, tensor<5x4xf32>)
      outs(%i0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<5x5xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x5xf32>)
      -> tensor<5x5xf32>
  %second = linalg.matmul
      ins(%kernel, %image : tensor<5x4xf32>, tensor<4x5xf32>)
      outs(%i1 : tensor<5x5xf32>) -> tensor<5x5xf32>
  return %first, %second : tensor<4x4xf32>, tensor<5x5xf32>
}

func.func @same(%image: tensor<4x5xf32>, %kernel: tensor<5x4xf32>)
    -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x4xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x4xf32>)
      -> tensor<4x4xf32>
  %first = linalg.matmul
      ins(%image, %kernel : tensor<4x5xf32>, tensor<5x4xf32>)
      outs(%i0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %first : tensor<4x4xf32>
}
