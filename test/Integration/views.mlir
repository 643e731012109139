// Operands and results through chains of views: all of them are strides in the
// end. Each function against the reference.
//
// RUN: grep -o '^func.func @[a-z0-9_]*' %s | sed 's|func.func @\(.*\)|{"case": "\1", "input": "%s", "name": "\1"}|' > %t.jsonl
// RUN: tc-run --batch=%t.jsonl --device=emulator --verify > %t.reports
// RUN: FileCheck %s < %t.reports --implicit-check-not='"verified":false' --implicit-check-not='"error"'
// CHECK-COUNT-12: "verified":true
//
// RUN: tc-opt %s --convert-linalg-to-tc --canonicalize --tc-normalize | FileCheck %s --check-prefix=VIEW

// VIEW-LABEL: @permuted
// VIEW: tc.view %{{.*}} <offset = 0, sizes = [5, 3, 4], strides = [12, 4, 1]>
// VIEW: tc.contract (a = 4, b = 3, c = 7, q = 5) ins(%{{.*}}[q, b, a] : memref<5x3x4xf32>
func.func @permuted(%A: memref<5x3x4xf32>, %B: memref<5x7xf32>, %C: memref<4x3x7xf32>) {
  %t = memref.transpose %A (i, j, k) -> (k, j, i) : memref<5x3x4xf32> to memref<4x3x5xf32, strided<[1, 4, 12]>>
  linalg.contract indexing_maps = [affine_map<(i, j, n, k) -> (i, j, k)>, affine_map<(i, j, n, k) -> (k, n)>,
                                   affine_map<(i, j, n, k) -> (i, j, n)>]
      ins(%t, %B : memref<4x3x5xf32, strided<[1, 4, 12]>>, memref<5x7xf32>) outs(%C : memref<4x3x7xf32>)
  return
}

// Every second row of the inside, turned.
func.func @sliced(%A: memref<11x9xf32>, %B: memref<7x6xf32>, %C: memref<5x6xf32>) {
  %s = memref.subview %A[1, 2] [5, 7] [2, 1] : memref<11x9xf32> to memref<5x7xf32, strided<[18, 1], offset: 11>>
  linalg.matmul ins(%s, %B : memref<5x7xf32, strided<[18, 1], offset: 11>>, memref<7x6xf32>) outs(%C : memref<5x6xf32>)
  return
}

func.func @slice_of_slice(%A: memref<11x9xf32>, %B: memref<3x6xf32>, %C: memref<2x6xf32>) {
  %s = memref.subview %A[1, 2] [5, 7] [2, 1] : memref<11x9xf32> to memref<5x7xf32, strided<[18, 1], offset: 11>>
  %t = memref.subview %s[1, 1] [2, 3] [2, 2] : memref<5x7xf32, strided<[18, 1], offset: 11>> to memref<2x3xf32, strided<[36, 2], offset: 30>>
  linalg.matmul ins(%t, %B : memref<2x3xf32, strided<[36, 2], offset: 30>>, memref<3x6xf32>) outs(%C : memref<2x6xf32>)
  return
}

// A row for all rows: stride 0.
func.func @broadcast(%a: memref<7xf32>, %B: memref<7x6xf32>, %C: memref<5x6xf32>) {
  %s = memref.reinterpret_cast %a to offset: [0], sizes: [5, 7], strides: [0, 1] : memref<7xf32> to memref<5x7xf32, strided<[0, 1]>>
  linalg.matmul ins(%s, %B : memref<5x7xf32, strided<[0, 1]>>, memref<7x6xf32>) outs(%C : memref<5x6xf32>)
  return
}

func.func @diagonal(%A: memref<7x7xf32>, %B: memref<7x6xf32>, %C: memref<6xf32>) {
  %d = memref.reinterpret_cast %A to offset: [0], sizes: [7], strides: [8] : memref<7x7xf32> to memref<7xf32, strided<[8]>>
  linalg.vecmat ins(%d, %B : memref<7xf32, strided<[8]>>, memref<7x6xf32>) outs(%C : memref<6xf32>)
  return
}

