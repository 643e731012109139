// The core of LocVolCalib (FinPar): for each row of each matrix three scans one
// after the other, each of another operator, over the threads of a block: a sum, a
// maximum and a product modulo 2^32. Rows of 33 do not fill a power of two.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @three_scans(%A: memref<3x4x33xi32>, %B: memref<3x4x33xi32>) {
  %c33 = arith.constant 33 : index
  tc.par grid (%i, %j) = (0, 0) to (3, 4) {
    %s = tc.new : memref<2x33xi32, #shared>
    tc.par block (%t) = (0) to (33) {
      %c0 = arith.constant 0 : index
      %a = memref.load %A[%i, %j, %t] : memref<3x4x33xi32>
      memref.store %a, %s[%c0, %t] : memref<2x33xi32, #shared>
    }
    tc.seq (%scan, %step) = (0, 0) to (3, 6) {
      %c1 = arith.constant 1 : index
      %distance = arith.shli %c1, %step : index
      %from = affine.apply affine_map<(s) -> (s mod 2)>(%step)
      %to = affine.apply affine_map<(s) -> ((s + 1) mod 2)>(%step)
      tc.par block (%t) = (0) to (33) {
        %c0 = arith.constant 0 : index
        %left = arith.subi %t, %distance : index
        %in = arith.cmpi sge, %t, %distance : index
        %isSum = arith.cmpi eq, %scan, %c0 : index
        %isMaximum = arith.cmpi eq, %scan, %c1 : index
        %x = memref.load %s[%from, %t] : memref<2x33xi32, #shared>
        %n = scf.if %in -> i32 {
          %y = memref.load %s[%from, %left] : memref<2x33xi32, #shared>
          %sum = arith.addi %x, %y : i32
          %maximum = arith.maxsi %x, %y : i32
          %product = arith.muli %x, %y : i32
          %other = arith.select %isMaximum, %maximum, %product : i32
          %one = arith.select %isSum, %sum, %other : i32
          scf.yield %one : i32
        } else {
          scf.yield %x : i32
        }
        memref.store %n, %s[%to, %t] : memref<2x33xi32, #shared>
      }
    }
    tc.par block (%t) = (0) to (33) {
      %c0 = arith.constant 0 : index
      %x = memref.load %s[%c0, %t] : memref<2x33xi32, #shared>
      memref.store %x, %B[%i, %j, %t] : memref<3x4x33xi32>
    }
  }
  return
}
