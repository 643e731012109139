// A depthwise convolution and a pointwise one (MobileNet), channels last.
module {
  func.func @forward(%arg0: tensor<1x10x9x6xf32>, %w: tensor<3x3x6xf32>, %p: tensor<1x1x6x8xf32>) -> tensor<1x8x7x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x8x7x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x8x7x6xf32>) -> tensor<1x8x7x6xf32>
    %2 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %w : tensor<1x10x9x6xf32>, tensor<3x3x6xf32>) outs(%1 : tensor<1x8x7x6xf32>) -> tensor<1x8x7x6xf32>
    %3 = tensor.empty() : tensor<1x8x7x8xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x8x7x8xf32>) -> tensor<1x8x7x8xf32>
    %5 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%2, %p : tensor<1x8x7x6xf32>, tensor<1x1x6x8xf32>) outs(%4 : tensor<1x8x7x8xf32>) -> tensor<1x8x7x8xf32>
    return %5 : tensor<1x8x7x8xf32>
  }
}
