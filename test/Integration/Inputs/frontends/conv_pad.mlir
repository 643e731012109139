// torch.nn.Conv2d(3, 8, 3, stride=2, padding=1) and ReLU (torch-mlir).
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  func.func @forward(%arg0: tensor<2x3x17x15xf32>, %w: tensor<8x3x3x3xf32>, %bias: tensor<8xf32>) -> tensor<2x8x9x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<2x3x17x15xf32> to tensor<2x3x19x17xf32>
    %0 = tensor.empty() : tensor<2x8x9x8xf32>
    %broadcasted = linalg.broadcast ins(%bias : tensor<8xf32>) outs(%0 : tensor<2x8x9x8xf32>) dimensions = [0, 2, 3]
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %w : tensor<2x3x19x17xf32>, tensor<8x3x3x3xf32>) outs(%broadcasted : tensor<2x8x9x8xf32>) -> tensor<2x8x9x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x8x9x8xf32>) outs(%0 : tensor<2x8x9x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.cmpf ugt, %in, %cst : f32
      %4 = arith.select %3, %in, %cst : f32
      linalg.yield %4 : f32
    } -> tensor<2x8x9x8xf32>
    return %2 : tensor<2x8x9x8xf32>
  }
}
