// Buffers in the memory of the host: pieces of an array go through the device, by rows, which are
// dense, and by columns, which have a pitch; iterations overlap. A pinned buffer is copied to, and
// the host reads an element of it. Transposed and reversed views, and single elements.
//
// RUN: %run_program %s
// RUN: tc-run %s --verify --device=emulator --checks=all
// RUN: tc-compile %s --emit=gpu --remarks -o - 2>&1 | FileCheck %s
//
// CHECK-COUNT-2: remark: {{.*}}Dealt{{.*}}the iterations are dealt out to 4 streams
// CHECK: func.func @pieces
// CHECK: scf.for
// CHECK: gpu.memcpy async [%{{.*}}] %{{.*}}, %{{.*}} : memref<8x40xf32>, memref<8x40xf32, strided<[40, 1], offset: ?>, #tc.host>
// CHECK-NEXT: gpu.launch_func async
// CHECK: gpu.memcpy async
// CHECK: scf.for
// CHECK: gpu.memcpy async
// CHECK: %[[pinned:.*]] = memref.alloc() : memref<32x40xf32, #tc.host>
// CHECK: gpu.host_register
// CHECK: gpu.wait [
// CHECK: memref.load %[[pinned]]
// CHECK: gpu.host_unregister
// CHECK-NEXT: memref.dealloc %[[pinned]]
func.func @pieces(%A: memref<32x40xf32, #tc.host>, %B: memref<32x40xf32, #tc.host>,
                  %C: memref<32x40xf32, #tc.host>, %D: memref<40x32xf32>, %E: memref<1xf32>) {
  tc.par host (%i) = (0) to (32) step (8) {
    %there = memref.alloc() : memref<8x40xf32>
    %from = memref.subview %A[%i, 0] [8, 40] [1, 1]
      : memref<32x40xf32, #tc.host> to memref<8x40xf32, strided<[40, 1], offset: ?>, #tc.host>
    %to = memref.subview %B[%i, 0] [8, 40] [1, 1]
      : memref<32x40xf32, #tc.host> to memref<8x40xf32, strided<[40, 1], offset: ?>, #tc.host>
    memref.copy %from, %there
      : memref<8x40xf32, strided<[40, 1], offset: ?>, #tc.host> to memref<8x40xf32>
    tc.par (%j, %k) = (0, 0) to (8, 40) {
      %x = memref.load %there[%j, %k] : memref<8x40xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %there[%j, %k] : memref<8x40xf32>
    }
    memref.copy %there, %to
      : memref<8x40xf32> to memref<8x40xf32, strided<[40, 1], offset: ?>, #tc.host>
  }
  tc.par host (%i) = (0) to (5) {
    %there = memref.alloc() : memref<32x8xf32>
    %column = affine.apply affine_map<(d) -> (8 * d)>(%i)
    %from = memref.subview %B[0, %column] [32, 8] [1, 1]
      : memref<32x40xf32, #tc.host> to memref<32x8xf32, strided<[40, 1], offset: ?>, #tc.host>
    %to = memref.subview %C[0, %column] [32, 8] [1, 1]
      : memref<32x40xf32, #tc.host> to memref<32x8xf32, strided<[40, 1], offset: ?>, #tc.host>
    memref.copy %from, %there
      : memref<32x8xf32, strided<[40, 1], offset: ?>, #tc.host> to memref<32x8xf32>
    tc.par (%j, %k) = (0, 0) to (32, 8) {
      %x = memref.load %there[%j, %k] : memref<32x8xf32>
      %y = arith.negf %x : f32
      memref.store %y, %there[%j, %k] : memref<32x8xf32>
    }
    memref.copy %there, %to
      : memref<32x8xf32> to memref<32x8xf32, strided<[40, 1], offset: ?>, #tc.host>
  }
  // Every other element of a transposed view.
  %transposed = memref.transpose %C (i, j) -> (j, i)
    : memref<32x40xf32, #tc.host> to memref<40x32xf32, strided<[1, 40]>, #tc.host>
  memref.copy %transposed, %D
    : memref<40x32xf32, strided<[1, 40]>, #tc.host> to memref<40x32xf32>
  %some = memref.subview %transposed[1, 0] [20, 16] [2, 2]
    : memref<40x32xf32, strided<[1, 40]>, #tc.host>
    to memref<20x16xf32, strided<[2, 80], offset: 1>, #tc.host>
  %other = memref.subview %D[0, 0] [20, 16] [1, 2]
    : memref<40x32xf32> to memref<20x16xf32, strided<[32, 2]>>
  memref.copy %some, %other
    : memref<20x16xf32, strided<[2, 80], offset: 1>, #tc.host>
    to memref<20x16xf32, strided<[32, 2]>>
  %pinned = memref.alloc() : memref<32x40xf32, #tc.host>
  memref.copy %C, %pinned : memref<32x40xf32, #tc.host> to memref<32x40xf32, #tc.host>
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %x = memref.load %pinned[%c3, %c0] : memref<32x40xf32, #tc.host>
  tc.par (%i) = (0) to (1) {
    memref.store %x, %E[%i] : memref<1xf32>
  }
  return
}
