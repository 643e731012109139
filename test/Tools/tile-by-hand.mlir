// What a compilation records of kernels it does not of the tiles that are in a nest by hand.
//
// RUN: tc-compile %s --emit=tc | FileCheck %s
// CHECK: tc.par block
// CHECK: tc.contract {{.*}} {schedule = #tc.schedule<kernel = mma

func.func @tile(%A: memref<4x4xf64>, %B: memref<4x4x2xf64>) {
  %acc = tc.new init(0.0 : f64) threads(2) : memref<8x4x2xf64>
  tc.par block (%w) = (0) to (1) {
    %own = memref.subview %acc[0, 0, 0] [4, 4, 2] [1, 1, 1] : memref<8x4x2xf64> to memref<4x4x2xf64, strided<[8, 2, 1]>>
    tc.contract (g = 4, t = 4, j = 2, k = 4)
        ins(%A[g, k] : memref<4x4xf64>, %B[k, t, j] : memref<4x4x2xf64>) outs(%own[g, t, j] : memref<4x4x2xf64, strided<[8, 2, 1]>>)
        {schedule = #tc.schedule<kernel = mma, unit = <"m8n8k4.f64", m = [g = 8], n = [t = 4], k = [k = 4]>>}
  }
  return
}
