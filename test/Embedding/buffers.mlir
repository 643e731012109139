// tc-buffers-to-nvvm: programs that are on memrefs already. Signatures stay, buffers that a function gives
// to its caller, too.
//
// RUN: tc-opt %s --split-input-file --tc-buffers-to-nvvm=chip=sm_90a --verify-diagnostics | FileCheck %s

// CHECK: llvm.func @product(
// CHECK: gpu.binary @product_kernels
// CHECK-SAME: .target sm_90a
func.func @product(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  linalg.matmul ins(%A, %B : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  return
}

// -----

// A result stays one: on the device, and the caller's to free.
// CHECK: llvm.func @gives(%{{[^)]*}}) -> !llvm.struct<
// CHECK: llvm.call @mgpuMemAlloc
// CHECK-NOT: mgpuMemFree
// CHECK: gpu.binary @gives_kernels
func.func @gives(%A: memref<32x32xf32>) -> memref<32xf32> {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<32xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<32xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<32x32xf32>) outs(%sum : memref<32xf32>) dimensions = [1]
  return %sum : memref<32xf32>
}

// -----

// A buffer of the stack is on the device, too: kernels use it.
// CHECK: llvm.func @scratch(
// CHECK: llvm.call @mgpuMemAlloc
// CHECK: gpu.launch_func
// CHECK: llvm.call @mgpuMemFree
// CHECK: gpu.binary @scratch_kernels
func.func @scratch(%x: memref<32xf32>, %z: memref<32xf32>) {
  %t = memref.alloca() : memref<32xf32>
  linalg.exp ins(%x : memref<32xf32>) outs(%t : memref<32xf32>)
  linalg.exp ins(%t : memref<32xf32>) outs(%z : memref<32xf32>)
  return
}

// -----

func.func @tensors(%A: tensor<8x8xf32>, %C: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expected memrefs by now, got 'tc.contract' on tensors; bufferize first}}
  %r = linalg.matmul ins(%A, %A : tensor<8x8xf32>, tensor<8x8xf32>) outs(%C : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// Only on tensors does upstream take a softmax apart.
func.func @softmax(%A: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @below {{expected every operation to be part of a kernel by now, got 'linalg.softmax'}}
  linalg.softmax dimension(1) ins(%A : memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  return
}

// -----

// Results that overlap cannot be computed by threads that do not know of each other.
func.func @overlap(%A: memref<8x8xf32>, %C: memref<8x8xf32, strided<[0, 1]>>) {
  // expected-error @below {{expected each result element to be reached once, got a result of overlapping strides}}
  linalg.matmul ins(%A, %A : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32, strided<[0, 1]>>)
  return
}

// -----

// What kernels use of the stack is on the device, where the host does not reach it.
func.func @shared(%x: memref<32xf32>, %i: index) -> f32 {
  %t = memref.alloca() : memref<32xf32>
  linalg.exp ins(%x : memref<32xf32>) outs(%t : memref<32xf32>)
  // expected-error @below {{expected accesses of buffers in a tc.par, since the host does not reach the memory of the device}}
  %v = memref.load %t[%i] : memref<32xf32>
  return %v : f32
}
