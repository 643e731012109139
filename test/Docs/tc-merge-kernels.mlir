// RUN: tc-opt %s --tc-merge-kernels | FileCheck %s

// Two kernels that differed in the width of their indices; both are lowered.
module attributes {gpu.container_module} {
  gpu.module @f_kernels {
    llvm.func @f_both_i64(%n: i64) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  gpu.module @f_kernels_i32 attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
    llvm.func @f_both_i32(%n: i32) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @f(%one: index, %n: i64, %m: i32) {
    gpu.launch_func @f_kernels_i32::@f_both_i32 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : i32)
    gpu.launch_func @f_kernels::@f_both_i64 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%n : i64)
    return
  }
}

// CHECK: gpu.module @f_kernels {
// CHECK: llvm.func @f_both_i64(
// CHECK: llvm.func @f_both_i32(
// CHECK: gpu.launch_func @f_kernels::@f_both_i32
// CHECK: gpu.launch_func @f_kernels::@f_both_i64
