// RUN: tc-opt %s --tc-approximate-functions | FileCheck %s

func.func @f(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.exp %x : f32
  %b = math.exp %y : f64
  return %a, %b : f32, f64
}

// A polynomial of half of the number, squared.
// CHECK-LABEL: @f
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f64
// CHECK: arith.mulf %[[X]], %{{.*}} : f32
// CHECK-NOT: math.exp %{{.*}} : f32
// CHECK: math.fma
// CHECK: arith.shli
// CHECK: %[[ROOT:.*]] = arith.mulf
// CHECK: %[[A:.*]] = arith.mulf %[[ROOT]], %[[ROOT]] : f32
// CHECK: %[[B:.*]] = math.exp %[[Y]] : f64
// CHECK: return %[[A]], %[[B]]
