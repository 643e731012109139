// Rows of a middle dimension lie fastest in the copy: 8 halves of each of 4 rows are loaded while
// the step before is computed, and stored after it.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind --tc-cache | FileCheck %s
// CHECK: tc.stage %{{.*}} chunk(8) rows(4) : memref<2x16x32xf16, {{.*}}> to memref<2x16x32xf16, strided<[{{.*}}, 1, 24]>
func.func @ahead(%A: memref<6x16x64xf16>, %C: memref<64x64xf16>) {
  %zero = arith.constant 0.0 : f16
  tc.par (%i, %j) = (0, 0) to (64, 64) step (16, 32) {
    tc.seq (%q) = (0) to (6) step (2) stages(2) {
      tc.cache %A : memref<6x16x64xf16>
      tc.par (%a, %b) = (0, 0) to (16, 32) {
        %x = affine.apply affine_map<(d, e) -> (d + e)>(%i, %a)
        %y = affine.apply affine_map<(d, e) -> (d + e)>(%j, %b)
        %old = memref.load %C[%x, %y] : memref<64x64xf16>
        %sum = tc.seq (%p, %k) = (0, 0) to (2, 16) init(%s = %old : f16) {
          %z = affine.apply affine_map<(d, e) -> (d + e)>(%q, %p)
          %r = memref.load %A[%z, %k, %y] : memref<6x16x64xf16>
          %n = arith.addf %r, %s : f16
          tc.yield %n : f16
        }
        memref.store %sum, %C[%x, %y] : memref<64x64xf16>
      }
    }
  }
  return
}
