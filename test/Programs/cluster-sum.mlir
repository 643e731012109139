// The sum of each row by a cluster of four blocks: each block sums a quarter of the row
// by a tree, leaves it where all blocks of the cluster see it, and takes the total from
// there to divide its quarter by it.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @normalize(%A: memref<3x400xf32>, %B: memref<3x400xf32>) {
  %c0 = arith.constant 0 : index
  %c50 = arith.constant 50 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  tc.par grid (%i) = (0) to (3) {
    %sums = tc.new : memref<4x1xf32>
    tc.par cluster (%q) = (0) to (4) {
      %s = tc.new : memref<64xf32>
      tc.par block (%t) = (0) to (64) {
        %mine = tc.seq (%k) = (0) to (2) init(%sum = %zero : f32) {
          %j = affine.apply affine_map<(q, t, k) -> (q * 100 + t + k * 50)>(%q, %t, %k)
          %in = arith.cmpi ult, %t, %c50 : index
          %x = scf.if %in -> f32 {
            %a = memref.load %A[%i, %j] : memref<3x400xf32>
            scf.yield %a : f32
          } else {
            scf.yield %zero : f32
          }
          %next = arith.addf %sum, %x : f32
          tc.yield %next : f32
        }
        memref.store %mine, %s[%t] : memref<64xf32>
      }
      tc.seq (%level) = (0) to (6) {
        %c32 = arith.constant 32 : index
        %half = arith.shrui %c32, %level : index
        tc.par block (%t) = (0) to (32) {
          %in = arith.cmpi ult, %t, %half : index
          scf.if %in {
            %other = arith.addi %t, %half : index
            %a = memref.load %s[%t] : memref<64xf32>
            %b = memref.load %s[%other] : memref<64xf32>
            %n = arith.addf %a, %b : f32
            memref.store %n, %s[%t] : memref<64xf32>
          }
        }
      }
      tc.par block (%t) = (0) to (1) {
        %sum = memref.load %s[%t] : memref<64xf32>
        memref.store %sum, %sums[%q, %t] : memref<4x1xf32>
      }
    }
    tc.par cluster (%q) = (0) to (4) {
      tc.par block (%t) = (0) to (100) {
        %total = tc.seq (%p) = (0) to (4) init(%sum = %zero : f32) {
          %x = memref.load %sums[%p, %c0] : memref<4x1xf32>
          %next = arith.addf %sum, %x : f32
          tc.yield %next : f32
        }
        %j = affine.apply affine_map<(q, t) -> (q * 100 + t)>(%q, %t)
        %a = memref.load %A[%i, %j] : memref<3x400xf32>
        %d = arith.divf %a, %total : f32
        memref.store %d, %B[%i, %j] : memref<3x400xf32>
      }
    }
  }
  return
}
