// RUN: tc-opt %s --tc-annotate-kernels | FileCheck %s

gpu.module @kernels {
  gpu.func @kernel() kernel {
    gpu.return
  }
  gpu.func @bounded() kernel attributes {nvvm.minctasm = 2 : i32} {
    gpu.return
  }
}

// CHECK: gpu.func @kernel() kernel attributes {nvvm.minctasm = 1 : i32}
// CHECK: gpu.func @bounded() kernel attributes {nvvm.minctasm = 2 : i32}
