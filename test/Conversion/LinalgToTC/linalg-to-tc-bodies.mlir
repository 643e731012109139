// Bodies of linalg.generic: orders of the factors, other semirings, names.
//
// RUN: tc-opt %s --convert-linalg-to-tc | FileCheck %s --implicit-check-not="linalg."

#aq = affine_map<(a, q) -> (a, q)>
#a = affine_map<(a, q) -> (a)>
#trait = {indexing_maps = [#aq, #aq, #a], iterator_types = ["parallel", "reduction"]}

// CHECK-LABEL: @order
// CHECK: ins(%arg0[a, q] : memref<3x5xf32>, %arg1[a, q] : memref<3x5xf32>) outs(%arg2[a] : memref<3xf32>){{$}}
func.func @order(%x: memref<3x5xf32>, %y: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x, %y : memref<3x5xf32>, memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %p = arith.mulf %v, %u : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }
  return
}

// Multiplied from the left, which rounds the same as y * (x * y).
// CHECK-LABEL: @nested
// CHECK: ins(%arg0[a, q] : memref<3x5xf32>, %arg1[a, q] : memref<3x5xf32>, %arg1[a, q] : memref<3x5xf32>) outs(%arg2[a] : memref<3xf32>){{$}}
func.func @nested(%x: memref<3x5xf32>, %y: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x, %y : memref<3x5xf32>, memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %p = arith.mulf %u, %v : f32
    %t = arith.mulf %v, %p : f32
    %s = arith.addf %acc, %t : f32
    linalg.yield %s : f32
  }
  return
}

// (x * x) * (y * y) is not a product from the left: a map region.
// CHECK-LABEL: @balanced
// CHECK: ins(%arg0[a, q] : memref<3x5xf32>, %arg1[a, q] : memref<3x5xf32>) outs(%arg2[a] : memref<3xf32>) map
// CHECK-COUNT-3: arith.mulf
// CHECK-NEXT: tc.yield
func.func @balanced(%x: memref<3x5xf32>, %y: memref<3x5xf32>, %z: memref<3xf32>) {
  linalg.generic #trait ins(%x, %y : memref<3x5xf32>, memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %p = arith.mulf %u, %u : f32
    %t = arith.mulf %v, %v : f32
    %w = arith.mulf %p, %t : f32
    %s = arith.addf %acc, %w : f32
    linalg.yield %s : f32
  }
  return
}

// An input that is not read goes away; a constant from outside comes in.
// CHECK-LABEL: @scaled
// CHECK: ins(%arg1[a, q] : memref<3x5xf32>) outs(%arg2[a] : memref<3xf32>) map (%[[V:.*]]: f32) {
// CHECK-NEXT: %[[C:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[V]], %[[C]] : f32
// CHECK-NEXT: tc.yield %[[P]]
func.func @scaled(%x: memref<3x5xf32>, %y: memref<3x5xf32>, %z: memref<3xf32>) {
  %half = arith.constant 0.5 : f32
  linalg.generic #trait ins(%x, %y : memref<3x5xf32>, memref<3x5xf32>) outs(%z : memref<3xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %p = arith.mulf %v, %half : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @min_max
// CHECK: neutral(2147483647 : i32) map
// CHECK: arith.maxsi
// CHECK: combine
// CHECK: arith.minsi
func.func @min_max(%x: memref<3x5xi32>, %y: memref<3x5xi32>, %z: memref<3xi32>) {
  linalg.generic #trait ins(%x, %y : memref<3x5xi32>, memref<3x5xi32>) outs(%z : memref<3xi32>) {
  ^bb0(%u: i32, %v: i32, %acc: i32):
    %p = arith.maxsi %u, %v : i32
    %s = arith.minsi %p, %acc : i32
    linalg.yield %s : i32
  }
  return
}

// Of i1 this is what a contraction does by itself.
// CHECK-LABEL: @or_and
// CHECK: outs(%arg2[a, b] : memref<3x7xi1>){{$}}
func.func @or_and(%A: memref<3x5xi1>, %B: memref<5x7xi1>, %C: memref<3x7xi1>) {
  linalg.matmul ins(%A, %B : memref<3x5xi1>, memref<5x7xi1>) outs(%C : memref<3x7xi1>)
  return
}

// In i1, arith.addi is xor.
// CHECK-LABEL: @parity
// CHECK: neutral(false) combine associative commutative
// CHECK-NEXT: arith.addi
func.func @parity(%x: memref<3x5xi1>, %z: memref<3xi1>) {
  linalg.reduce { arith.addi } ins(%x : memref<3x5xi1>) outs(%z : memref<3xi1>) dimensions = [1]
  return
}

// More iterators than letters: a to p, then with a number.
// CHECK-LABEL: @many
// CHECK: tc.contract (a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1, j = 1, k = 1, l = 1, m = 1, n = 1, o = 1, p = 1, a_1 = 2, b_1 = 3)
func.func @many(%x: memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>,
                %z: memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>) {
  linalg.copy ins(%x : memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>)
              outs(%z : memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>)
  return
}

// What is computed of the old value alone: the map yields an input that nobody reads.
// CHECK-LABEL: func @square
// CHECK: tc.contract (a = 8) ins(%{{.*}}[a] : memref<8xf32>) outs(%{{.*}}[a] : memref<8xf32>) neutral(0.000000e+00 : f32) combine (%[[OLD:.*]]: f32, %{{.*}}: f32) {
// CHECK-NEXT: arith.mulf %[[OLD]], %[[OLD]] : f32
func.func @square(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %b, %b : f32
    linalg.yield %r : f32
  }
  return
}
