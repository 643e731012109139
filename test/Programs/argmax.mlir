// The largest element of each row and where it is first: pairs, reduced by a tree
// whose combination prefers the smaller index of equal elements.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @argmax(%A: memref<9x64xf32>, %V: memref<9xf32>, %I: memref<9xi32>) {
  tc.par grid (%r) = (0) to (9) {
    %first = arith.constant 0 : index
    %last = arith.constant 0 : index
    %v = tc.new : memref<2x64xf32, #shared>
    %p = tc.new : memref<2x64xi32, #shared>
    tc.par block (%t) = (0) to (64) {
      %a = memref.load %A[%r, %t] : memref<9x64xf32>
      %i = arith.index_cast %t : index to i32
      memref.store %a, %v[%first, %t] : memref<2x64xf32, #shared>
      memref.store %i, %p[%first, %t] : memref<2x64xi32, #shared>
    }
    tc.seq (%level) = (0) to (6) {
      %from = affine.apply affine_map<(l) -> (l mod 2)>(%level)
      %to = affine.apply affine_map<(l) -> ((l + 1) mod 2)>(%level)
      %c32 = arith.constant 32 : index
      %half = arith.shrui %c32, %level : index
      tc.par block (%t) = (0) to (32) {
        %in = arith.cmpi slt, %t, %half : index
        %other = arith.addi %t, %half : index
        %x = memref.load %v[%from, %t] : memref<2x64xf32, #shared>
        %i = memref.load %p[%from, %t] : memref<2x64xi32, #shared>
        %best:2 = scf.if %in -> (f32, i32) {
          %y = memref.load %v[%from, %other] : memref<2x64xf32, #shared>
          %j = memref.load %p[%from, %other] : memref<2x64xi32, #shared>
          %more = arith.cmpf ogt, %y, %x : f32
          %same = arith.cmpf oeq, %y, %x : f32
          %before = arith.cmpi slt, %j, %i : i32
          %sameBefore = arith.andi %same, %before : i1
          %takes = arith.ori %more, %sameBefore : i1
          %value = arith.select %takes, %y, %x : f32
          %index = arith.select %takes, %j, %i : i32
          scf.yield %value, %index : f32, i32
        } else {
          scf.yield %x, %i : f32, i32
        }
        memref.store %best#0, %v[%to, %t] : memref<2x64xf32, #shared>
        memref.store %best#1, %p[%to, %t] : memref<2x64xi32, #shared>
      }
    }
    tc.par block (%t) = (0) to (1) {
      %x = memref.load %v[%last, %t] : memref<2x64xf32, #shared>
      %i = memref.load %p[%last, %t] : memref<2x64xi32, #shared>
      memref.store %x, %V[%r] : memref<9xf32>
      memref.store %i, %I[%r] : memref<9xi32>
    }
  }
  return
}
