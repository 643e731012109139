// RUN: tc-opt %s --tc-order | FileCheck %s

// As it is written, each of 10 * 50 results takes 100 * 5 products of three. Two at a
// time, A and B first, this is 15,000 flops instead of 750,000.
func.func @f(%A: memref<10x100xf32>, %B: memref<100x5xf32>, %C: memref<5x50xf32>,
             %Z: memref<10x50xf32>) {
  tc.contract (i = 10, j = 50, q = 100, r = 5)
    ins(%A[i, q] : memref<10x100xf32>, %B[q, r] : memref<100x5xf32>, %C[r, j] : memref<5x50xf32>)
    outs(%Z[i, j] : memref<10x50xf32>)
  return
}

// CHECK-LABEL: @f
// CHECK: %[[T:.*]] = memref.alloc() : memref<10x5xf32>
// CHECK: tc.contract (i = 10, q = 100, r = 5) ins(%{{.*}}[i, q] : {{.*}}, %{{.*}}[q, r] : {{.*}}) outs(%[[T]][i, r] : {{.*}}) overwrite
// CHECK: tc.contract (i = 10, j = 50, r = 5) ins(%[[T]][i, r] : {{.*}}, %{{.*}}[r, j] : {{.*}}) outs(%{{.*}}[i, j] :
// CHECK: memref.dealloc %[[T]]
