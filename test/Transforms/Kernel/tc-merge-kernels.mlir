// tc-merge-kernels: what both modules declare in the same words is declared once; what others see
// and differs keeps the modules apart.
//
// RUN: tc-opt %s --tc-merge-kernels --split-input-file | FileCheck %s

// CHECK-LABEL: gpu.module @f_kernels
// CHECK: llvm.mlir.global external @dynamic()
// CHECK: llvm.func @wide(
// CHECK: llvm.mlir.addressof @dynamic
// CHECK-NOT: llvm.mlir.global
// CHECK: llvm.func @narrow(
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  gpu.module @f_kernels {
    llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @wide(%n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
      llvm.return
    }
  }
  gpu.module @f_kernels_i32 {
    llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @narrow(%n: i32) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @f(%one: index, %n: i64, %m: i32) {
    gpu.launch_func @f_kernels_i32::@narrow blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : i32)
    gpu.launch_func @f_kernels::@wide blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%n : i64)
    return
  }
}

// -----

// Each kernel keeps its own table, by another name.
//
// CHECK-LABEL: gpu.module @g_kernels
// CHECK: llvm.mlir.global internal @table(1 : i32)
// CHECK: llvm.mlir.addressof @table :
// CHECK: llvm.mlir.global internal @[[TABLE:.*]](2 : i32)
// CHECK: llvm.mlir.addressof @[[TABLE]] :
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  gpu.module @g_kernels {
    llvm.mlir.global internal @table(1 : i32) : i32
    llvm.func @wide(%n: i64) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @table : !llvm.ptr
      llvm.return
    }
  }
  gpu.module @g_kernels_i32 {
    llvm.mlir.global internal @table(2 : i32) : i32
    llvm.func @narrow(%n: i32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.addressof @table : !llvm.ptr
      llvm.return
    }
  }
  func.func @g(%one: index, %n: i64, %m: i32) {
    gpu.launch_func @g_kernels_i32::@narrow blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : i32)
    gpu.launch_func @g_kernels::@wide blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%n : i64)
    return
  }
}

// -----

// Both call a function of libdevice, which is declared once.
//
// CHECK-LABEL: gpu.module @h_kernels
// CHECK: llvm.func @__nv_expf(f32) -> f32
// CHECK: llvm.func @wide(
// CHECK-NOT: llvm.func @__nv_expf
// CHECK: llvm.func @narrow(
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  gpu.module @h_kernels {
    llvm.func @__nv_expf(f32) -> f32
    llvm.func @wide(%x: f32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.call @__nv_expf(%x) : (f32) -> f32
      llvm.return
    }
  }
  gpu.module @h_kernels_i32 {
    llvm.func @__nv_expf(f32) -> f32
    llvm.func @narrow(%x: f32) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.call @__nv_expf(%x) : (f32) -> f32
      llvm.return
    }
  }
  func.func @h(%one: index, %x: f32) {
    gpu.launch_func @h_kernels_i32::@narrow blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : f32)
    gpu.launch_func @h_kernels::@wide blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : f32)
    return
  }
}

// -----

// A merged module takes the later of two versions of PTX. A module for another chip stays apart.
//
// CHECK-LABEL: gpu.module @one [#nvvm.target<chip = "sm_90a", features = "+ptx81">] {
// CHECK: llvm.func @first(
// CHECK: llvm.func @second(
// CHECK-NOT: llvm.func
// CHECK: gpu.module @other [#nvvm.target<chip = "sm_80", features = "+ptx81">] {
module attributes {gpu.container_module} {
  gpu.module @one [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
    llvm.func @first() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  gpu.module @two [#nvvm.target<chip = "sm_90a", features = "+ptx81">] {
    llvm.func @second() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  gpu.module @other [#nvvm.target<chip = "sm_80", features = "+ptx81">] {
    llvm.func @third() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @k(%one: index) {
    gpu.launch_func @one::@first blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.launch_func @two::@second blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.launch_func @other::@third blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
}

// -----

// A function of both, which others may call, keeps them apart.
//
// CHECK: gpu.module @first_of_two {
// CHECK: gpu.module @second_of_two {
module attributes {gpu.container_module} {
  gpu.module @first_of_two {
    llvm.func @helper() {
      llvm.return
    }
    llvm.func @first() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  gpu.module @second_of_two {
    llvm.func @helper() {
      llvm.return
    }
    llvm.func @second() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @k(%one: index) {
    gpu.launch_func @first_of_two::@first blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.launch_func @second_of_two::@second blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
}
