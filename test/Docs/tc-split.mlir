// RUN: tc-opt %s --tc-split | FileCheck %s

// Each of 64 blocks has a part of the sum; a second kernel, of one block, combines what
// they have found.
func.func @dot(%x: memref<262144xf32>, %y: memref<262144xf32>, %z: memref<f32>) {
  tc.contract (q = 262144) ins(%x[q] : memref<262144xf32>, %y[q] : memref<262144xf32>)
      outs(%z[] : memref<f32>) overwrite
      {schedule = #tc.schedule<thread = [q = 128], step = [q = 512], vector = [q = 4], split = [q = 64], kernel = fma>}
  return
}

// CHECK-LABEL: @dot
// CHECK: %[[PARTS:.*]] = memref.alloc() {alignment = 16 : i64} : memref<64xf32>
// CHECK: tc.contract (q_p = 64, q = 4096) ins({{.*}}[q_p, q] : memref<64x4096xf32>, {{.*}}) outs(%[[PARTS]][q_p] : memref<64xf32>) overwrite
// CHECK-SAME: schedule = #tc.schedule<thread = [q = 128], step = [q = 512], vector = [q = 4], kernel = fma>
// CHECK: tc.contract (q_p = 64) ins(%[[PARTS]][q_p] : memref<64xf32>) outs(%arg2[] : memref<f32>) overwrite
// CHECK: memref.dealloc %[[PARTS]]
