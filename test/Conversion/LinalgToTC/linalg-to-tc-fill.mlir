// A fill before a contraction becomes `overwrite` when nothing can tell; another one is a
// contraction without inputs.
//
// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s --implicit-check-not=linalg.fill

// CHECK-LABEL: @tensor
// CHECK: %[[E:.*]] = tensor.empty()
// CHECK-NOT: {{linalg.fill|ins\(\)}}
// CHECK: outs(%[[E]][a, b] : tensor<3x7xf32>) overwrite
func.func @tensor(%A: tensor<3x5xf32>, %B: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %r = linalg.matmul ins(%A, %B : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}

// CHECK-LABEL: @tensor_read_elsewhere
// CHECK: ins() outs(
// CHECK: outs(%{{.*}}) overwrite
func.func @tensor_read_elsewhere(%A: tensor<3x5xf32>, %B: tensor<5x7xf32>, %e: tensor<3x7xf32>)
    -> (tensor<3x7xf32>, tensor<3x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %r = linalg.matmul ins(%A, %B : tensor<3x5xf32>, tensor<5x7xf32>) outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %r, %f : tensor<3x7xf32>, tensor<3x7xf32>
}

// Ops that cannot touch the buffer may stand between.
// CHECK-LABEL: @memref
// CHECK-NOT: {{linalg.fill|ins\(\)}}
// CHECK: tc.contract {{.*}} outs(%arg2[a, b] : memref<3x7xf32>) overwrite
func.func @memref(%A: memref<3x5xf32>, %B: memref<5x7xf32>, %C: memref<3x7xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<3x7xf32>)
  %i = arith.constant 2 : index
  %other = memref.alloc() : memref<4xf32>
  memref.store %zero, %other[%i] : memref<4xf32>
  linalg.matmul ins(%A, %B : memref<3x5xf32>, memref<5x7xf32>) outs(%C : memref<3x7xf32>)
  memref.dealloc %other : memref<4xf32>
  return
}

// What is not neutral is added in the end.
// CHECK-LABEL: @not_neutral
// CHECK-NOT: {{linalg.fill|ins\(\)}}
// CHECK: outs(%arg2[a, b] : memref<3x7xf32>) overwrite epilogue (%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ONE]], %[[ACC]]
// CHECK-NEXT: tc.yield %[[S]]
func.func @not_neutral(%A: memref<3x5xf32>, %B: memref<5x7xf32>, %C: memref<3x7xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%C : memref<3x7xf32>)
  linalg.matmul ins(%A, %B : memref<3x5xf32>, memref<5x7xf32>) outs(%C : memref<3x7xf32>)
  return
}

// CHECK-LABEL: @read_between
// CHECK: ins() outs(
// CHECK: outs(%arg2[a, b] : memref<3x7xf32>){{$}}
func.func @read_between(%A: memref<3x5xf32>, %B: memref<5x7xf32>, %C: memref<3x7xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 2 : index
  linalg.fill ins(%zero : f32) outs(%C : memref<3x7xf32>)
  %x = memref.load %C[%i, %i] : memref<3x7xf32>
  linalg.matmul ins(%A, %B : memref<3x5xf32>, memref<5x7xf32>) outs(%C : memref<3x7xf32>)
  return %x : f32
}

// CHECK-LABEL: @unknown_between
// CHECK: ins() outs(
// CHECK: outs(%arg2[a, b] : memref<3x7xf32>){{$}}
func.func private @unknown()
func.func @unknown_between(%A: memref<3x5xf32>, %B: memref<5x7xf32>, %C: memref<3x7xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<3x7xf32>)
  call @unknown() : () -> ()
  linalg.matmul ins(%A, %B : memref<3x5xf32>, memref<5x7xf32>) outs(%C : memref<3x7xf32>)
  return
}

