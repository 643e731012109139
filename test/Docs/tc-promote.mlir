// RUN: tc-opt %s --tc-promote | FileCheck %s

// Each block sums 64 numbers: a thread keeps what it reads in a register, and shows it
// to the others.
func.func @sums(%A: memref<16x64xf32>, %C: memref<16xf32>) {
  tc.par grid (%i) = (0) to (16) {
    %own = tc.new init(0.0 : f32) threads(1) : memref<64xf32>
    %all = tc.new : memref<64xf32>
    tc.par block (%t) = (0) to (64) {
      %x = memref.load %A[%i, %t] : memref<16x64xf32>
      memref.store %x, %own[%t] : memref<64xf32>
      memref.store %x, %all[%t] : memref<64xf32>
    }
    tc.par block (%t) = (0) to (1) {
      %first = tc.view %C(%i) <offset = ?, sizes = [], strides = []> : memref<16xf32> to memref<f32, strided<[], offset: ?>>
      tc.contract (k = 64) ins(%all[k] : memref<64xf32>)
        outs(%first[] : memref<f32, strided<[], offset: ?>>) overwrite
    }
  }
  return
}

// CHECK-LABEL: @sums
// CHECK: tc.new init(0.000000e+00 : f32) threads(1) : memref<64xf32, #gpu.address_space<private>>
// CHECK: tc.new : memref<64xf32, #gpu.address_space<workgroup>>
