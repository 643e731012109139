// Constants that kernels read, the weights of a model. Kernels name small ones themselves, and
// views of them; a large one lies in the host's memory and is copied to the device. A constant
// that no kernel reads stays, and the host reads its own.
//
// RUN: sed '/^func.func @tensors/,$d' %s > %t.mlir
// RUN: tc-opt %t.mlir --tc-schedule --tc-tile --tc-promote --tc-map --tc-sync --tc-lower-microkernel --convert-tc-to-gpu \
// RUN:   | FileCheck %s --check-prefix=HOST
// HOST: memref.global "private" constant @weights {{.*}} {alignment = 256 : i64}
// HOST-LABEL: func.func @viewed(
// HOST-NOT: gpu.alloc
// HOST: gpu.launch
// HOST-NEXT: memref.get_global @weights
// HOST-LABEL: func.func private @host(
// HOST: %[[G:.*]] = memref.get_global @weights
// HOST-NOT: gpu.alloc
// HOST: gpu.memcpy async [%{{.*}}] %{{.*}}, %[[G]] : memref<8x4xf32>, memref<8x4xf32>
// HOST-NOT: gpu.alloc
// HOST-LABEL: func.func private @both(
// HOST: %[[G:.*]] = memref.get_global @weights
// HOST-NEXT: memref.load %[[G]][
// HOST-NOT: gpu.alloc
// HOST: gpu.launch
// HOST-NEXT: memref.get_global @weights
// HOST-LABEL: func.func private @large(
// HOST: %[[G:.*]] = memref.get_global @many
// HOST: %[[D:.*]], %{{.*}} = gpu.alloc async
// HOST: gpu.memcpy async [%{{.*}}] %[[D]], %[[G]] : memref<8192xf32>, memref<8192xf32>
// HOST-NOT: %[[G]]
// HOST: gpu.launch
// HOST: gpu.dealloc async [%{{.*}}] %[[D]]
//
// RUN: %python -c "import numpy as np; np.save('%t.npy', np.arange(12, dtype='f').reshape(3, 4))"
// RUN: tc-run %t.mlir --name=viewed --device=emulator --inputs=%t.npy --output=%t.out.npy
// RUN: %python -c "import numpy as np; x = np.load('%t.npy'); w = np.arange(1, 33).reshape(8, 4)[4:]; assert (np.load('%t.out.npy') == x @ w).all()"
//
// On tensors, from phase 0.
// RUN: sed -n '/^func.func @tensors/,$p' %s > %t.tensors.mlir
// RUN: tc-run %t.tensors.mlir --device=emulator --inputs=%t.npy --output=%t.out.npy
// RUN: %python -c "import numpy as np; x = np.load('%t.npy'); assert (np.load('%t.out.npy') == x @ np.arange(16).reshape(4, 4)).all()"

memref.global "private" constant @weights : memref<8x4xf32> = dense<[[1., 2., 3., 4.], [5., 6., 7., 8.],
    [9., 10., 11., 12.], [13., 14., 15., 16.], [17., 18., 19., 20.], [21., 22., 23., 24.],
    [25., 26., 27., 28.], [29., 30., 31., 32.]]>

func.func @viewed(%x: memref<3x4xf32>, %z: memref<3x4xf32>) {
  %all = memref.get_global @weights : memref<8x4xf32>
  %w = memref.subview %all[4, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 16>>
  tc.contract (i = 3, j = 4, k = 4)
      ins(%x[i, k] : memref<3x4xf32>, %w[k, j] : memref<4x4xf32, strided<[4, 1], offset: 16>>)
      outs(%z[i, j] : memref<3x4xf32>) overwrite
  return
}

func.func private @host(%x: memref<8x4xf32>, %y: memref<8x4xf32>, %z: memref<8x4xf32>) {
  %all = memref.get_global @weights : memref<8x4xf32>
  memref.copy %all, %y : memref<8x4xf32> to memref<8x4xf32>
  tc.contract (i = 8, j = 4) ins(%x[i, j] : memref<8x4xf32>) outs(%z[i, j] : memref<8x4xf32>)
  return
}

func.func private @both(%z: memref<8x4xf32>, %i: index) -> f32 {
  %all = memref.get_global @weights : memref<8x4xf32>
  %w = memref.load %all[%i, %i] : memref<8x4xf32>
  tc.contract (i = 8, j = 4) ins(%all[i, j] : memref<8x4xf32>) outs(%z[i, j] : memref<8x4xf32>)
  return %w : f32
}

memref.global "private" constant @many : memref<8192xf32> = dense<0.5>

func.func private @large(%z: memref<8192xf32>) {
  %all = memref.get_global @many : memref<8192xf32>
  tc.contract (i = 8192) ins(%all[i] : memref<8192xf32>) outs(%z[i] : memref<8192xf32>)
  return
}

func.func @tensors(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %w = arith.constant dense<[[0., 1., 2., 3.], [4., 5., 6., 7.], [8., 9., 10., 11.], [12., 13., 14., 15.]]> : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<3x4xf32>, tensor<4x4xf32>) outs(%f : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
