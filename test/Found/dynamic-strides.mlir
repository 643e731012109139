// Found by random programs: by the estimate of its dynamic strides a tile took 48 KiB at
// most, but as padded when it was made more than that.
//
// RUN: tc-opt %s --tc-to-nvvm=format=isa | FileCheck %s
// CHECK: gpu.binary @program_kernels

func.func @program(%A: memref<?x?x?xcomplex<f32>>,
    %B: memref<?x?x?xcomplex<f32>, strided<[?, ?, ?], offset: ?>>,
    %Z: memref<?x?x?x?xcomplex<f32>, strided<[?, ?, ?, ?], offset: ?>>) {
  linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<[1]> : vector<1xi64>, strides = dense<[1]> : vector<1xi64>}
    ins(%A, %B : memref<?x?x?xcomplex<f32>>, memref<?x?x?xcomplex<f32>, strided<[?, ?, ?], offset: ?>>)
    outs(%Z : memref<?x?x?x?xcomplex<f32>, strided<[?, ?, ?, ?], offset: ?>>)
  return
}
