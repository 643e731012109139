// convert-nvvm-to-binary: kernels that call functions of libdevice go through LLVM together.
// The sine and the cosine have a table in common, which may be defined once.
//
// REQUIRES: ptxas
// RUN: tc-opt %s --tc-to-nvvm=format=isa | FileCheck %s
// RUN: tc-opt %s --tc-to-nvvm=format=cubin -o /dev/null
//
// CHECK-COUNT-1: __cudart_i2opi_f[24]
// CHECK-NOT: __cudart_i2opi_f[24]

func.func @both(%A: memref<64xf32>, %B: memref<64xf32>) {
  tc.par device (%i) = (0) to (64) {
    %x = memref.load %A[%i] : memref<64xf32>
    %y = math.sin %x : f32
    memref.store %y, %A[%i] : memref<64xf32>
  }
  tc.par device (%i) = (0) to (64) {
    %x = memref.load %B[%i] : memref<64xf32>
    %y = math.cos %x : f32
    memref.store %y, %B[%i] : memref<64xf32>
  }
  return
}
