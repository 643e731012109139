// RUN: tc-opt %s --tc-fold-reshapes --cse | FileCheck %s

func.func @rearranged(%X: tensor<5x4x6x7xf32>) -> tensor<7x6x5x4xf32> {
  %flat = tensor.collapse_shape %X [[0, 1], [2], [3]] : tensor<5x4x6x7xf32> into tensor<20x6x7xf32>
  %empty = tensor.empty() : tensor<7x6x20xf32>
  %t = linalg.transpose ins(%flat : tensor<20x6x7xf32>) outs(%empty : tensor<7x6x20xf32>)
       permutation = [2, 1, 0]
  %u = tensor.expand_shape %t [[0], [1], [2, 3]] output_shape [7, 6, 5, 4]
       : tensor<7x6x20xf32> into tensor<7x6x5x4xf32>
  return %u : tensor<7x6x5x4xf32>
}

// CHECK-LABEL: @rearranged
// CHECK-NOT: collapse_shape
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<5x4x6x7xf32>) outs(%{{.*}} : tensor<7x6x5x4xf32>) permutation = [3, 2, 0, 1]
// CHECK-NEXT: return %[[T]]
