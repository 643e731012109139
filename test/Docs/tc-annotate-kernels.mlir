// RUN: tc-opt %s --tc-annotate-kernels | FileCheck %s

gpu.module @kernels attributes {tc.resident = {held = 6 : i32}} {
  gpu.func @kernel() kernel {
    gpu.return
  }
  gpu.func @held() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    gpu.return
  }
  gpu.func @bounded() kernel attributes {nvvm.minctasm = 2 : i32} {
    gpu.return
  }
}

// CHECK: gpu.module @kernels {
// CHECK: gpu.func @kernel() kernel attributes {nvvm.maxntid = array<i32: 1024>, nvvm.minctasm = 1 : i32}
// CHECK: gpu.func @held() kernel attributes {known_block_size = array<i32: 256, 1, 1>, nvvm.minctasm = 6 : i32, tc.resident = 6 : i32}
// CHECK: gpu.func @bounded() kernel attributes {nvvm.maxntid = array<i32: 1024>, nvvm.minctasm = 2 : i32}
