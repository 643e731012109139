// The same with the elements of a block and two neighbours on each side in shared
// memory, staged with zeros beyond the ends; five points.
//
// RUN: %run_program %s
func.func @stencil(%A: memref<333xf32>, %B: memref<333xf32>) {
  %c333 = arith.constant 333 : index
  tc.par grid (%i0) = (0) to (333) step (64) {
    %s = tc.new : memref<68xf32, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (68) {
      %i = affine.apply affine_map<(i, t) -> (i + t - 2)>(%i0, %t)
      %c0 = arith.constant 0 : index
      %low = arith.cmpi sge, %i, %c0 : index
      %high = arith.cmpi slt, %i, %c333 : index
      %in = arith.andi %low, %high : i1
      %x = scf.if %in -> f32 {
        %a = memref.load %A[%i] : memref<333xf32>
        scf.yield %a : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      memref.store %x, %s[%t] : memref<68xf32, #gpu.address_space<workgroup>>
    }
    tc.par block (%t) = (0) to (64) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %in = arith.cmpi slt, %i, %c333 : index
      %zero = arith.constant 0.0 : f32
      %sum = tc.seq (%k) = (0) to (5) init(%acc = %zero : f32) {
        %at = affine.apply affine_map<(t, k) -> (t + k)>(%t, %k)
        %x = memref.load %s[%at] : memref<68xf32, #gpu.address_space<workgroup>>
        %n = arith.addf %acc, %x : f32
        tc.yield %n : f32
      }
      scf.if %in {
        memref.store %sum, %B[%i] : memref<333xf32>
      }
    }
  }
  return
}
