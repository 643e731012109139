// RUN: tc-opt %s --tc-async | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%x: memref<64xf32>, %y: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %a = memref.load %x[%i] : memref<64xf32>
      %s = arith.addf %a, %a : f32
      memref.store %s, %y[%i] : memref<64xf32>
      gpu.return
    }
  }

  // The second launch reads what the first one reads, so it waits for nothing. The copy waits
  // for both: for the first because of what it wrote, for the second because of what it read.
  func.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%x : memref<64xf32>, %y : memref<64xf32>)
    gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%x : memref<64xf32>, %z : memref<64xf32>)
    gpu.memcpy %x, %y : memref<64xf32>, memref<64xf32>
    return
  }
}

// CHECK-LABEL: func.func @f
// CHECK: %[[Y:.*]] = gpu.launch_func async @kernels
// CHECK: %[[Z:.*]] = gpu.launch_func async @kernels
// CHECK: %[[X:.*]] = gpu.memcpy async [%[[Y]], %[[Z]]]
// CHECK: gpu.wait [%[[X]]]
