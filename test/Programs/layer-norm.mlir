// Layer normalisation of rows: mean and variance of a row in shared memory, which
// one thread computes from the partial sums of all.
//
// RUN: %run_program %s --tolerance=1e-5
#shared = #gpu.address_space<workgroup>
func.func @layer_norm(%A: memref<11x50xf32>, %G: memref<50xf32>, %B: memref<11x50xf32>) {
  %c50 = arith.constant 50 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 50.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  tc.par grid (%i) = (0) to (11) {
    %sums = tc.new : memref<2x16xf32, #shared>
    %totals = tc.new : memref<2xf32, #shared>
    tc.par block (%t) = (0) to (16) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x:2 = tc.seq (%j0) = (0) to (50) step (16) init(%s = %zero : f32, %q = %zero : f32) {
        %j = affine.apply affine_map<(j, t) -> (j + t)>(%j0, %t)
        %in = arith.cmpi slt, %j, %c50 : index
        %a = scf.if %in -> f32 {
          %y = memref.load %A[%i, %j] : memref<11x50xf32>
          scf.yield %y : f32
        } else {
          scf.yield %zero : f32
        }
        %aa = arith.mulf %a, %a : f32
        %s1 = arith.addf %s, %a : f32
        %q1 = arith.addf %q, %aa : f32
        tc.yield %s1, %q1 : f32, f32
      }
      memref.store %x#0, %sums[%c0, %t] : memref<2x16xf32, #shared>
      memref.store %x#1, %sums[%c1, %t] : memref<2x16xf32, #shared>
    }
    tc.par block (%which) = (0) to (2) {
      %total = tc.seq (%t) = (0) to (16) init(%s = %zero : f32) {
        %x = memref.load %sums[%which, %t] : memref<2x16xf32, #shared>
        %n = arith.addf %s, %x : f32
        tc.yield %n : f32
      }
      %average = arith.divf %total, %count : f32
      memref.store %average, %totals[%which] : memref<2xf32, #shared>
    }
    tc.par block (%t) = (0) to (16) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %mean = memref.load %totals[%c0] : memref<2xf32, #shared>
      %square = memref.load %totals[%c1] : memref<2xf32, #shared>
      %mm = arith.mulf %mean, %mean : f32
      %variance = arith.subf %square, %mm : f32
      %positive = arith.addf %variance, %epsilon : f32
      %root = math.rsqrt %positive : f32
      tc.seq (%j0) = (0) to (50) step (16) {
        %j = affine.apply affine_map<(j, t) -> (j + t)>(%j0, %t)
        %in = arith.cmpi slt, %j, %c50 : index
        scf.if %in {
          %a = memref.load %A[%i, %j] : memref<11x50xf32>
          %g = memref.load %G[%j] : memref<50xf32>
          %d = arith.subf %a, %mean : f32
          %n = arith.mulf %d, %root : f32
          %y = arith.mulf %n, %g : f32
          memref.store %y, %B[%i, %j] : memref<11x50xf32>
        }
      }
    }
  }
  return
}
