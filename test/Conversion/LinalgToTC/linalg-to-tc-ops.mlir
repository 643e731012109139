// Each named op as one contraction, with the iterators of its indexing maps.
//
// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s --implicit-check-not="linalg."

// CHECK-LABEL: @contract
// CHECK: tc.contract (a = 2, b = 3, c = 4, q = 5) ins(%{{.*}}[b, q, a] : memref<3x5x2xf32>, %{{.*}}[c, q] : memref<4x5xf32>) outs(%{{.*}}[a, b, c] : memref<2x3x4xf32>){{$}}
func.func @contract(%A: memref<3x5x2xf32>, %B: memref<4x5xf32>, %C: memref<2x3x4xf32>) {
  linalg.contract indexing_maps = [affine_map<(i, j, k, l) -> (j, l, i)>,
                                   affine_map<(i, j, k, l) -> (k, l)>,
                                   affine_map<(i, j, k, l) -> (i, j, k)>]
      ins(%A, %B : memref<3x5x2xf32>, memref<4x5xf32>) outs(%C : memref<2x3x4xf32>)
  return
}

// CHECK-LABEL: @matmul
// CHECK: tc.contract (a = 3, b = 7, q = 5) ins(%{{.*}}[a, q] : tensor<3x5xf64>, %{{.*}}[q, b] : tensor<5x7xf64>) outs(%{{.*}}[a, b] : tensor<3x7xf64>) -> tensor<3x7xf64>
func.func @matmul(%A: tensor<3x5xf64>, %B: tensor<5x7xf64>, %C: tensor<3x7xf64>) -> tensor<3x7xf64> {
  %0 = linalg.matmul ins(%A, %B : tensor<3x5xf64>, tensor<5x7xf64>)
                     outs(%C : tensor<3x7xf64>) -> tensor<3x7xf64>
  return %0 : tensor<3x7xf64>
}

// CHECK-LABEL: @matmul_transposed
// CHECK: ins(%{{.*}}[q, a] : memref<5x3xf32>, %{{.*}}[b, q] : memref<7x5xf32>)
func.func @matmul_transposed(%A: memref<5x3xf32>, %B: memref<7x5xf32>, %C: memref<3x7xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%A, %B : memref<5x3xf32>, memref<7x5xf32>) outs(%C : memref<3x7xf32>)
  return
}

// CHECK-LABEL: @matmul_broadcast
// CHECK: ins(%{{.*}}[q] : memref<5xf32>, %{{.*}}[q, b] : memref<5x7xf32>)
func.func @matmul_broadcast(%A: memref<5xf32>, %B: memref<5x7xf32>, %C: memref<3x7xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%A, %B : memref<5xf32>, memref<5x7xf32>) outs(%C : memref<3x7xf32>)
  return
}

// CHECK-LABEL: @batch_matmul
// CHECK: tc.contract (a = 2, b = 3, c = 7, q = 5) ins(%{{.*}}[a, b, q] : memref<2x3x5xi32>, %{{.*}}[a, q, c] : memref<2x5x7xi32>) outs(%{{.*}}[a, b, c] : memref<2x3x7xi32>)
func.func @batch_matmul(%A: memref<2x3x5xi32>, %B: memref<2x5x7xi32>, %C: memref<2x3x7xi32>) {
  linalg.batch_matmul ins(%A, %B : memref<2x3x5xi32>, memref<2x5x7xi32>)
                      outs(%C : memref<2x3x7xi32>)
  return
}

// CHECK-LABEL: @matvec
// CHECK: tc.contract (a = 3, q = 5) ins(%{{.*}}[a, q] : memref<3x5xf32>, %{{.*}}[q] : memref<5xf32>) outs(%{{.*}}[a] : memref<3xf32>)
func.func @matvec(%A: memref<3x5xf32>, %x: memref<5xf32>, %y: memref<3xf32>) {
  linalg.matvec ins(%A, %x : memref<3x5xf32>, memref<5xf32>) outs(%y : memref<3xf32>)
  return
}

// CHECK-LABEL: @vecmat
// CHECK: ins(%{{.*}}[q] : memref<3xf32>, %{{.*}}[q, a] : memref<3x5xf32>) outs(%{{.*}}[a] : memref<5xf32>)
func.func @vecmat(%x: memref<3xf32>, %A: memref<3x5xf32>, %y: memref<5xf32>) {
  linalg.vecmat ins(%x, %A : memref<3xf32>, memref<3x5xf32>) outs(%y : memref<5xf32>)
  return
}

