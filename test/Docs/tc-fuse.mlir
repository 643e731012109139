// RUN: tc-opt %s --convert-linalg-to-tc --tc-fuse | FileCheck %s

// The bias and the activation become the epilogue of the product.
func.func @layer(%x: tensor<8x4xf32>, %w: tensor<4x12xf32>, %bias: tensor<12xf32>, %y: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%y : tensor<8x12xf32>) -> tensor<8x12xf32>
  %xw = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x12xf32>)
                      outs(%start : tensor<8x12xf32>) -> tensor<8x12xf32>
  %z = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%xw, %bias : tensor<8x12xf32>, tensor<12xf32>) outs(%y : tensor<8x12xf32>) {
  ^bb0(%u: f32, %b: f32, %old: f32):
    %sum = arith.addf %u, %b : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<8x12xf32>
  return %z : tensor<8x12xf32>
}

// CHECK-LABEL: @layer
// CHECK: tc.contract
// CHECK-SAME: sides(%{{.*}}[b] : tensor<12xf32>)
// CHECK-SAME: epilogue
// CHECK-NOT: tc.contract
