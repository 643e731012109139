// Tiles that are copied by 16 bytes and stick out of the buffer by whole groups of these.
//
// RUN: %run_program %s
func.func @waited(%A: memref<36x44xf32>, %B: memref<44x52xf32>, %C: memref<36x52xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i, %j) = (0, 0) to (36, 52) step (16, 16) {
    tc.seq (%q) = (0) to (44) step (8) {
      tc.cache %A : memref<36x44xf32>
      tc.cache %B : memref<44x52xf32>
      tc.par (%a, %b) = (0, 0) to (16, 16) {
        %x = affine.apply affine_map<(d, e) -> (d + e)>(%i, %a)
        %y = affine.apply affine_map<(d, e) -> (d + e)>(%j, %b)
        %rows = arith.constant 36 : index
        %columns = arith.constant 52 : index
        %in0 = arith.cmpi slt, %x, %rows : index
        %in1 = arith.cmpi slt, %y, %columns : index
        %in = arith.andi %in0, %in1 : i1
        scf.if %in {
          %old = memref.load %C[%x, %y] : memref<36x52xf32>
          %least = affine.min affine_map<(d) -> (8, 44 - d)>(%q)
          %new = tc.seq (%k) = (0) to (%least) init(%s = %old : f32) {
            %z = affine.apply affine_map<(d, e) -> (d + e)>(%q, %k)
            %l = memref.load %A[%x, %z] : memref<36x44xf32>
            %r = memref.load %B[%z, %y] : memref<44x52xf32>
            %n = math.fma %l, %r, %s : f32
            tc.yield %n : f32
          }
          memref.store %new, %C[%x, %y] : memref<36x52xf32>
        }
      }
    }
  }
  return
}
