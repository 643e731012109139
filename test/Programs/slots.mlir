// Four buffers of 16 KiB, of which two are in use at a time: they share the memory of two.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind --tc-promote | FileCheck %s
// CHECK: tc.new slot(0) : memref<64x65xf32, #gpu.address_space<workgroup>>
// CHECK: tc.new slot(1) : memref<64x65xf32, #gpu.address_space<workgroup>>
// CHECK: tc.new slot(0) : memref<64x65xf32, #gpu.address_space<workgroup>>
// CHECK: tc.new slot(1) : memref<64x65xf32, #gpu.address_space<workgroup>>
func.func @phases(%A: memref<4x64x64xf32>, %B: memref<4x64x64xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.new : memref<64x65xf32>
    %b = tc.new : memref<64x65xf32>
    %c = tc.new : memref<64x65xf32>
    %d = tc.new : memref<64x65xf32>
    tc.par (%i, %j) = (0, 0) to (64, 64) {
      %x = memref.load %A[%g, %i, %j] : memref<4x64x64xf32>
      memref.store %x, %a[%i, %j] : memref<64x65xf32>
    }
    tc.par (%i, %j) = (0, 0) to (64, 64) {
      %x = memref.load %a[%j, %i] : memref<64x65xf32>
      memref.store %x, %b[%i, %j] : memref<64x65xf32>
    }
    tc.par (%i, %j) = (0, 0) to (64, 64) {
      %i2 = affine.apply affine_map<(i) -> (63 - i)>(%i)
      %x = memref.load %b[%i2, %j] : memref<64x65xf32>
      memref.store %x, %c[%i, %j] : memref<64x65xf32>
    }
    tc.par (%i, %j) = (0, 0) to (64, 64) {
      %j2 = affine.apply affine_map<(i) -> (63 - i)>(%j)
      %x = memref.load %c[%i, %j2] : memref<64x65xf32>
      memref.store %x, %d[%i, %j] : memref<64x65xf32>
    }
    tc.par (%i, %j) = (0, 0) to (64, 64) {
      %x = memref.load %d[%j, %i] : memref<64x65xf32>
      memref.store %x, %B[%g, %i, %j] : memref<4x64x64xf32>
    }
  }
  return
}
