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

  // A comparison leaves one thread, with the constant on either side: the first, or the
  // last in the range of the register.
  // CHECK-LABEL: llvm.func @thread(
  // CHECK-COUNT-3: llvm.intr.ptr.annotation
  // CHECK-NOT: llvm.intr.ptr.annotation
  // CHECK: llvm.return
  llvm.func @thread(%x: f32) attributes {nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i64) : i64
    %many = llvm.mlir.constant(62 : i64) : i64
    %last = llvm.mlir.constant(63 : i64) : i64
    %numbers = llvm.mlir.addressof @numbers : !llvm.ptr<3>
    %register = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
    %t = llvm.sext %register : i32 to i64
    %at = llvm.getelementptr %numbers[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %is_last = llvm.icmp "sge" %t, %last : i64
    llvm.cond_br %is_last, ^last, ^others
  ^last:
    llvm.store %x, %at : f32, !llvm.ptr<3>
    llvm.br ^others
  ^others:
    %y = nvvm.read.ptx.sreg.tid.y range <i32, 0, 64> : i32
    %u = llvm.sext %y : i32 to i64
    %beside = llvm.getelementptr %numbers[%u] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %is_first = llvm.icmp "sgt" %one, %u : i64
    llvm.cond_br %is_first, ^first, ^third
  ^first:
    llvm.store %x, %beside : f32, !llvm.ptr<3>
    llvm.br ^third
  ^third:
    %z = nvvm.read.ptx.sreg.tid.z range <i32, 0, 64> : i32
    %v = llvm.sext %z : i32 to i64
    %third = llvm.getelementptr %numbers[%v] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %is_many = llvm.icmp "slt" %v, %many : i64
    llvm.cond_br %is_many, ^many, ^single
  ^many:
    llvm.store %x, %third : f32, !llvm.ptr<3>
    llvm.br ^single
  ^single:
    // The only thread of its kind.
    %w = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 1> : i32
    %only = llvm.getelementptr %numbers[%w] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %only : f32, !llvm.ptr<3>
    llvm.return
  }

  // A loop that LLVM may unroll counts to a place; one that starts at a thread does not.
  // CHECK-LABEL: llvm.func @counted(
  // CHECK-COUNT-1: llvm.intr.ptr.annotation
  // CHECK-NOT: llvm.intr.ptr.annotation
  // CHECK: llvm.return
  llvm.func @counted(%x: f32, %n: i32) attributes {nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %numbers = llvm.mlir.addressof @numbers : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
    llvm.br ^loop(%zero, %t : i32, i32)
  ^loop(%i: i32, %j: i32):
    %at = llvm.getelementptr %numbers[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %at : f32, !llvm.ptr<3>
    %beside = llvm.getelementptr %numbers[%j] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %beside : f32, !llvm.ptr<3>
    %i_next = llvm.add %i, %one : i32
    %j_next = llvm.add %j, %one : i32
    %more = llvm.icmp "slt" %i_next, %n : i32
    llvm.cond_br %more, ^loop(%i_next, %j_next : i32, i32), ^end
  ^end:
    llvm.return
  }

  // A buffer of one element, through its descriptor.
  // CHECK-LABEL: llvm.func @described(
  // CHECK: llvm.intr.ptr.annotation
  // CHECK: llvm.return
  llvm.func @described(%x: f32, %i: i32) attributes {nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %number = llvm.mlir.addressof @number : !llvm.ptr<3>
    %empty = llvm.mlir.poison : !llvm.struct<(ptr<3>, ptr<3>, i64)>
    %first = llvm.insertvalue %number, %empty[1] : !llvm.struct<(ptr<3>, ptr<3>, i64)>
    %descriptor = llvm.insertvalue %zero, %first[2] : !llvm.struct<(ptr<3>, ptr<3>, i64)>
    %buffer = llvm.extractvalue %descriptor[1] : !llvm.struct<(ptr<3>, ptr<3>, i64)>
    %at = llvm.getelementptr %buffer[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %at : f32, !llvm.ptr<3>
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
