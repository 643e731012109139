// A tile that lies across its buffer, for reads of 16 bytes: copied 4 by 4, in part beyond the
// buffer.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind --tc-cache | FileCheck %s
// CHECK: tc.stage %{{.*}} chunk(4) rows(4) : memref<16x?xf32, {{.*}}> to memref<16x32xf32, strided<[1, 20]>
func.func @transposed(%A: memref<36x48xf32>, %B: memref<48x44xf32>, %C: memref<36x44xf32>) {
  tc.par (%i, %j) = (0, 0) to (36, 44) step (16, 32) {
    tc.seq (%q) = (0) to (48) step (16) {
      tc.cache %A : memref<36x48xf32>
      tc.cache %B : memref<48x44xf32>
      tc.par (%a, %b) = (0, 0) to (16, 32) {
        %x = affine.apply affine_map<(d, e) -> (d + e)>(%i, %a)
        %y = affine.apply affine_map<(d, e) -> (d + e)>(%j, %b)
        %rows = arith.constant 36 : index
        %columns = arith.constant 44 : index
        %in0 = arith.cmpi slt, %x, %rows : index
        %in1 = arith.cmpi slt, %y, %columns : index
        %in = arith.andi %in0, %in1 : i1
        scf.if %in {
          %old = memref.load %C[%x, %y] : memref<36x44xf32>
          %new = tc.seq (%k) = (0) to (16) init(%s = %old : f32) {
            %z = affine.apply affine_map<(d, e) -> (d + e)>(%q, %k)
            %l = memref.load %A[%x, %z] : memref<36x48xf32>
            %r = memref.load %B[%z, %y] : memref<48x44xf32>
            %n = math.fma %l, %r, %s : f32
            tc.yield %n : f32
          }
          memref.store %new, %C[%x, %y] : memref<36x44xf32>
        }
      }
    }
  }
  return
}
