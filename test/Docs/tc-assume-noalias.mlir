// RUN: tc-opt %s --tc-assume-noalias | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @axpy(%x: memref<64xf32>, %y: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %a = memref.load %x[%i] : memref<64xf32>
      %b = memref.load %y[%i] : memref<64xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %y[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @shift(%x: memref<64xf32>, %y: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %a = memref.load %x[%i] : memref<64xf32>
      memref.store %a, %y[%i] : memref<64xf32>
      gpu.barrier
      %next = arith.addi %i, %c1 : index
      %b = memref.load %y[%next] : memref<64xf32>
      memref.store %b, %y[%i] : memref<64xf32>
      gpu.return
    }
  }

  func.func @f(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@axpy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%x : memref<64xf32>, %y : memref<64xf32>)
    gpu.launch_func @kernels::@shift blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%x : memref<64xf32>, %y : memref<64xf32>)
    return
  }
}

// CHECK: gpu.func @axpy(%{{.*}}: memref<64xf32> {llvm.noalias}, %{{.*}}: memref<64xf32> {llvm.noalias})
// CHECK: gpu.func @shift(%{{[a-z0-9]+}}: memref<64xf32>, %{{[a-z0-9]+}}: memref<64xf32>)
