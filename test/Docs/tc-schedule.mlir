// RUN: tc-opt %s --tc-schedule="chip=sm_90a" | FileCheck %s

// What the compiler chooses for one contraction; the schedule of the other was
// written by hand, is checked, and stays.
func.func @f(%A: memref<100x48xf32>, %B: memref<48x80xf32>, %C: memref<100x80xf32>) {
  tc.contract (i = 100, j = 80, k = 48)
    ins(%A[i, k] : memref<100x48xf32>, %B[k, j] : memref<48x80xf32>)
    outs(%C[i, j] : memref<100x80xf32>)
  tc.contract (i = 100, j = 80, k = 48)
    ins(%A[i, k] : memref<100x48xf32>, %B[k, j] : memref<48x80xf32>)
    outs(%C[i, j] : memref<100x80xf32>)
    {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 4], step = [k = 8], kernel = fma>}
  return
}

// CHECK-LABEL: @f
// CHECK: tc.contract {{.*}}schedule = #tc.schedule<{{.*}}kernel = fma>
// CHECK: tc.contract {{.*}}schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 4, j = 4], step = [k = 8], stage = [{{.*}}], kernel = fma>