// CHECK-LABEL: @batch_matvec
// CHECK: ins(%{{.*}}[a, b, q] : memref<2x3x5xf32>, %{{.*}}[a, q] : memref<2x5xf32>) outs(%{{.*}}[a, b] : memref<2x3xf32>)
func.func @batch_matvec(%A: memref<2x3x5xf32>, %x: memref<2x5xf32>, %y: memref<2x3xf32>) {
  linalg.batch_matvec ins(%A, %x : memref<2x3x5xf32>, memref<2x5xf32>) outs(%y : memref<2x3xf32>)
  return
}

// CHECK-LABEL: @batch_vecmat
// CHECK: ins(%{{.*}}[a, q] : memref<2x3xf32>, %{{.*}}[a, q, b] : memref<2x3x5xf32>) outs(%{{.*}}[a, b] : memref<2x5xf32>)
func.func @batch_vecmat(%x: memref<2x3xf32>, %A: memref<2x3x5xf32>, %y: memref<2x5xf32>) {
  linalg.batch_vecmat ins(%x, %A : memref<2x3xf32>, memref<2x3x5xf32>) outs(%y : memref<2x5xf32>)
  return
}

// CHECK-LABEL: @batch_reduce_matmul
// CHECK: tc.contract (q = 2, a = 3, b = 7, r = 5) ins(%{{.*}}[q, a, r] : memref<2x3x5xf32>, %{{.*}}[q, r, b] : memref<2x5x7xf32>)
func.func @batch_reduce_matmul(%A: memref<2x3x5xf32>, %B: memref<2x5x7xf32>, %C: memref<3x7xf32>) {
  linalg.batch_reduce_matmul ins(%A, %B : memref<2x3x5xf32>, memref<2x5x7xf32>)
                             outs(%C : memref<3x7xf32>)
  return
}

// CHECK-LABEL: @dot
// CHECK: tc.contract (q = 5) ins(%{{.*}}[q] : memref<5xf32>, %{{.*}}[q] : memref<5xf32>) outs(%{{.*}}[] : memref<f32>)
func.func @dot(%x: memref<5xf32>, %y: memref<5xf32>, %z: memref<f32>) {
  linalg.dot ins(%x, %y : memref<5xf32>, memref<5xf32>) outs(%z : memref<f32>)
  return
}

// CHECK-LABEL: @convolution
// CHECK: tc.contract (a = 1, b = 4, c = 3, q = 3, r = 2) ins(%{{.*}}[a, b * 2 + q, r] : memref<1x9x2xf32>, %{{.*}}[q, r, c] : memref<3x2x3xf32>) outs(%{{.*}}[a, b, c] : memref<1x4x3xf32>)
func.func @convolution(%x: memref<1x9x2xf32>, %f: memref<3x2x3xf32>, %z: memref<1x4x3xf32>) {
  linalg.conv_1d_nwc_wcf {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>}
      ins(%x, %f : memref<1x9x2xf32>, memref<3x2x3xf32>) outs(%z : memref<1x4x3xf32>)
  return
}

// The second operand only gives the shape of the window.
// CHECK-LABEL: @pooling
// CHECK: tc.contract (a = 1, b = 7, c = 2, q = 3) ins(%{{[a-z0-9]*}}[a, b + q, c] : memref<1x9x2xf32>) outs(%{{.*}}[a, b, c] : memref<1x7x2xf32>) neutral(0xFF800000 : f32) combine
// CHECK-NEXT: arith.maximumf
func.func @pooling(%x: memref<1x9x2xf32>, %w: memref<3xf32>, %z: memref<1x7x2xf32>) {
  linalg.pooling_nwc_max {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%x, %w : memref<1x9x2xf32>, memref<3xf32>) outs(%z : memref<1x7x2xf32>)
  return
}

