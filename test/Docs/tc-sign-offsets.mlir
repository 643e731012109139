// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-sign-offsets))' | FileCheck %s

// Element -i of a reversed array: as an unsigned number this offset wraps.
gpu.module @kernels {
  llvm.func @reversed(%base: !llvm.ptr, %i: i32) -> f32 {
    %minus = llvm.mlir.constant(-1 : i32) : i32
    %offset = llvm.mul %i, %minus overflow<nsw, nuw> : i32
    %address = llvm.getelementptr inbounds|nuw %base[%offset] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %x = llvm.load %address : !llvm.ptr -> f32
    llvm.return %x : f32
  }
}

// CHECK: llvm.mul %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK: llvm.getelementptr inbounds %{{.*}}[%{{.*}}] : (!llvm.ptr, i32) -> !llvm.ptr, f32
