// RUN: tc-opt %s --tc-normalize --tc-schedule --tc-variants --canonicalize | FileCheck %s

// A dot product of run-time length over a row of a 64-row matrix. Its only contracted iterator is the
// one that tiles may stick out of; whether 32 bits hold every position depends on the strides,
// and so does whether vectors of 4 are aligned.
func.func @rows(%A: memref<64x?xf32, strided<[?, 1]>>, %x: memref<?xf32>, %y: memref<64xf32>, %n: index) {
  tc.contract (i = 64, q = %n) ins(%A[i, q] : memref<64x?xf32, strided<[?, 1]>>, %x[q] : memref<?xf32>)
      outs(%y[i] : memref<64xf32>) overwrite
  return
}

// CHECK-LABEL: @rows
// CHECK: scf.if
// CHECK: affine.apply {{.*}}%strides
// CHECK: tc.contract {{.*}}vector = [{{.*}}q = 4]{{.*}}tc.variant = #tc.variant<name = "interior_vectors_i32", index = 32, alignment = 16>
// CHECK: scf.if
// CHECK: tc.contract {{.*}}vector = [{{.*}}q = 4]{{.*}}tc.variant = #tc.variant<name = "both_vectors_i32", index = 32, alignment = 16>
// CHECK: scf.if
// CHECK: %[[WHOLE:.*]] = affine.apply {{.*}}%arg3
// CHECK: tc.contract (i = 64, q = %[[WHOLE]]) {{.*}}tc.variant = #tc.variant<name = "interior_i32", index = 32>
// CHECK: scf.if
// CHECK: tc.contract (i = 64, q = %arg3) {{.*}}tc.variant = #tc.variant<name = "both_i32", index = 32>
// CHECK: scf.if
// CHECK: tc.contract (i = 64, q = %{{.*}}) {{.*}}tc.variant = #tc.variant<name = "interior_i64", index = 64>
// CHECK: } else {
// CHECK: tc.contract (i = 64, q = %arg3) {{.*}}tc.variant = #tc.variant<name = "both_i64", index = 64>
