// RUN: tc-opt %s --tc-lower-microkernel | FileCheck %s

// The pass brings what it needs: sums of halves gather in private memory, though
// nothing in the program is of the gpu dialect.
// CHECK-LABEL: @halves
// CHECK: memref.alloca() : memref<8xf32, #gpu.address_space<private>>
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @halves(%A: memref<8x4xf16>, %Z: memref<8xf16>) {
  tc.par block (%i) = (0) to (1) step (1) {
    tc.contract (a = 8, q = 4) ins(%A[a, q] : memref<8x4xf16>) outs(%Z[a] : memref<8xf16>) overwrite
  }
  return
}
