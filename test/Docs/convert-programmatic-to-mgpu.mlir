// RUN: tc-opt %s --convert-programmatic-to-mgpu | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @scale() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }

  llvm.func @f() {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64
    gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64
      {tc.programmatic}
    llvm.return
  }
}

// CHECK-LABEL: llvm.func @f
// CHECK: gpu.launch_func
// CHECK-NEXT: llvm.call @tcMgpuOverlap() : () -> ()
// CHECK-NEXT: gpu.launch_func
// CHECK-NOT: tc.programmatic
