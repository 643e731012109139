// RUN: tc-opt %s --convert-nvvm-to-binary | FileCheck %s

// CHECK: gpu.binary @kernels
// CHECK-SAME: .visible .entry twice(
// CHECK-SAME: add.{{(rn.)?}}f32
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.func @twice(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.fadd %x, %x : f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
