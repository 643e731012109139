func.func @mm(%A: memref<?x4xf32>, %B: memref<4x3xf32>, %C: memref<?x3xf32>) {
  linalg.matmul ins(%A, %B : memref<?x4xf32>, memref<4x3xf32>) outs(%C : memref<?x3xf32>)
  return
}

// Two steps, with workspace between them.
func.func @chain(%A: tensor<2x4xf32>, %B: tensor<4x4xf32>, %D: tensor<4x3xf32>)
    -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x4xf32>
  %e = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %first = linalg.matmul ins(%A, %B : tensor<2x4xf32>, tensor<4x4xf32>)
                         outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %c0 = tensor.empty() : tensor<2x3xf32>
  %c = linalg.fill ins(%zero : f32) outs(%c0 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %second = linalg.matmul ins(%first, %D : tensor<2x4xf32>, tensor<4x3xf32>)
                          outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %second : tensor<2x3xf32>
}

func.func @scaled(%A: memref<?x?xf32, strided<[?, ?], offset: ?>>, %factor: f32,
                  %C: memref<?x?xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%A : memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%C : memref<?x?xf32>) {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.mulf %a, %factor : f32
    linalg.yield %0 : f32
  }
  return
}

// From its third element on.
func.func @half(%A: memref<4xf16, strided<[1], offset: 2>>, %factor: f16, %C: memref<4xf16>) {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%A : memref<4xf16, strided<[1], offset: 2>>) outs(%C : memref<4xf16>) {
  ^bb0(%a: f16, %c: f16):
    %0 = arith.mulf %a, %factor : f16
    linalg.yield %0 : f16
  }
  return
}

func.func @squares(%A: memref<4xcomplex<f32>>, %C: memref<4xcomplex<f32>>) {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%A : memref<4xcomplex<f32>>) outs(%C : memref<4xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %c: complex<f32>):
    %0 = complex.mul %a, %a : complex<f32>
    linalg.yield %0 : complex<f32>
  }
  return
}

func.func @shifted(%A: memref<4xi8>, %by: i8, %C: memref<4xi8>) {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%A : memref<4xi8>) outs(%C : memref<4xi8>) {
  ^bb0(%a: i8, %c: i8):
    %0 = arith.addi %a, %by : i8
    linalg.yield %0 : i8
  }
  return
}

func.func @fetched(%A: memref<4x6xf32, #tc.host>, %C: memref<4x6xf32>) {
  memref.copy %A, %C : memref<4x6xf32, #tc.host> to memref<4x6xf32>
  return
}