// The inputs may hold what was filled in.
// CHECK-LABEL: @input_of_same_buffer
// CHECK: ins() outs(
// CHECK: outs(%{{.*}}[a, b] : memref<3x7xf32, strided<[14, 1]>>){{$}}
func.func @input_of_same_buffer(%A: memref<3x5xf32>, %buffer: memref<5x14xf32>) {
  %zero = arith.constant 0.0 : f32
  %B = memref.subview %buffer[0, 7] [5, 7] [1, 1] : memref<5x14xf32> to memref<5x7xf32, strided<[14, 1], offset: 7>>
  %C = memref.subview %buffer[0, 0] [3, 7] [1, 1] : memref<5x14xf32> to memref<3x7xf32, strided<[14, 1]>>
  linalg.fill ins(%zero : f32) outs(%C : memref<3x7xf32, strided<[14, 1]>>)
  linalg.matmul ins(%A, %B : memref<3x5xf32>, memref<5x7xf32, strided<[14, 1], offset: 7>>)
                outs(%C : memref<3x7xf32, strided<[14, 1]>>)
  return
}

// Only the diagonal gets sums: the zeros beside it are still needed.
// CHECK-LABEL: @partial
// CHECK: ins() outs(
// CHECK: outs(%arg1[a, a] : memref<3x3xf32>){{$}}
func.func @partial(%x: memref<3x5xf32>, %z: memref<3x3xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<3x3xf32>)
  linalg.generic {indexing_maps = [affine_map<(a, q) -> (a, q)>, affine_map<(a, q) -> (a, a)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x5xf32>) outs(%z : memref<3x3xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.addf %acc, %u : f32
    linalg.yield %s : f32
  }
  return
}

// A maximum may start from any value, any number of times.
// CHECK-LABEL: @maximum
// CHECK-NOT: {{linalg.fill|ins\(\)}}
// CHECK: overwrite neutral(-1.000000e+00 : f32)
func.func @maximum(%x: memref<3x5xf32>, %z: memref<3xf32>) {
  %low = arith.constant -1.0 : f32
  linalg.fill ins(%low : f32) outs(%z : memref<3xf32>)
  linalg.reduce { arith.maximumf } ins(%x : memref<3x5xf32>) outs(%z : memref<3xf32>) dimensions = [1]
  return
}

// A complex number.
// CHECK-LABEL: @complex(
// CHECK-NOT: {{linalg.fill|ins\(\)}}
// CHECK: tc.contract {{.*}} overwrite
func.func @complex(%x: memref<4xcomplex<f32>>, %z: memref<complex<f32>>) {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  linalg.fill ins(%zero : complex<f32>) outs(%z : memref<complex<f32>>)
  linalg.generic {indexing_maps = [affine_map<(q) -> (q)>, affine_map<(q) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<4xcomplex<f32>>) outs(%z : memref<complex<f32>>) {
  ^bb0(%a: complex<f32>, %c: complex<f32>):
    %s = complex.add %c, %a : complex<f32>
    linalg.yield %s : complex<f32>
  }
  return
}

// CHECK-LABEL: @alone
// CHECK: tc.contract (a = 3, b = 7) ins() outs(%arg0[a, b] : memref<3x7xf32>) overwrite map () {
// CHECK-NEXT: %[[V:.*]] = arith.constant 2.0
// CHECK-NEXT: tc.yield %[[V]]
func.func @alone(%C: memref<3x7xf32>) {
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%two : f32) outs(%C : memref<3x7xf32>)
  return
}

// What is dynamic is filled in before, and added to.
// CHECK-LABEL: @run_time_value
// CHECK: ins() outs(%arg2[a, b] : memref<3x7xf32>) overwrite map () {
// CHECK-NEXT: tc.yield %arg3
// CHECK: outs(%arg2[a, b] : memref<3x7xf32>){{$}}
func.func @run_time_value(%A: memref<3x5xf32>, %B: memref<5x7xf32>, %C: memref<3x7xf32>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%C : memref<3x7xf32>)
  linalg.matmul ins(%A, %B : memref<3x5xf32>, memref<5x7xf32>) outs(%C : memref<3x7xf32>)
  return
}