// VIEW-LABEL: @reversed
// VIEW: ins(%{{.*}}[a, q] : memref<5x7xf32, strided<[-7, -1], offset: 34>>
func.func @reversed(%A: memref<5x7xf32>, %B: memref<7x6xf32>, %C: memref<5x6xf32>) {
  %r = memref.reinterpret_cast %A to offset: [34], sizes: [5, 7], strides: [-7, -1] : memref<5x7xf32> to memref<5x7xf32, strided<[-7, -1], offset: 34>>
  linalg.matmul ins(%r, %B : memref<5x7xf32, strided<[-7, -1], offset: 34>>, memref<7x6xf32>) outs(%C : memref<5x6xf32>)
  return
}

// Each window of three as a row: elements that overlap.
func.func @windows(%a: memref<11xf32>, %B: memref<3x6xf32>, %C: memref<9x6xf32>) {
  %w = memref.reinterpret_cast %a to offset: [0], sizes: [9, 3], strides: [1, 1] : memref<11xf32> to memref<9x3xf32, strided<[1, 1]>>
  linalg.matmul ins(%w, %B : memref<9x3xf32, strided<[1, 1]>>, memref<3x6xf32>) outs(%C : memref<9x6xf32>)
  return
}

func.func @reshaped(%A: memref<2x3x5xf32>, %B: memref<35xf32>, %C: memref<6x7xf32>) {
  %c = memref.collapse_shape %A [[0, 1], [2]] : memref<2x3x5xf32> into memref<6x5xf32>
  %e = memref.expand_shape %B [[0, 1]] output_shape [5, 7] : memref<35xf32> into memref<5x7xf32>
  linalg.matmul ins(%c, %e : memref<6x5xf32>, memref<5x7xf32>) outs(%C : memref<6x7xf32>)
  return
}

// Results may be strided too, and reversed.
func.func @strided_result(%A: memref<5x7xf32>, %B: memref<7x6xf32>, %C: memref<12x14xf32>) {
  %s = memref.subview %C[1, 2] [5, 6] [2, 2] : memref<12x14xf32> to memref<5x6xf32, strided<[28, 2], offset: 16>>
  linalg.matmul ins(%A, %B : memref<5x7xf32>, memref<7x6xf32>) outs(%s : memref<5x6xf32, strided<[28, 2], offset: 16>>)
  return
}

func.func @reversed_result(%A: memref<5x7xf32>, %B: memref<7x6xf32>, %C: memref<5x6xf32>) {
  %r = memref.reinterpret_cast %C to offset: [29], sizes: [5, 6], strides: [-6, -1] : memref<5x6xf32> to memref<5x6xf32, strided<[-6, -1], offset: 29>>
  linalg.matmul ins(%A, %B : memref<5x7xf32>, memref<7x6xf32>) outs(%r : memref<5x6xf32, strided<[-6, -1], offset: 29>>)
  return
}

func.func @tensor_slices(%A: tensor<11x9xf32>, %B: tensor<7x6xf32>, %C: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %s = tensor.extract_slice %A[1, 2] [5, 7] [2, 1] : tensor<11x9xf32> to tensor<5x7xf32>
  %r = linalg.matmul ins(%s, %B : tensor<5x7xf32>, tensor<7x6xf32>) outs(%C : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %r : tensor<5x6xf32>
}

func.func @tensor_reshapes(%A: tensor<2x3x5xf32>, %B: tensor<35xf32>, %C: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %c = tensor.collapse_shape %A [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %e = tensor.expand_shape %B [[0, 1]] output_shape [5, 7] : tensor<35xf32> into tensor<5x7xf32>
  %r = linalg.matmul ins(%c, %e : tensor<6x5xf32>, tensor<5x7xf32>) outs(%C : tensor<6x7xf32>) -> tensor<6x7xf32>
  return %r : tensor<6x7xf32>
}
