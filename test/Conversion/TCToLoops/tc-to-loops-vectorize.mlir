// RUN: tc-opt %s --convert-tc-to-loops=vectorize=true | FileCheck %s
// RUN: tc-opt %s --convert-tc-to-loops | FileCheck %s --check-prefix=PLAIN

// The innermost loop stays whole and may add up in any order; others are no vectors.
// CHECK-DAG: #[[WHOLE:.*]] = #llvm.loop_annotation<unroll = #[[NO_UNROLL:[a-z_0-9]*]]>
// CHECK-DAG: #[[SCALAR:.*]] = #llvm.loop_annotation<vectorize = #[[NO_VECTORS:[a-z_0-9]*]]>
// CHECK-DAG: #[[NO_UNROLL]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[NO_VECTORS]] = #llvm.loop_vectorize<disable = true>
// CHECK-LABEL: @row_sums
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK: } {loop_annotation = #[[WHOLE]]}
// CHECK: } {loop_annotation = #[[SCALAR]]}
// CHECK-LABEL: @transpose
// CHECK: } {loop_annotation = #[[WHOLE]]}
// CHECK: } {loop_annotation = #[[SCALAR]]}
// CHECK-LABEL: @in_order
// CHECK-NOT: fastmath
// PLAIN-NOT: loop_annotation
// PLAIN-NOT: fastmath
func.func @row_sums(%A: memref<30x50xf32>, %C: memref<30xf32>) {
  tc.contract (i = 30, j = 50)
    ins(%A[i, j] : memref<30x50xf32>) outs(%C[i] : memref<30xf32>) overwrite
  return
}
func.func @transpose(%A: memref<30x50xf32>, %C: memref<50x30xf32>) {
  tc.contract (i = 30, j = 50)
    ins(%A[i, j] : memref<30x50xf32>) outs(%C[j, i] : memref<50x30xf32>) overwrite
  return
}
func.func @in_order(%A: memref<50xf32>, %C: memref<f32>) {
  tc.contract (j = 50)
    ins(%A[j] : memref<50xf32>) outs(%C[] : memref<f32>) neutral(0.0 : f32)
    combine (%acc: f32, %v: f32) {
      %s = arith.addf %acc, %v : f32
      tc.yield %s : f32
    }
  return
}
