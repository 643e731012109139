// Softmax of the rows of a matrix, a row a block of 32 threads: the largest element
// and the sum are first taken by each thread over its part, then by a tree over the
// threads in shared memory.
//
// RUN: %run_program %s --tolerance=1e-5
#shared = #gpu.address_space<workgroup>
func.func @softmax(%A: memref<13x75xf32>, %B: memref<13x75xf32>) {
  %c75 = arith.constant 75 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  tc.par grid (%i) = (0) to (13) {
    %first = arith.constant 0 : index
    %last = arith.constant 1 : index
    %m = tc.new : memref<2x32xf32, #shared>
    %s = tc.new : memref<2x32xf32, #shared>
    tc.par block (%t) = (0) to (32) {
      %own = tc.seq (%j0) = (0) to (75) step (32) init(%acc = %lowest : f32) {
        %j = affine.apply affine_map<(j, t) -> (j + t)>(%j0, %t)
        %in = arith.cmpi slt, %j, %c75 : index
        %x = scf.if %in -> f32 {
          %a = memref.load %A[%i, %j] : memref<13x75xf32>
          scf.yield %a : f32
        } else {
          scf.yield %lowest : f32
        }
        %n = arith.maximumf %acc, %x : f32
        tc.yield %n : f32
      }
      memref.store %own, %m[%first, %t] : memref<2x32xf32, #shared>
    }
    tc.seq (%level) = (0) to (5) {
      %from = affine.apply affine_map<(l) -> (l mod 2)>(%level)
      %to = affine.apply affine_map<(l) -> ((l + 1) mod 2)>(%level)
      %c16 = arith.constant 16 : index
      %half = arith.shrui %c16, %level : index
      tc.par block (%t) = (0) to (32) {
        %other = affine.apply affine_map<(t)[half] -> ((t + half) mod 32)>(%t)[%half]
        %in = arith.cmpi slt, %t, %half : index
        %a = memref.load %m[%from, %t] : memref<2x32xf32, #shared>
        %b = scf.if %in -> f32 {
          %x = memref.load %m[%from, %other] : memref<2x32xf32, #shared>
          scf.yield %x : f32
        } else {
          scf.yield %lowest : f32
        }
        %n = arith.maximumf %a, %b : f32
        memref.store %n, %m[%to, %t] : memref<2x32xf32, #shared>
      }
    }
    tc.par block (%t) = (0) to (32) {
      %c0 = arith.constant 0 : index
      %largest = memref.load %m[%last, %c0] : memref<2x32xf32, #shared>
      %own = tc.seq (%j0) = (0) to (75) step (32) init(%acc = %zero : f32) {
        %j = affine.apply affine_map<(j, t) -> (j + t)>(%j0, %t)
        %in = arith.cmpi slt, %j, %c75 : index
        %x = scf.if %in -> f32 {
          %a = memref.load %A[%i, %j] : memref<13x75xf32>
          %d = arith.subf %a, %largest : f32
          %e = math.exp %d : f32
          memref.store %e, %B[%i, %j] : memref<13x75xf32>
          scf.yield %e : f32
        } else {
          scf.yield %zero : f32
        }
        %n = arith.addf %acc, %x : f32
        tc.yield %n : f32
      }
      memref.store %own, %s[%first, %t] : memref<2x32xf32, #shared>
    }
    tc.seq (%level) = (0) to (5) {
      %from = affine.apply affine_map<(l) -> (l mod 2)>(%level)
      %to = affine.apply affine_map<(l) -> ((l + 1) mod 2)>(%level)
      %c16 = arith.constant 16 : index
      %half = arith.shrui %c16, %level : index
      tc.par block (%t) = (0) to (32) {
        %other = affine.apply affine_map<(t)[half] -> ((t + half) mod 32)>(%t)[%half]
        %in = arith.cmpi slt, %t, %half : index
        %a = memref.load %s[%from, %t] : memref<2x32xf32, #shared>
        %b = scf.if %in -> f32 {
          %x = memref.load %s[%from, %other] : memref<2x32xf32, #shared>
          scf.yield %x : f32
        } else {
          scf.yield %zero : f32
        }
        %n = arith.addf %a, %b : f32
        memref.store %n, %s[%to, %t] : memref<2x32xf32, #shared>
      }
    }
    tc.par block (%t) = (0) to (32) {
      %c0 = arith.constant 0 : index
      %sum = memref.load %s[%last, %c0] : memref<2x32xf32, #shared>
      tc.seq (%j0) = (0) to (75) step (32) {
        %j = affine.apply affine_map<(j, t) -> (j + t)>(%j0, %t)
        %in = arith.cmpi slt, %j, %c75 : index
        scf.if %in {
          %e = memref.load %B[%i, %j] : memref<13x75xf32>
          %y = arith.divf %e, %sum : f32
          memref.store %y, %B[%i, %j] : memref<13x75xf32>
        }
      }
    }
  }
  return
}
