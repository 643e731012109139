// RUN: tc-opt %s --tc-split-kernels | FileCheck %s

// Two kernels of one function; both read a table.
module attributes {gpu.container_module} {
  gpu.module @f_kernels {
    memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
    gpu.func @aligned(%x: memref<f32>) kernel {
      %table = memref.get_global @table : memref<2xf32>
      gpu.return
    }
    gpu.func @unaligned(%x: memref<f32>) kernel {
      %table = memref.get_global @table : memref<2xf32>
      gpu.return
    }
  }
  func.func @f(%one: index, %x: memref<f32>) {
    gpu.launch_func @f_kernels::@aligned blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<f32>)
    gpu.launch_func @f_kernels::@unaligned blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<f32>)
    return
  }
}

// CHECK: gpu.module @f_kernels {
// CHECK: memref.global "private" constant @table
// CHECK: gpu.func @aligned(
// CHECK: gpu.module @f_kernels_unaligned {
// CHECK: memref.global "private" constant @table
// CHECK: gpu.func @unaligned(
// CHECK: gpu.launch_func @f_kernels::@aligned
// CHECK: gpu.launch_func @f_kernels_unaligned::@unaligned
