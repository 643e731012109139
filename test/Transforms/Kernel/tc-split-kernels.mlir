// tc-split-kernels: what is copied, what stays whole, and the names of new modules.
//
// RUN: tc-opt %s --tc-split-kernels --split-input-file | FileCheck %s

// A constant goes where it is read. The module has the width of the indices.
//
// CHECK-LABEL: gpu.module @f_kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
// CHECK-NOT: memref.global
// CHECK: gpu.func @first(
// CHECK-LABEL: gpu.module @f_kernels_second attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
// CHECK-NEXT: memref.global "private" constant @table
// CHECK: gpu.func @second(
// CHECK-LABEL: gpu.module @f_kernels_third attributes
// CHECK-NEXT: gpu.func @third(
// CHECK: gpu.launch_func @f_kernels_third::@third
// CHECK: gpu.launch_func @f_kernels::@first
// CHECK: gpu.launch_func @f_kernels_second::@second
module attributes {gpu.container_module} {
  gpu.module @f_kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
    memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
    gpu.func @first() kernel {
      gpu.return
    }
    gpu.func @second() kernel {
      %table = memref.get_global @table : memref<2xf32>
      gpu.return
    }
    gpu.func @third() kernel {
      gpu.return
    }
  }
  func.func @f(%one: index) {
    gpu.launch_func @f_kernels::@third blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.launch_func @f_kernels::@first blocks in (%one, %one, %one) threads in (%one, %one, %one)
    gpu.launch_func @f_kernels::@second blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
}

// -----

// Kernels that share a variable, or a function, stay together.
//
// CHECK-LABEL: gpu.module @variable
// CHECK: gpu.func @first(
// CHECK-NEXT: gpu.return
// CHECK-NEXT: }
// CHECK-NEXT: gpu.func @second(
// CHECK-LABEL: gpu.module @function
// CHECK: gpu.func @helper(
// CHECK: gpu.func @first(
// CHECK: gpu.func @second(
module attributes {gpu.container_module} {
  gpu.module @variable {
    memref.global "private" @counter : memref<i32> = uninitialized
    gpu.func @first() kernel {
      gpu.return
    }
    gpu.func @second() kernel {
      gpu.return
    }
  }
  gpu.module @function {
    gpu.func @helper() {
      gpu.return
    }
    gpu.func @first() kernel {
      gpu.return
    }
    gpu.func @second() kernel {
      gpu.return
    }
  }
}

// -----

// The name that the new module would have is taken.
//
// CHECK-LABEL: gpu.module @f {
// CHECK: gpu.module @f_b_0 {
// CHECK-NEXT: gpu.func @b(
// CHECK: gpu.module @f_b {
// CHECK: gpu.launch_func @f_b_0::@b
module attributes {gpu.container_module} {
  gpu.module @f {
    gpu.func @a() kernel {
      gpu.return
    }
    gpu.func @b() kernel {
      gpu.return
    }
  }
  gpu.module @f_b {
    gpu.func @b() kernel {
      gpu.return
    }
  }
  func.func @g(%one: index) {
    gpu.launch_func @f::@b blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
}
