// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-place-constants))" --remarks-filter="tc-place-constants" 2>&1 | FileCheck %s

// Each thread multiplies its element by what all threads read of @weights, and looks up another
// place of @curve.
gpu.module @kernels {
  // CHECK-DAG: remark: {{.*}}'weights', 16 bytes, is in constant memory
  // CHECK-DAG: remark: {{.*}}'curve' is in global memory: where threads read depends on the thread
  // CHECK: memref.global "private" constant @weights : memref<4xf32, 4> =
  memref.global "private" constant @weights : memref<4xf32> = dense<[0.1, 0.2, 0.3, 0.4]>
  // CHECK: memref.global "private" constant @curve : memref<32xf32> =
  memref.global "private" constant @curve : memref<32xf32> = dense<0.5>
  gpu.func @scale(%x: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    // CHECK: %[[W:.*]] = memref.get_global @weights : memref<4xf32, 4>
    // CHECK: memref.memory_space_cast %[[W]] : memref<4xf32, 4> to memref<4xf32>
    %weights = memref.get_global @weights : memref<4xf32>
    %curve = memref.get_global @curve : memref<32xf32>
    scf.for %k = %c0 to %n step %c1 {
      %w = memref.load %weights[%k] : memref<4xf32>
      %c = memref.load %curve[%t] : memref<32xf32>
      %e = memref.load %x[%t] : memref<?xf32>
      %p = arith.mulf %w, %e : f32
      %q = arith.mulf %c, %p : f32
      memref.store %q, %x[%t] : memref<?xf32>
    }
    gpu.return
  }
}
