// RUN: tc-opt %s --tc-sync | FileCheck %s

// The tile is written by all threads and read by others, in every step: a barrier
// between, and one at the start, for the reads of the step before.
func.func @steps(%A: memref<1024xf32>, %B: memref<1024xf32>) {
  tc.par grid (%block) = (0) to (1) map #tc.map<> {
    tc.seq (%k) = (0) to (1024) step (32) {
      %from = tc.view %A(%k) <offset = ?, sizes = [32], strides = [1]> : memref<1024xf32> to memref<32xf32, strided<[1], offset: ?>>
      %tile = tc.stage %from pad(0.0 : f32) : memref<32xf32, strided<[1], offset: ?>> to memref<32xf32, #gpu.address_space<workgroup>>
      tc.par block (%t) = (0) to (32) map #tc.map<> {
        %other = affine.apply affine_map<(t) -> (31 - t)>(%t)
        %x = memref.load %tile[%other] : memref<32xf32, #gpu.address_space<workgroup>>
        %to = affine.apply affine_map<(k, t) -> (k + t)>(%k, %t)
        memref.store %x, %B[%to] : memref<1024xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: @steps
// CHECK: tc.seq
// CHECK: gpu.barrier
// CHECK-NEXT: tc.stage
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK-NOT: gpu.barrier
