// Tiles that are copied by 16 bytes while those of the step before are read.
//
// RUN: %run_program %s
func.func @ahead(%A: memref<36x48xf32>, %B: memref<48x64xf32>, %C: memref<36x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i, %j) = (0, 0) to (36, 64) step (16, 32) {
    tc.seq (%q) = (0) to (48) step (8) stages(2) {
      tc.cache %A : memref<36x48xf32>
      tc.cache %B : memref<48x64xf32>
      tc.par (%a, %b) = (0, 0) to (16, 32) {
        %x = affine.apply affine_map<(d, e) -> (d + e)>(%i, %a)
        %y = affine.apply affine_map<(d, e) -> (d + e)>(%j, %b)
        %rows = arith.constant 36 : index
        %columns = arith.constant 64 : index
        %in0 = arith.cmpi slt, %x, %rows : index
        %in1 = arith.cmpi slt, %y, %columns : index
        %in = arith.andi %in0, %in1 : i1
        scf.if %in {
          %old = memref.load %C[%x, %y] : memref<36x64xf32>
          %least = affine.min affine_map<(d) -> (8, 48 - d)>(%q)
          %new = tc.seq (%k) = (0) to (%least) init(%s = %old : f32) {
            %z = affine.apply affine_map<(d, e) -> (d + e)>(%q, %k)
            %l = memref.load %A[%x, %z] : memref<36x48xf32>
            %r = memref.load %B[%z, %y] : memref<48x64xf32>
            %n = math.fma %l, %r, %s : f32
            tc.yield %n : f32
          }
          memref.store %new, %C[%x, %y] : memref<36x64xf32>
        }
      }
    }
  }
  return
}
