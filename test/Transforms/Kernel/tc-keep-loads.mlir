// tc-keep-loads: which stores are hidden from LLVM, and attributes that are there already.
//
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-keep-loads))' | FileCheck %s

gpu.module @kernels {
  llvm.mlir.global internal @number() {addr_space = 3 : i32} : !llvm.array<1 x f32>
  llvm.mlir.global internal @numbers() {addr_space = 3 : i32} : !llvm.array<64 x f32>

  // A buffer of one element; a constant offset; an offset that a comparison decides, or
  // that is computed from such.
  // CHECK-LABEL: llvm.func @known(
  // CHECK-SAME: passthrough = ["noimplicitfloat", "sanitize_thread"]
  // CHECK-COUNT-4: llvm.intr.ptr.annotation
  // CHECK: llvm.return
  llvm.func @known(%i: i64, %j: i32, %x: f32) attributes {nvvm.kernel, passthrough = ["noimplicitfloat"]} {
    %seven = llvm.mlir.constant(7 : i32) : i32
    %number = llvm.mlir.addressof @number : !llvm.ptr<3>
    %numbers = llvm.mlir.addressof @numbers : !llvm.ptr<3>
    %single = llvm.getelementptr %number[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    llvm.store %x, %single : f32, !llvm.ptr<3>
    %constant = llvm.getelementptr %numbers[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    llvm.store %x, %constant : f32, !llvm.ptr<3>
    %decided = llvm.icmp "eq" %j, %seven : i32
    llvm.cond_br %decided, ^seven, ^end
  ^seven:
    %at = llvm.getelementptr %numbers[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %at : f32, !llvm.ptr<3>
    %next = llvm.add %j, %seven : i32
    %after = llvm.getelementptr %numbers[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %after : f32, !llvm.ptr<3>
    llvm.br ^end
  ^end:
    llvm.return
  }

  // A place of each thread; memory that is not shared.
  // CHECK-LABEL: llvm.func @unknown(
  // CHECK-NOT: llvm.intr.ptr.annotation
  // CHECK: llvm.return
  llvm.func @unknown(%i: i64, %x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %most = llvm.mlir.constant(40 : i64) : i64
    %numbers = llvm.mlir.addressof @numbers : !llvm.ptr<3>
    %inside = llvm.icmp "ult" %i, %most : i64
    llvm.cond_br %inside, ^inside, ^end
  ^inside:
    %at = llvm.getelementptr %numbers[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    llvm.store %x, %at : f32, !llvm.ptr<3>
    llvm.store %x, %out : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
