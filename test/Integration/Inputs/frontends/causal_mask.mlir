// Attention scores below the diagonal (torch.tril as torch-mlir has it).
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @forward(%arg0: tensor<2x24x24xf32>) -> tensor<2x24x24xf32> {
    %ninf = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<2x24x24xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x24x24xf32>) outs(%0 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = linalg.index 1 : index
      %3 = linalg.index 2 : index
      %4 = arith.cmpi sle, %3, %2 : index
      %5 = arith.select %4, %in, %ninf : f32
      linalg.yield %5 : f32
    } -> tensor<2x24x24xf32>
    return %1 : tensor<2x24x24xf32>
  }
}
