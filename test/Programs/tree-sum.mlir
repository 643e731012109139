// The sum of each row by a tree over the threads of a block, which halves the threads
// at each level; of 100 elements, with zeros up to 128. Two buffers take turns, as what
// one thread of a level reads another one would overwrite.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @sums(%A: memref<6x100xf32>, %B: memref<6xf32>) {
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  tc.par grid (%i) = (0) to (6) {
    %first = arith.constant 0 : index
    %last = arith.constant 1 : index
    %s = tc.new : memref<2x128xf32, #shared>
    tc.par block (%t) = (0) to (128) {
      %in = arith.cmpi slt, %t, %c100 : index
      %x = scf.if %in -> f32 {
        %a = memref.load %A[%i, %t] : memref<6x100xf32>
        scf.yield %a : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %x, %s[%first, %t] : memref<2x128xf32, #shared>
    }
    tc.seq (%level) = (0) to (7) {
      %from = affine.apply affine_map<(l) -> (l mod 2)>(%level)
      %to = affine.apply affine_map<(l) -> ((l + 1) mod 2)>(%level)
      %c64 = arith.constant 64 : index
      %half = arith.shrui %c64, %level : index
      tc.par block (%t) = (0) to (64) {
        %in = arith.cmpi slt, %t, %half : index
        %other = arith.addi %t, %half : index
        %a = memref.load %s[%from, %t] : memref<2x128xf32, #shared>
        %b = scf.if %in -> f32 {
          %x = memref.load %s[%from, %other] : memref<2x128xf32, #shared>
          scf.yield %x : f32
        } else {
          scf.yield %zero : f32
        }
        %n = arith.addf %a, %b : f32
        memref.store %n, %s[%to, %t] : memref<2x128xf32, #shared>
      }
    }
    tc.par block (%t) = (0) to (1) {
      %x = memref.load %s[%last, %t] : memref<2x128xf32, #shared>
      memref.store %x, %B[%i] : memref<6xf32>
    }
  }
  return
}
