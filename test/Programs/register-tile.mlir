// A matrix product tiled by hand: blocks of 4 by 4 threads, copies of both inputs, and a tile of 3
// by 2 sums for each thread, which a thread takes by a view or by the elements of its part.
//
// RUN: %run_program %s
//
// The tile is in registers: no thread has local memory.
// RUN: tc-compile %s --report=json -o %t.ptx | FileCheck %s
// CHECK: "local_bytes": 0
func.func @tiled(%A: memref<24x16xf32>, %B: memref<16x16xf32>, %C: memref<24x16xf32>) {
  tc.par (%bi, %bj) = (0, 0) to (24, 16) step (12, 8) {
    %acc = tc.new init(0.0 : f32) threads(2) : memref<4x4x3x2xf32>
    tc.seq (%kk) = (0) to (16) step (8) {
      tc.cache %A : memref<24x16xf32>
      tc.cache %B : memref<16x16xf32>
      tc.par (%ti, %tj) = (0, 0) to (4, 4) {
        %off = affine.apply affine_map<(a, b) -> (a * 24 + b * 6)>(%ti, %tj)
        %av = tc.view %acc(%off) <offset = ?, sizes = [3, 2], strides = [2, 1]> : memref<4x4x3x2xf32> to memref<3x2xf32, strided<[2, 1], offset: ?>>
        tc.seq (%k) = (0) to (8) {
          tc.seq (%ri, %rj) = (0, 0) to (3, 2) {
            %i = affine.apply affine_map<(b, r, t) -> (b + r * 4 + t)>(%bi, %ri, %ti)
            %j = affine.apply affine_map<(b, r, t) -> (b + r * 4 + t)>(%bj, %rj, %tj)
            %q = affine.apply affine_map<(b, r) -> (b + r)>(%kk, %k)
            %a = memref.load %A[%i, %q] : memref<24x16xf32>
            %b = memref.load %B[%q, %j] : memref<16x16xf32>
            %c = memref.load %av[%ri, %rj] : memref<3x2xf32, strided<[2, 1], offset: ?>>
            %s = math.fma %a, %b, %c : f32
            memref.store %s, %av[%ri, %rj] : memref<3x2xf32, strided<[2, 1], offset: ?>>
          }
        }
      }
    }
    tc.par (%ti, %tj) = (0, 0) to (4, 4) {
      tc.seq (%ri, %rj) = (0, 0) to (3, 2) {
        %i = affine.apply affine_map<(b, r, t) -> (b + r * 4 + t)>(%bi, %ri, %ti)
        %j = affine.apply affine_map<(b, r, t) -> (b + r * 4 + t)>(%bj, %rj, %tj)
        %c = memref.load %acc[%ti, %tj, %ri, %rj] : memref<4x4x3x2xf32>
        memref.store %c, %C[%i, %j] : memref<24x16xf32>
      }
    }
  }
  return
}
