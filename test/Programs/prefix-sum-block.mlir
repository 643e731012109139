// Prefix sums of rows of 64 by Hillis and Steele: in each of six steps a thread adds
// the element 2^step to its left. Two buffers take turns, so that nobody overwrites
// what another one still reads.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @prefix_sums(%A: memref<5x64xi32>, %B: memref<5x64xi32>) {
  %zero = arith.constant 0 : i32
  tc.par grid (%i) = (0) to (5) {
    %s = tc.new : memref<2x64xi32, #shared>
    tc.par block (%t) = (0) to (64) {
      %c0 = arith.constant 0 : index
      %a = memref.load %A[%i, %t] : memref<5x64xi32>
      memref.store %a, %s[%c0, %t] : memref<2x64xi32, #shared>
    }
    tc.seq (%step) = (0) to (6) {
      %c1 = arith.constant 1 : index
      %distance = arith.shli %c1, %step : index
      %from = affine.apply affine_map<(s) -> (s mod 2)>(%step)
      %to = affine.apply affine_map<(s) -> ((s + 1) mod 2)>(%step)
      tc.par block (%t) = (0) to (64) {
        %left = arith.subi %t, %distance : index
        %in = arith.cmpi sge, %t, %distance : index
        %x = memref.load %s[%from, %t] : memref<2x64xi32, #shared>
        %y = scf.if %in -> i32 {
          %z = memref.load %s[%from, %left] : memref<2x64xi32, #shared>
          scf.yield %z : i32
        } else {
          scf.yield %zero : i32
        }
        %n = arith.addi %x, %y : i32
        memref.store %n, %s[%to, %t] : memref<2x64xi32, #shared>
      }
    }
    tc.par block (%t) = (0) to (64) {
      %c0 = arith.constant 0 : index
      %x = memref.load %s[%c0, %t] : memref<2x64xi32, #shared>
      memref.store %x, %B[%i, %t] : memref<5x64xi32>
    }
  }
  return
}
