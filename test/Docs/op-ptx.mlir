// RUN: tc-opt %s | tc-opt | FileCheck %s

// Each lane adds what the lane beside it holds.
func.func @neighbours(%A: memref<32xf32>) {
  tc.par grid () = () to () {
    tc.par full align(32) warp (%l) = (0) to (32) {
      %x = memref.load %A[%l] : memref<32xf32>
      // CHECK: tc.ptx "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;"(%{{.*}}) : (f32) -> f32
      %y = tc.ptx "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;" (%x) : (f32) -> f32
      %z = arith.addf %x, %y : f32
      memref.store %z, %A[%l] : memref<32xf32>
    }
  }
  return
}
