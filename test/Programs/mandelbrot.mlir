// The Mandelbrot set in fixed-point numbers of 16 binary digits after the point, so
// that every implementation counts the same iterations: an scf.while a thread, each
// of its own length.
//
// RUN: %run_program %s
func.func @mandelbrot(%counts: memref<24x40xi32>) {
  tc.par grid (%y) = (0) to (24) {
    tc.par block (%x) = (0) to (40) {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %digits = arith.constant 16 : i64
      %digitsLess1 = arith.constant 15 : i64
      %four = arith.constant 262144 : i64
      %most = arith.constant 50 : i64
      %cx = affine.apply affine_map<(x) -> (x * 4915 - 131072)>(%x)
      %cy = affine.apply affine_map<(y) -> (y * 6554 - 78643)>(%y)
      %re = arith.index_cast %cx : index to i64
      %im = arith.index_cast %cy : index to i64
      %end:3 = scf.while (%a = %zero, %b = %zero, %n = %zero) : (i64, i64, i64) -> (i64, i64, i64) {
        %aa = arith.muli %a, %a : i64
        %bb = arith.muli %b, %b : i64
        %r = arith.addi %aa, %bb : i64
        %r2 = arith.shrsi %r, %digits : i64
        %inside = arith.cmpi slt, %r2, %four : i64
        %few = arith.cmpi slt, %n, %most : i64
        %more = arith.andi %inside, %few : i1
        scf.condition(%more) %a, %b, %n : i64, i64, i64
      } do {
      ^bb0(%a: i64, %b: i64, %n: i64):
        %aa = arith.muli %a, %a : i64
        %bb = arith.muli %b, %b : i64
        %ab = arith.muli %a, %b : i64
        %d = arith.subi %aa, %bb : i64
        %d1 = arith.shrsi %d, %digits : i64
        %ab1 = arith.shrsi %ab, %digitsLess1 : i64
        %a1 = arith.addi %d1, %re : i64
        %b1 = arith.addi %ab1, %im : i64
        %n1 = arith.addi %n, %one : i64
        scf.yield %a1, %b1, %n1 : i64, i64, i64
      }
      %n32 = arith.trunci %end#2 : i64 to i32
      memref.store %n32, %counts[%y, %x] : memref<24x40xi32>
    }
  }
  return
}
