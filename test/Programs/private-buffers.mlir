// A buffer a thread: each sorts the seven numbers of its window by insertion in
// private memory, at dynamic subscripts, and takes the median.
//
// RUN: %run_program %s
#private = #gpu.address_space<private>
func.func @median(%A: memref<206xi32>, %B: memref<200xi32>) {
  tc.par grid (%i0) = (0) to (200) step (40) {
    tc.par block (%t) = (0) to (40) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %w = tc.new init(0 : i32) : memref<8xi32, #private>
      tc.seq (%k) = (0) to (7) {
        %at = affine.apply affine_map<(i, k) -> (i + k)>(%i, %k)
        %x = memref.load %A[%at] : memref<206xi32>
        %place = scf.while (%p = %k) : (index) -> index {
          %inside = arith.cmpi sgt, %p, %c0 : index
          %more = scf.if %inside -> i1 {
            %before = arith.subi %p, %c1 : index
            %y = memref.load %w[%before] : memref<8xi32, #private>
            %larger = arith.cmpi sgt, %y, %x : i32
            scf.yield %larger : i1
          } else {
            %no = arith.constant false
            scf.yield %no : i1
          }
          scf.condition(%more) %p : index
        } do {
        ^bb0(%p: index):
          %before = arith.subi %p, %c1 : index
          %y = memref.load %w[%before] : memref<8xi32, #private>
          memref.store %y, %w[%p] : memref<8xi32, #private>
          scf.yield %before : index
        }
        memref.store %x, %w[%place] : memref<8xi32, #private>
      }
      %m = memref.load %w[%c3] : memref<8xi32, #private>
      memref.store %m, %B[%i] : memref<200xi32>
    }
  }
  return
}