// CHECK-LABEL: @copies
// CHECK: tc.contract (a = 3, b = 5) ins(%{{.*}}[a, b] : memref<3x5xf32>) outs(%{{.*}}[a, b] : memref<3x5xf32>) overwrite{{$}}
// CHECK: tc.contract (a = 5, b = 3) ins(%{{.*}}[b, a] : memref<3x5xf32>) outs(%{{.*}}[a, b] : memref<5x3xf32>) overwrite{{$}}
// CHECK: tc.contract (a = 2, b = 3, c = 5) ins(%{{.*}}[b, c] : memref<3x5xf32>) outs(%{{.*}}[a, b, c] : memref<2x3x5xf32>) overwrite{{$}}
func.func @copies(%x: memref<3x5xf32>, %c: memref<3x5xf32>, %t: memref<5x3xf32>, %b: memref<2x3x5xf32>) {
  linalg.copy ins(%x : memref<3x5xf32>) outs(%c : memref<3x5xf32>)
  linalg.transpose ins(%x : memref<3x5xf32>) outs(%t : memref<5x3xf32>) permutation = [1, 0]
  linalg.broadcast ins(%x : memref<3x5xf32>) outs(%b : memref<2x3x5xf32>) dimensions = [0]
  return
}

// CHECK-LABEL: @reduce
// CHECK: tc.contract (a = 3, q = 5) ins(%{{[a-z0-9]*}}[a, q] : memref<3x5xf32>) outs(%{{.*}}[a] : memref<3xf32>){{$}}
// CHECK: tc.contract (a = 3, q = 5) ins(%{{[a-z0-9]*}}[a, q] : memref<3x5xf32>) outs(%{{.*}}[a] : memref<3xf32>) neutral(1.000000e+00 : f32) combine
// CHECK-NEXT: arith.mulf
func.func @reduce(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) dimensions = [1]
  linalg.reduce { arith.mulf } ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) dimensions = [1]
  return
}

// CHECK-LABEL: @products
// CHECK: tc.contract (a = 3) ins(%{{.*}}[a] : memref<3xf32>, %{{.*}}[a] : memref<3xf32>) outs(%{{.*}}[a] : memref<3xf32>) overwrite{{$}}
// CHECK: tc.contract (a = 3) ins(%[[X:[a-z0-9]*]][a] : memref<3xf32>, %[[X]][a] : memref<3xf32>) outs(%{{.*}}[a] : memref<3xf32>) overwrite{{$}}
func.func @products(%x: memref<3xf32>, %y: memref<3xf32>, %z: memref<3xf32>) {
  linalg.mul ins(%x, %y : memref<3xf32>, memref<3xf32>) outs(%z : memref<3xf32>)
  linalg.square ins(%x : memref<3xf32>) outs(%z : memref<3xf32>)
  return
}

// The conversions of named ops are those of a contraction by itself. Sums of
// halves and bytes are kept in f32 and i32.
// CHECK-LABEL: @conversions
// CHECK: tc.contract (a = 3, b = 7, q = 5) ins(%arg0[a, q] : memref<3x5xf16>, %arg1[q, b] : memref<5x7xf16>) outs(%arg2[a, b] : memref<3x7xf32>){{$}}
// CHECK: tc.contract (a = 3, b = 7, q = 5) ins(%arg0[a, q] : memref<3x5xf16>, %arg1[q, b] : memref<5x7xf16>) outs(%arg3[a, b] : memref<3x7xf16>){{$}}
// CHECK: tc.contract (a = 3, b = 7, q = 5) ins(%arg4[a, q] : memref<3x5xi8>, %arg1[q, b] : memref<5x7xf16>) outs(%arg2[a, b] : memref<3x7xf32>){{$}}
func.func @conversions(%A: memref<3x5xf16>, %B: memref<5x7xf16>, %C: memref<3x7xf32>, %D: memref<3x7xf16>, %I: memref<3x5xi8>) {
  linalg.matmul ins(%A, %B : memref<3x5xf16>, memref<5x7xf16>) outs(%C : memref<3x7xf32>)
  linalg.matmul ins(%A, %B : memref<3x5xf16>, memref<5x7xf16>) outs(%D : memref<3x7xf16>)
  linalg.matmul ins(%I, %B : memref<3x5xi8>, memref<5x7xf16>) outs(%C : memref<3x7xf32>)
  return
}

// CHECK-LABEL: @bytes
// CHECK: tc.contract (a = 3, b = 7, q = 5) ins(%arg0[a, q] : memref<3x5xi8>, %arg1[q, b] : memref<5x7xi8>) outs(%arg2[a, b] : memref<3x7xi32>){{$}}
// CHECK: tc.contract (a = 3, b = 7, q = 5) ins(%arg0[a, q] : memref<3x5xi8>, %arg1[q, b] : memref<5x7xi8>) outs(%arg3[a, b] : memref<3x7xi8>){{$}}
func.func @bytes(%A: memref<3x5xi8>, %B: memref<5x7xi8>, %C: memref<3x7xi32>, %D: memref<3x7xi8>) {
  linalg.matmul ins(%A, %B : memref<3x5xi8>, memref<5x7xi8>) outs(%C : memref<3x7xi32>)
  linalg.matmul ins(%A, %B : memref<3x5xi8>, memref<5x7xi8>) outs(%D : memref<3x7xi8>)
  return
}

