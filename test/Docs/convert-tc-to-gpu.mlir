// RUN: tc-opt %s --convert-tc-to-gpu --canonicalize | FileCheck %s

// Each of 4 blocks of 32 threads doubles its part of A.
func.func @double(%A: memref<128xf32>) {
  tc.par grid (%block) = (0) to (128) step (32) map #tc.map<compress_grid(1)> {
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %i = affine.apply affine_map<(b, t) -> (b + t)>(%block, %t)
      %x = memref.load %A[%i] : memref<128xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%i] : memref<128xf32>
    }
  }
  return
}

// CHECK-LABEL: @double
// CHECK: gpu.launch blocks
// CHECK-NOT: tc.par
// CHECK: memref.load
// CHECK: memref.store
// CHECK: gpu.terminator
