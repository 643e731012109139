// tc-annotate-kernels: registers for one block, and memory aligned as it is accessed.
//
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-annotate-kernels))' | FileCheck %s
// RUN: tc-opt %s --pass-pipeline='builtin.module(gpu.module(tc-annotate-kernels,tc-annotate-kernels))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @plain(
  // CHECK-SAME: nvvm.minctasm = 1 : i32
  gpu.func @plain() kernel {
    gpu.return
  }

  // CHECK-LABEL: gpu.func @shared(
  // CHECK-SAME: workgroup(%{{[a-z0-9]+}} : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{[a-z0-9]+}} : memref<3xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
  // CHECK-SAME: nvvm.minctasm = 1 : i32
  gpu.func @shared() workgroup(%a : memref<8xf32, #gpu.address_space<workgroup>>,
                               %b : memref<3xi8, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }

  // What is said already stays.
  // CHECK-LABEL: gpu.func @by_hand(
  // CHECK-SAME: {llvm.align = 128 : i64}
  // CHECK-SAME: nvvm.minctasm = 4 : i32
  gpu.func @by_hand() workgroup(%a : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
      kernel attributes {nvvm.minctasm = 4 : i32} {
    gpu.return
  }

  // LLVM is to make no vectors of what PTX has no vector products of.
  // CHECK-LABEL: gpu.func @narrow(
  // CHECK-SAME: passthrough = ["noimplicitfloat"]
  gpu.func @narrow() kernel {
    %a = memref.alloca() : memref<4xi16, #gpu.address_space<private>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @not_narrow(
  // CHECK-NOT: passthrough
  // CHECK: gpu.return
  gpu.func @not_narrow() kernel {
    %a = memref.alloca() : memref<4xi32, #gpu.address_space<private>>
    %b = memref.alloca() : memref<4xf16, #gpu.address_space<private>>
    %c = memref.alloca() : memref<4xi1, #gpu.address_space<private>>
    gpu.return
  }

  // A function of the device is no kernel.
  // CHECK-LABEL: gpu.func @device(
  // CHECK-NOT: minctasm
  // CHECK: gpu.return
  gpu.func @device() {
    gpu.return
  }
}
