// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-keep-loads))' | FileCheck %s

// One thread adds to a number in shared memory.
gpu.module @kernels {
  llvm.mlir.global internal @total() {addr_space = 3 : i32} : !llvm.array<4 x f32>

  // CHECK: llvm.func @add(
  // CHECK-SAME: passthrough = ["sanitize_thread"]
  llvm.func @add(%thread: i64, %x: f32) attributes {nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i64) : i64
    %total = llvm.mlir.addressof @total : !llvm.ptr<3>
    %first = llvm.icmp "ult" %thread, %one : i64
    llvm.cond_br %first, ^add, ^end
  ^add:
    // CHECK: %[[PLACE:.*]] = llvm.getelementptr
    // CHECK: llvm.load %[[PLACE]]
    // CHECK: %[[HIDDEN:.*]] = "llvm.intr.ptr.annotation"(%[[PLACE]],
    // CHECK: llvm.store %{{.*}}, %[[HIDDEN]]
    %place = llvm.getelementptr %total[%thread] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %old = llvm.load %place : !llvm.ptr<3> -> f32
    %new = llvm.fadd %old, %x : f32
    llvm.store %new, %place : f32, !llvm.ptr<3>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
