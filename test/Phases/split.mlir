// Sums in parts that have blocks of their own: parts that divide the extent and such
// that leave something over, of one iterator or several, added to the old result, with
// sides, and through every kind of region.
//
// RUN: %check_phases %s %phases

func.func @dot(%x: memref<704xf32>, %y: memref<704xf32>, %z: memref<f32>) {
  tc.contract (q = 704) ins(%x[q] : memref<704xf32>, %y[q] : memref<704xf32>) outs(%z[] : memref<f32>)
      {schedule = #tc.schedule<thread = [q = 8], step = [q = 32], split = [q = 11], kernel = fma>}
  return
}

func.func @vectors(%A: memref<11x96xf32>, %x: memref<96xf32>, %y: memref<11xf32>) {
  tc.contract (i = 11, q = 96) ins(%A[i, q] : memref<11x96xf32>, %x[q] : memref<96xf32>) outs(%y[i] : memref<11xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, q = 4], register = [i = 2], step = [q = 16], vector = [q = 4], split = [q = 3], stages = 2, kernel = fma>}
  return
}

// Each part is one term.
func.func @terms(%A: memref<13x7xf32>, %B: memref<7x31xf32>, %C: memref<13x31xf32>) {
  tc.contract (i = 13, j = 31, q = 7)
      ins(%A[i, q] : memref<13x7xf32>, %B[q, j] : memref<7x31xf32>) outs(%C[i, j] : memref<13x31xf32>)
      {schedule = #tc.schedule<thread = [i = 2, j = 8], register = [i = 2, j = 2], split = [q = 7], kernel = fma>}
  return
}

func.func @rest(%A: memref<13x71xf32>, %B: memref<71x31xf32>, %C: memref<13x31xf32>) {
  tc.contract (i = 13, j = 31, q = 71)
      ins(%A[i, q] : memref<13x71xf32>, %B[q, j] : memref<71x31xf32>) outs(%C[i, j] : memref<13x31xf32>)
      {schedule = #tc.schedule<thread = [i = 2, j = 8], register = [i = 2, j = 2], step = [q = 8], split = [q = 3], kernel = fma>}
  return
}

// Something is left over of each.
func.func @two(%A: memref<5x6x21x10xf64>, %s: memref<6xf64>, %C: memref<5x6xf64>) {
  tc.contract (i = 5, j = 6, q = 21, r = 10) ins(%A[i, j, q, r] : memref<5x6x21x10xf64>)
      sides(%s[j] : memref<6xf64>) outs(%C[i, j] : memref<5x6xf64>)
      {schedule = #tc.schedule<thread = [i = 2, j = 2], step = [r = 3], split = [q = 4, r = 3], kernel = fma>}
      epilogue (%acc: f64, %side: f64) {
        %r = arith.subf %acc, %side : f64
        tc.yield %r : f64
      }
  return
}

// A result whose rows lie backwards, in columns.
func.func @layout(%A: memref<24x6x10xi32>, %C: memref<10x12xi64>) {
  tc.contract (i = 6, j = 10, q = 24) ins(%A[q, i, j] : memref<24x6x10xi32>) outs(%C[9 - j, 2 * i] : memref<10x12xi64>)
      {schedule = #tc.schedule<thread = [i = 2, j = 5], step = [q = 2], split = [q = 6], kernel = fma>}
  return
}

// The largest and the smallest.
func.func @range(%x: memref<9x70xi32>, %most: memref<9xi32>, %least: memref<9xi64>, %s: memref<9xi32>) {
  tc.contract (i = 9, q = 70) ins(%x[i, q] : memref<9x70xi32>) sides(%s[i] : memref<9xi32>)
      outs(%most[i] : memref<9xi32>, %least[i] : memref<9xi64>)
      overwrite neutral(-2147483648 : i32, 2147483647 : i32)
      {schedule = #tc.schedule<thread = [i = 2, q = 7], register = [i = 2], step = [q = 7], split = [q = 5], kernel = fma>}
      map (%a: i32) {
        tc.yield %a, %a : i32, i32
      } combine associative commutative (%m: i32, %l: i32, %a: i32, %b: i32) {
        %x0 = arith.maxsi %m, %a : i32
        %x1 = arith.minsi %l, %b : i32
        tc.yield %x0, %x1 : i32, i32
      } epilogue (%m: i32, %l: i32, %side: i32) {
        %a = arith.addi %m, %side : i32
        %b = arith.extsi %l : i32 to i64
        tc.yield %a, %b : i32, i64
      }
  return
}

// The last that is not zero: parts in order are as good as terms in order.
func.func @last(%x: memref<5x40x3xi32>, %z: memref<5xi32>) {
  tc.contract (i = 5, q = 40, r = 3) ins(%x[i, q, r] : memref<5x40x3xi32>) outs(%z[i] : memref<5xi32>)
      neutral(0 : i32) {schedule = #tc.schedule<thread = [i = 4], split = [q = 8], kernel = fma>}
      map (%a: i32) {
        %three = arith.constant 3 : i32
        %b = arith.remsi %a, %three : i32
        tc.yield %b : i32
      } combine associative (%acc: i32, %a: i32) {
        %zero = arith.constant 0 : i32
        %none = arith.cmpi eq, %a, %zero : i32
        %s = arith.select %none, %acc, %a : i32
        tc.yield %s : i32
      }
  return
}
