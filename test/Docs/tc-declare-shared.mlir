// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-declare-shared))' | FileCheck %s

// CHECK: llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.mlir.global internal @known() {addr_space = 3 : i32} : !llvm.array<4 x f32>
gpu.module @kernels {
  llvm.mlir.global internal @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @known() {addr_space = 3 : i32} : !llvm.array<4 x f32>
}
