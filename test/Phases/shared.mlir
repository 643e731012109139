// Results that several threads gather: along one contracted iterator or two, as the
// fastest threads or not, in numbers that are no powers of two, with extents that no tile
// divides; added to the old result, and through every kind of region.
//
// RUN: %check_phases %s %phases

func.func @dot(%x: memref<701xf32>, %y: memref<701xf32>, %z: memref<f32>) {
  tc.contract (q = 701) ins(%x[q] : memref<701xf32>, %y[q] : memref<701xf32>) outs(%z[] : memref<f32>)
      {schedule = #tc.schedule<thread = [q = 64], step = [q = 256], kernel = fma>}
  return
}

func.func @trace(%A: memref<97x97xi64>, %z: memref<i64>) {
  tc.contract (q = 97) ins(%A[q, q] : memref<97x97xi64>) outs(%z[] : memref<i64>)
      {schedule = #tc.schedule<thread = [q = 13], step = [q = 13], kernel = fma>}
  return
}

func.func @product(%A: memref<13x70xf32>, %B: memref<70x31xf32>, %C: memref<13x31xf32>) {
  tc.contract (i = 13, j = 31, q = 70)
      ins(%A[i, q] : memref<13x70xf32>, %B[q, j] : memref<70x31xf32>) outs(%C[i, j] : memref<13x31xf32>)
      {schedule = #tc.schedule<thread = [i = 2, q = 12, j = 8], register = [i = 2, j = 2], step = [q = 24], kernel = fma>}
  return
}

func.func @two(%A: memref<5x6x21x10xf64>, %C: memref<5x6xf64>) {
  tc.contract (i = 5, j = 6, q = 21, r = 10) ins(%A[i, j, q, r] : memref<5x6x21x10xf64>)
      outs(%C[i, j] : memref<5x6xf64>) overwrite
      {schedule = #tc.schedule<thread = [q = 3, i = 2, r = 10], register = [j = 2], step = [q = 6, r = 10], kernel = fma>}
  return
}

func.func @columns(%A: memref<50x15xf32>, %y: memref<15xf32>) {
  tc.contract (j = 15, q = 50) ins(%A[q, j] : memref<50x15xf32>) outs(%y[j] : memref<15xf32>)
      {schedule = #tc.schedule<thread = [q = 4, j = 4], step = [q = 16], kernel = fma>}
  return
}

// Fill values would make this map neutral for no input.
func.func @squares(%x: memref<90xf32>, %z: memref<f32>) {
  tc.contract (q = 90) ins(%x[q] : memref<90xf32>) outs(%z[] : memref<f32>)
      neutral(0.0 : f32) {schedule = #tc.schedule<thread = [q = 16], step = [q = 32], kernel = fma>}
      map (%a: f32) {
        %one = arith.constant 1.0 : f32
        %b = arith.addf %a, %one : f32
        %c = arith.mulf %b, %b : f32
        tc.yield %c : f32
      } combine associative commutative (%acc: f32, %a: f32) {
        %s = arith.addf %acc, %a : f32
        tc.yield %s : f32
      } epilogue (%acc: f32) {
        %two = arith.constant 2.0 : f32
        %r = arith.mulf %acc, %two : f32
        tc.yield %r : f32
      }
  return
}

// The largest and the smallest.
func.func @range(%x: memref<9x70xi32>, %most: memref<9xi32>, %least: memref<9xi64>, %s: memref<9xi32>) {
  tc.contract (i = 9, q = 70) ins(%x[i, q] : memref<9x70xi32>) sides(%s[i] : memref<9xi32>)
      outs(%most[i] : memref<9xi32>, %least[i] : memref<9xi64>)
      overwrite neutral(-2147483648 : i32, 2147483647 : i32)
      {schedule = #tc.schedule<thread = [i = 2, q = 9], register = [i = 2], step = [q = 18], kernel = fma>}
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

func.func @sum(%A: memref<6x40xf32>, %B: memref<30x6xf32>, %C: memref<6xf32>) {
  tc.sum {
    tc.contract (i = 6, q = 40) ins(%A[i, q] : memref<6x40xf32>) outs(%C[i] : memref<6xf32>)
        {schedule = #tc.schedule<thread = [i = 2, q = 8], step = [q = 16], kernel = fma>}
    tc.contract (i = 6, r = 30) ins(%B[r, i] : memref<30x6xf32>) outs(%C[i] : memref<6xf32>)
        {schedule = #tc.schedule<thread = [i = 2, r = 8], step = [r = 8], kernel = fma>}
  }
  return
}

// Vectors along what is summed: threads read them where they lie, but for the last step.
func.func @vectors(%x: memref<712xf32>, %y: memref<712xf32>, %z: memref<f32>) {
  tc.contract (q = 712) ins(%x[q] : memref<712xf32>, %y[q] : memref<712xf32>) outs(%z[] : memref<f32>)
      {schedule = #tc.schedule<thread = [q = 16], step = [q = 256], vector = [q = 4], kernel = fma>}
  return
}

// One input is for several threads and is staged, ahead of the steps.
func.func @ahead(%A: memref<11x96xf32>, %x: memref<96xf32>, %y: memref<11xf32>) {
  tc.contract (i = 11, q = 96) ins(%A[i, q] : memref<11x96xf32>, %x[q] : memref<96xf32>) outs(%y[i] : memref<11xf32>)
      {schedule = #tc.schedule<thread = [i = 4, q = 8], register = [i = 2], step = [q = 32], vector = [q = 4], stages = 2, kernel = fma>}
  return
}

// Vectors of results that threads gather.
func.func @results(%A: memref<40x24xf32>, %y: memref<24xf32>) {
  tc.contract (j = 24, q = 40) ins(%A[q, j] : memref<40x24xf32>) outs(%y[j] : memref<24xf32>)
      {schedule = #tc.schedule<thread = [q = 5, j = 3], step = [q = 10], vector = [j = 4], stages = 3, kernel = fma>}
  return
}