// Unsigned bytes are not what a contraction takes bytes for.
// CHECK-LABEL: @unsigned
// CHECK: map (%[[U:.*]]: i8, %[[V:.*]]: i8) {
// CHECK-NEXT: %[[X:.*]] = arith.extui %[[U]]
// CHECK-NEXT: %[[Y:.*]] = arith.extui %[[V]]
// CHECK-NEXT: %[[P:.*]] = arith.muli %[[X]], %[[Y]] : i32
// CHECK-NEXT: tc.yield %[[P]]
// CHECK-NEXT: }{{$}}
func.func @unsigned(%A: memref<3x5xi8>, %B: memref<5x7xi8>, %C: memref<3x7xi32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%A, %B : memref<3x5xi8>, memref<5x7xi8>) outs(%C : memref<3x7xi32>)
  return
}

// Zero points are part of the map.
// CHECK-LABEL: @quantized
// CHECK: map (%[[U:.*]]: i8, %[[V:.*]]: i8) {
// CHECK-NEXT: %[[X:.*]] = arith.extsi %[[U]]
// CHECK-NEXT: %[[ZA:.*]] = arith.constant 3
// CHECK-NEXT: %[[DX:.*]] = arith.subi %[[X]], %[[ZA]]
// CHECK-NEXT: %[[Y:.*]] = arith.extsi %[[V]]
// CHECK-NEXT: %[[DY:.*]] = arith.subi %[[Y]], %arg3
// CHECK-NEXT: %[[P:.*]] = arith.muli %[[DX]], %[[DY]]
// CHECK-NEXT: tc.yield %[[P]]
// CHECK-NEXT: }{{$}}
func.func @quantized(%A: memref<3x5xi8>, %B: memref<5x7xi8>, %C: memref<3x7xi32>, %zb: i32) {
  %za = arith.constant 3 : i32
  linalg.quantized_matmul ins(%A, %B, %za, %zb : memref<3x5xi8>, memref<5x7xi8>, i32, i32) outs(%C : memref<3x7xi32>)
  return
}

// CHECK-LABEL: @complex
// CHECK: tc.contract (a = 3, q = 5) ins(%arg0[a, q] : memref<3x5xcomplex<f32>>, %arg1[q] : memref<5xcomplex<f32>>) outs(%arg2[a] : memref<3xcomplex<f32>>){{$}}
func.func @complex(%A: memref<3x5xcomplex<f32>>, %x: memref<5xcomplex<f32>>, %y: memref<3xcomplex<f32>>) {
  linalg.matvec ins(%A, %x : memref<3x5xcomplex<f32>>, memref<5xcomplex<f32>>) outs(%y : memref<3xcomplex<f32>>)
  return
}

// Extents of result iterators are those of the result.
// CHECK-LABEL: @dynamic
// CHECK-DAG: %[[M:.*]] = memref.dim %arg2, %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %arg2, %c1
// CHECK-DAG: %[[K:.*]] = memref.dim %arg0, %c1
// CHECK: tc.contract (a = %[[M]], b = %[[N]], q = %[[K]]) ins(%arg0[a, q]
func.func @dynamic(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  return
}

// CHECK-LABEL: @softmax
// CHECK-COUNT-4: tc.contract
func.func @softmax(%x: tensor<3x5xf32>, %z: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<3x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// An extent is static where any operand says so.
// CHECK-LABEL: @extents
// CHECK-NOT: memref.dim
// CHECK: tc.contract (a = 1, q = 9)
func.func @extents(%x: memref<?x9xf32>, %z: memref<?xf32>, %w: memref<1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x9xf32>) outs(%z, %w : memref<?xf32>, memref<1xf32>) {
  ^bb0(%u: f32, %s: f32, %t: f32):
    %0 = arith.addf %s, %u : f32
    %1 = arith.maximumf %t, %u : f32
    linalg.yield %0, %1 : f32, f32
  }
  return
}
