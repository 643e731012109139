// Contractions on tensors: bufferized before the conversion to tc and after it.
//
// RUN: %check_phases %s convert-linalg-to-tc \
// RUN:   "one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   tc-normalize tc-schedule tc-tile tc-promote tc-map tc-sync tc-lower-microkernel
// RUN: %check_phases %s \
// RUN:   "one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   %phases

func.func @matmul(%A: tensor<9x5xf32>, %B: tensor<5x7xf32>, %C: tensor<9x7xf32>) -> tensor<9x7xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<9x5xf32>, tensor<5x7xf32>)
                     outs(%C : tensor<9x7xf32>) -> tensor<9x7xf32>
  return %r : tensor<9x7xf32>
}

func.func @matmul_from_zero(%A: tensor<9x5xf64>, %B: tensor<5x7xf64>) -> tensor<9x7xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<9x7xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<9x7xf64>) -> tensor<9x7xf64>
  %r = linalg.matmul ins(%A, %B : tensor<9x5xf64>, tensor<5x7xf64>)
                     outs(%start : tensor<9x7xf64>) -> tensor<9x7xf64>
  return %r : tensor<9x7xf64>
}

// The first product is the second one's input and, written in place, would be
// its result: both results must be right.
func.func @two(%A: tensor<6x6xf32>, %C: tensor<6x6xf32>) -> (tensor<6x6xf32>, tensor<6x6xf32>) {
  %p = linalg.matmul ins(%A, %A : tensor<6x6xf32>, tensor<6x6xf32>)
                     outs(%C : tensor<6x6xf32>) -> tensor<6x6xf32>
  %q = linalg.matmul ins(%A, %p : tensor<6x6xf32>, tensor<6x6xf32>)
                     outs(%p : tensor<6x6xf32>) -> tensor<6x6xf32>
  return %p, %q : tensor<6x6xf32>, tensor<6x6xf32>
}

// Only a part of the result is overwritten.
func.func @into_slice(%A: tensor<4x4xf32>, %C: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %part = tensor.extract_slice %C[2, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %t = linalg.transpose ins(%A : tensor<4x4xf32>) outs(%part : tensor<4x4xf32>) permutation = [1, 0]
  %r = tensor.insert_slice %t into %C[2, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
