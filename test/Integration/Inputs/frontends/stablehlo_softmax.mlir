// jax.nn.softmax as stablehlo-legalize-to-linalg prints it: linalg.reduce, broadcast and map.
module @jit_softmax {
  func.func @main(%arg0: tensor<5x40xf32>) -> tensor<5x40xf32> {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %reduced = linalg.reduce ins(%arg0 : tensor<5x40xf32>) outs(%1 : tensor<5xf32>) dimensions = [1]
      (%in: f32, %init: f32) {
        %8 = arith.maximumf %in, %init : f32
        linalg.yield %8 : f32
      }
    %2 = tensor.empty() : tensor<5x40xf32>
    %broadcasted = linalg.broadcast ins(%reduced : tensor<5xf32>) outs(%2 : tensor<5x40xf32>) dimensions = [1]
    %mapped = linalg.map { arith.subf } ins(%arg0, %broadcasted : tensor<5x40xf32>, tensor<5x40xf32>) outs(%2 : tensor<5x40xf32>)
    %mapped_1 = linalg.map { math.exp } ins(%mapped : tensor<5x40xf32>) outs(%2 : tensor<5x40xf32>)
    %3 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %reduced_2 = linalg.reduce ins(%mapped_1 : tensor<5x40xf32>) outs(%3 : tensor<5xf32>) dimensions = [1]
      (%in: f32, %init: f32) {
        %8 = arith.addf %in, %init : f32
        linalg.yield %8 : f32
      }
    %broadcasted_3 = linalg.broadcast ins(%reduced_2 : tensor<5xf32>) outs(%2 : tensor<5x40xf32>) dimensions = [1]
    %mapped_4 = linalg.map { arith.divf } ins(%mapped_1, %broadcasted_3 : tensor<5x40xf32>, tensor<5x40xf32>) outs(%2 : tensor<5x40xf32>)
    return %mapped_4 : tensor<5x40xf32>
  }
}
