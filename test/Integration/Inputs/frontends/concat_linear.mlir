// torch.cat([x, y], dim=1) @ w, as insertions into one tensor.
module {
  func.func @forward(%x: tensor<6x10xf32>, %y: tensor<6x14xf32>, %w: tensor<24x9xf32>) -> tensor<6x9xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x24xf32>
    %inserted_slice = tensor.insert_slice %x into %0[0, 0] [6, 10] [1, 1] : tensor<6x10xf32> into tensor<6x24xf32>
    %inserted_slice_0 = tensor.insert_slice %y into %inserted_slice[0, 10] [6, 14] [1, 1] : tensor<6x14xf32> into tensor<6x24xf32>
    %1 = tensor.empty() : tensor<6x9xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<6x9xf32>) -> tensor<6x9xf32>
    %3 = linalg.matmul ins(%inserted_slice_0, %w : tensor<6x24xf32>, tensor<24x9xf32>) outs(%2 : tensor<6x9xf32>) -> tensor<6x9xf32>
    return %3 : tensor<6x9xf32>
  }
}
