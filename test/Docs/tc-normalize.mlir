// RUN: tc-opt %s --tc-normalize | FileCheck %s

// j and k lie side by side in both memrefs that have them and become one iterator;
// u has extent 1 and goes; the diagonal [i, i] becomes a view with one stride.
func.func @f(%A: memref<8x8x1xf32>, %B: memref<4x6xf32>, %C: memref<8x4x6xf32>) {
  tc.contract (i = 8, j = 4, k = 6, u = 1)
    ins(%A[i, i, u] : memref<8x8x1xf32>, %B[j, k] : memref<4x6xf32>)
    outs(%C[i, j, k] : memref<8x4x6xf32>)
  return
}

// CHECK-LABEL: @f
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [8], strides = [9]>
// CHECK: tc.contract (i = 8, jk = 24) ins(%{{.*}}[i] : {{.*}}, %{{.*}}[jk] :
