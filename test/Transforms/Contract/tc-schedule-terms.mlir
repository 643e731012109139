// The terms of a sum whose lanes are along the same iterators are next to each other. What is
// done to the whole sum stays where it was: the first term overwrites, and the last one, whose
// kind goes to the end, has the epilogue.
//
// RUN: tc-opt %s --tc-schedule=chip=sm_80 | FileCheck %s
// RUN: tc-opt %s --tc-schedule=chip=sm_90a | FileCheck %s

// CHECK-LABEL: @order
// CHECK: tc.sum
// CHECK-NEXT: ins(%{{.*}}[j, q] {{.*}} overwrite {{.*}} m = {{.}}[[J:.*]]>>
// CHECK-NEXT: ins(%{{.*}}[i, r] {{.*}} m = {{.}}[[I:.*]]>>
// CHECK-NOT: overwrite
// CHECK-NEXT: ins(%{{.*}}[l, k] {{.*}} m = {{.}}[[L:.*]], k = {{.*}}>>
// CHECK-NEXT: ins(%{{.*}}[l, s] {{.*}} m = {{.}}[[L]], k = {{.*}} epilogue
func.func @order(%A: memref<64x64xf64>, %B: memref<64x64x64xf64>, %D: memref<64x64xf64>, %E: memref<64x64x64xf64>,
                 %F: memref<64x64xf64>, %G: memref<64x64x64xf64>, %H: memref<64x64xf64>, %K: memref<64x64x64xf64>,
                 %S: memref<64xf64>, %C: memref<64x64x64xf64>) {
  tc.sum {
    tc.contract (i = 64, j = 64, l = 64, k = 64)
        ins(%A[l, k] : memref<64x64xf64>, %B[k, i, j] : memref<64x64x64xf64>) outs(%C[i, j, l] : memref<64x64x64xf64>) overwrite
    tc.contract (i = 64, j = 64, l = 64, q = 64)
        ins(%D[j, q] : memref<64x64xf64>, %E[q, i, l] : memref<64x64x64xf64>) outs(%C[i, j, l] : memref<64x64x64xf64>)
    tc.contract (i = 64, j = 64, l = 64, r = 64)
        ins(%F[i, r] : memref<64x64xf64>, %G[r, j, l] : memref<64x64x64xf64>) outs(%C[i, j, l] : memref<64x64x64xf64>)
    tc.contract (i = 64, j = 64, l = 64, s = 64)
        ins(%H[l, s] : memref<64x64xf64>, %K[s, i, j] : memref<64x64x64xf64>) sides(%S[l] : memref<64xf64>)
        outs(%C[i, j, l] : memref<64x64x64xf64>)
      epilogue (%v: f64, %w: f64) {
        %x = arith.mulf %v, %w : f64
        tc.yield %x : f64
      }
  }
  return
}
