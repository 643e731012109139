// tc-to-nvvm: programs of one kernel, of several, of none.
//
// RUN: tc-opt %s --split-input-file --tc-to-nvvm | FileCheck %s

// Bare pointers, one for each memref; bounds of the launch; workgroup memory aligned for
// wide accesses; barriers; no more than fused multiply-adds inside.
// CHECK: llvm.func @matmul(
// CHECK: gpu.launch_func @matmul_kernels::@matmul
// CHECK: gpu.binary @matmul_kernels [#gpu.object<#nvvm.target<chip = "sm_90a"
// CHECK-SAME: .target sm_90a
// CHECK-SAME: .entry matmul(
// CHECK-SAME: .param .u64 .ptr .align 1 matmul_param_0
// CHECK-SAME: .param .u64 .ptr .align 1 matmul_param_2
// CHECK-NOT: matmul_param_3
// CHECK-SAME: .maxntid {{[1-9][0-9]*}}
// CHECK-SAME: .minnctapersm 1
// CHECK-SAME: .shared .align 16
// CHECK-SAME: bar.sync
// CHECK-SAME: fma.rn.f32
func.func @matmul(%A: memref<512x512xf32>, %B: memref<512x512xf32>, %C: memref<512x512xf32>) {
  linalg.matmul ins(%A, %B : memref<512x512xf32>, memref<512x512xf32>) outs(%C : memref<512x512xf32>)
  return
}

// -----

// Tensors: the result is a parameter that the caller provides.
// CHECK: llvm.func @tensors(
// CHECK-NOT: mgpuMemAlloc
// CHECK: gpu.launch_func @tensors_kernels::@tensors
// CHECK: gpu.binary @tensors_kernels
func.func @tensors(%A: tensor<64x64xf32>, %B: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%A, %B : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Host control flow round a kernel, a call, and a function without a body.
// CHECK: llvm.func @other(
// CHECK: llvm.func @step(
// CHECK: llvm.call @other(
// CHECK: llvm.cond_br
// CHECK: gpu.launch_func <%{{.*}} : !llvm.ptr> @step_kernels::@step
// CHECK: gpu.binary @step_kernels
func.func private @other(memref<64xf32>)
func.func @step(%A: memref<64xf32>, %C: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @other(%A) : (memref<64xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    tc.contract (i = 64) ins(%A[i] : memref<64xf32>) outs(%C[i] : memref<64xf32>)
  }
  return
}

// -----

// A nest written by hand takes the same road.
// CHECK: gpu.binary @nest_kernels
// CHECK-SAME: .entry nest(
func.func @nest(%A: memref<128xf32>) {
  tc.par grid (%block) = (0) to (128) step (32) {
    tc.par block (%t) = (0) to (32) {
      %i = affine.apply affine_map<(b, t) -> (b + t)>(%block, %t)
      %x = memref.load %A[%i] : memref<128xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%i] : memref<128xf32>
    }
  }
  return
}

// -----

// Nothing to compute, nothing to launch: a result without elements.
// CHECK: llvm.func @no_results(
// CHECK-NOT: gpu.
// CHECK: llvm.return
func.func @no_results(%A: memref<0x5xf32>, %B: memref<5x7xf32>, %C: memref<0x7xf32>) {
  linalg.matmul ins(%A, %B : memref<0x5xf32>, memref<5x7xf32>) outs(%C : memref<0x7xf32>)
  return
}

// -----

// CHECK: module {
// CHECK-NEXT: }
module {
}
