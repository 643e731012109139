// Forward substitution of small systems, a system a block: in step k thread k has its
// result, which all later rows then take off; so every step is two blocks of threads.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @solve(%L: memref<5x24x24xi64>, %X: memref<5x24xi64>) {
  tc.par grid (%b) = (0) to (5) {
    %x = tc.new : memref<25x24xi64, #shared>
    tc.par block (%t) = (0) to (24) {
      %c0 = arith.constant 0 : index
      %a = memref.load %X[%b, %t] : memref<5x24xi64>
      memref.store %a, %x[%c0, %t] : memref<25x24xi64, #shared>
    }
    tc.seq (%k) = (0) to (24) {
      %next = affine.apply affine_map<(k) -> (k + 1)>(%k)
      tc.par block (%t) = (0) to (24) {
        %own = memref.load %x[%k, %t] : memref<25x24xi64, #shared>
        %known = memref.load %x[%k, %k] : memref<25x24xi64, #shared>
        %l = memref.load %L[%b, %t, %k] : memref<5x24x24xi64>
        %below = arith.cmpi sgt, %t, %k : index
        %p = arith.muli %l, %known : i64
        %less = arith.subi %own, %p : i64
        %n = arith.select %below, %less, %own : i64
        memref.store %n, %x[%next, %t] : memref<25x24xi64, #shared>
      }
    }
    tc.par block (%t) = (0) to (24) {
      %c24 = arith.constant 24 : index
      %a = memref.load %x[%c24, %t] : memref<25x24xi64, #shared>
      memref.store %a, %X[%b, %t] : memref<5x24xi64>
    }
  }
  return
}
