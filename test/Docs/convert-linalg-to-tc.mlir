// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s

// A named op and a generic one with a diagonal of its input. The fill goes away:
// the contraction starts from the neutral element.
func.func @named(%A: memref<8x4xf32>, %B: memref<4x12xf32>, %C: memref<8x12xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<8x12xf32>)
  linalg.matmul ins(%A, %B : memref<8x4xf32>, memref<4x12xf32>)
                outs(%C : memref<8x12xf32>)
  return
}

func.func @diagonal(%A: memref<8x8x4xf32>, %C: memref<8xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i, i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<8x8x4xf32>) outs(%C : memref<8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sum = arith.addf %c, %a : f32
    linalg.yield %sum : f32
  }
  return
}

// Products of f32 that tensor cores may compute.
func.func @permitted(%A: memref<8x4xf32>, %B: memref<4x12xf32>, %C: memref<8x12xf32>) {
  linalg.matmul {tc.precision = #tc<precision tf32x3>}
                ins(%A, %B : memref<8x4xf32>, memref<4x12xf32>) outs(%C : memref<8x12xf32>)
  return
}

// CHECK-LABEL: @named
// CHECK-NOT: linalg
// CHECK: tc.contract
// CHECK-SAME: overwrite
// CHECK-LABEL: @diagonal
// CHECK-NOT: linalg
// CHECK: tc.contract
// CHECK-SAME: ins(%{{.*}}[a, a, q] :
// CHECK-LABEL: @permitted
// CHECK: tc.contract
// CHECK-SAME: precision(tf32x3)
