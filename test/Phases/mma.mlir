// Contractions of warps by tensor instructions, up to the phase that has these, and on
// the emulator: several iterators along rows, columns and terms, of extents that nothing
// divides; results read and written; a batch, an epilogue with a side input; two terms of
// a sum with other steps, and three whose lanes have other results; a sum in parts.
//
// RUN: %check_phases %s tc-normalize tc-schedule tc-split tc-tile tc-promote tc-map tc-sync

func.func @matmul(%A: memref<37x19xf64>, %B: memref<19x22xf64>, %C: memref<37x22xf64>) {
  tc.contract (i = 37, j = 22, k = 19)
      ins(%A[i, k] : memref<37x19xf64>, %B[k, j] : memref<19x22xf64>)
      outs(%C[i, j] : memref<37x22xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 16],
        vector = [j = 2], stages = 2, kernel = mma,
        unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

func.func @boxes(%A: memref<3x7x5x3x6xf64>, %B: memref<3x6x3x5x4xf64>, %C: memref<3x5x7x4x5xf64>) {
  tc.contract (z = 3, a = 7, b = 5, c = 5, d = 4, p = 3, q = 6)
      ins(%A[z, a, b, p, q] : memref<3x7x5x3x6xf64>, %B[z, q, p, c, d] : memref<3x6x3x5x4xf64>)
      outs(%C[z, c, a, d, b] : memref<3x5x7x4x5xf64>) overwrite
      {schedule = #tc.schedule<thread = [a = 4, b = 4, c = 2, d = 2], register = [z = 2, a = 2, d = 2],
        step = [p = 2, q = 4], kernel = mma,
        unit = <"m16n8k4.f64", m = [a = 4, b = 2], n = [c = 2, d = 2], k = [p = 2, q = 2]>>}
  return
}

// Instructions that stick out along rows and a batch, and columns; of the rows those of one
// instruction are along two iterators.
func.func @edges(%A: memref<3x9x3x7xf64>, %B: memref<3x7x21xf64>, %C: memref<3x9x3x21xf64>) {
  tc.contract (z = 3, a = 9, b = 3, c = 21, p = 7)
      ins(%A[z, a, b, p] : memref<3x9x3x7xf64>, %B[z, p, c] : memref<3x7x21xf64>)
      outs(%C[z, a, b, c] : memref<3x9x3x21xf64>)
      {schedule = #tc.schedule<thread = [a = 8, c = 8], register = [z = 2, a = 4, b = 3, c = 2],
        step = [p = 4], stages = 2, kernel = mma,
        unit = <"m16n8k4.f64", m = [a = 8], n = [c = 4], k = [p = 4]>>}
  return
}

func.func @edges_of_parts(%A: memref<45x24xf32>, %B: memref<24x50xf32>, %C: memref<45x50xf32>) {
  tc.contract (i = 45, j = 50, k = 24)
      ins(%A[i, k] : memref<45x24xf32>, %B[k, j] : memref<24x50xf32>)
      outs(%C[i, j] : memref<45x50xf32>) overwrite precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 8, j = 8], register = [i = 4, j = 4], step = [k = 8],
        vector = [k = 2], stages = 2, kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// The first input has the columns.
func.func @epilogue(%A: memref<20x24xf64>, %B: memref<24x9xf64>, %S: memref<9xf64>, %C: memref<9x20xf64>) {
  tc.contract (i = 20, j = 9, k = 24)
      ins(%A[i, k] : memref<20x24xf64>, %B[k, j] : memref<24x9xf64>)
      sides(%S[j] : memref<9xf64>) outs(%C[j, i] : memref<9x20xf64>)
      {schedule = #tc.schedule<thread = [i = 4, j = 8], register = [i = 4], step = [k = 8],
        vector = [k = 2], stages = 3, kernel = mma,
        unit = <"m8n8k4.f64", m = [j = 8], n = [i = 4], k = [k = 4]>>}
      epilogue (%v: f64, %s: f64) {
        %x = arith.mulf %v, %s : f64
        tc.yield %x : f64
      }
  return
}

func.func @sum(%A: memref<40x24xf64>, %B: memref<24x48xf64>, %D: memref<40x17xf64>, %E: memref<17x48xf64>,
               %C: memref<40x48xf64>) {
  tc.sum {
    tc.contract (i = 40, j = 48, k = 24)
        ins(%A[i, k] : memref<40x24xf64>, %B[k, j] : memref<24x48xf64>)
        outs(%C[i, j] : memref<40x48xf64>) overwrite
        {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 8],
          vector = [j = 2], stages = 2, kernel = mma,
          unit = <"m16n8k8.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
    tc.contract (i = 40, j = 48, l = 17)
        ins(%D[i, l] : memref<40x17xf64>, %E[l, j] : memref<17x48xf64>)
        outs(%C[i, j] : memref<40x48xf64>)
        {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [l = 16],
          vector = [j = 2], stages = 2, kernel = mma,
          unit = <"m16n8k16.f64", m = [i = 8], n = [j = 4], k = [l = 4]>>}
  }
  return
}

// Accumulators move twice: to other columns, and to rows and columns that are along
// three iterators. The tiles of first inputs are too small for all registers at once.
func.func @lanes(%A: memref<11x9xf64>, %B: memref<9x19x6xf64>, %D: memref<6x7xf64>, %E: memref<7x11x19xf64>,
                 %F: memref<19x5xf64>, %G: memref<5x6x11xf64>, %C: memref<11x19x6xf64>) {
  tc.sum {
    tc.contract (i = 11, j = 19, l = 6, k = 9)
        ins(%A[i, k] : memref<11x9xf64>, %B[k, j, l] : memref<9x19x6xf64>)
        outs(%C[i, j, l] : memref<11x19x6xf64>)
        {schedule = #tc.schedule<thread = [i = 8, j = 8, l = 4], register = [i = 2, j = 2, l = 2], step = [k = 8],
          stages = 2, kernel = mma,
          unit = <"m16n8k8.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
    tc.contract (i = 11, j = 19, l = 6, q = 7)
        ins(%D[l, q] : memref<6x7xf64>, %E[q, i, j] : memref<7x11x19xf64>)
        outs(%C[i, j, l] : memref<11x19x6xf64>)
        {schedule = #tc.schedule<thread = [i = 8, j = 8, l = 4], register = [i = 2, j = 2, l = 2], step = [q = 4],
          kernel = mma,
          unit = <"m16n8k4.f64", m = [i = 8], n = [l = 4], k = [q = 4]>>}
    tc.contract (i = 11, j = 19, l = 6, r = 5)
        ins(%F[j, r] : memref<19x5xf64>, %G[r, l, i] : memref<5x6x11xf64>)
        outs(%C[i, j, l] : memref<11x19x6xf64>)
        {schedule = #tc.schedule<thread = [i = 8, j = 8, l = 4], register = [i = 2, j = 2, l = 2], step = [r = 4],
          kernel = mma,
          unit = <"m16n8k4.f64", m = [j = 8], n = [i = 2, l = 2], k = [r = 4]>>}
  }
  return
}

func.func @parts(%A: memref<9x64xf64>, %B: memref<64x10xf64>, %C: memref<9x10xf64>) {
  tc.contract (i = 9, j = 10, k = 64)
      ins(%A[i, k] : memref<9x64xf64>, %B[k, j] : memref<64x10xf64>)
      outs(%C[i, j] : memref<9x10xf64>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [j = 2], step = [k = 4],
        split = [k = 4], kernel = mma,
        unit = <"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Numbers of 16 and 8 bits, by twos and fours in registers: neighbours along the terms as
// they are, others put together.
func.func @halves(%A: memref<37x40xf16>, %B: memref<40x24xf16>, %C: memref<37x24xf16>) {
  tc.contract (i = 37, j = 24, k = 40)
      ins(%A[i, k] : memref<37x40xf16>, %B[k, j] : memref<40x24xf16>)
      outs(%C[i, j] : memref<37x24xf16>)
      {schedule = #tc.schedule<thread = [j = 8, i = 4], register = [i = 4], step = [k = 32],
        vector = [j = 8, k = 8], stages = 2, kernel = mma,
        unit = <"m16n8k16.f16", m = [j = 8], n = [i = 4], k = [k = 4]>>}
  return
}

func.func @bytes(%A: memref<20x21xi8>, %B: memref<21x9xi8>, %C: memref<9x20xi32>) {
  tc.contract (i = 20, j = 9, k = 21)
      ins(%A[i, k] : memref<20x21xi8>, %B[k, j] : memref<21x9xi8>)
      outs(%C[j, i] : memref<9x20xi32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 32],
        kernel = mma, unit = <"m16n8k32.s8", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Products of f32 by parts.
func.func @parts_of_f32(%A: memref<21x24xf32>, %B: memref<24x18xf32>, %C: memref<21x18xf32>) {
  tc.contract (i = 21, j = 18, k = 24)
      ins(%A[i, k] : memref<21x24xf32>, %B[k, j] : memref<24x18xf32>)
      outs(%C[i, j] : memref<21x18xf32>) precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 8],
        vector = [k = 2], stages = 2, kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Three parts of each number, two numbers in a register.
func.func @nine_products(%A: memref<21x40xf32>, %B: memref<40x18xf32>, %C: memref<21x18xf32>) {
  tc.contract (i = 21, j = 18, k = 40)
      ins(%A[i, k] : memref<21x40xf32>, %B[k, j] : memref<40x18xf32>)
      outs(%C[i, j] : memref<21x18xf32>) precision(bf16x9)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 16],
        vector = [k = 4], stages = 2, kernel = mma,
        unit = <"m16n8k16.bf16", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Sums of several instructions that are added to zero first, of parts and of whole numbers;
// the last ones of a step are fewer.
func.func @promoted_parts(%A: memref<21x50xf32>, %B: memref<50x18xf32>, %C: memref<21x18xf32>) {
  tc.contract (i = 21, j = 18, k = 50)
      ins(%A[i, k] : memref<21x50xf32>, %B[k, j] : memref<50x18xf32>)
      outs(%C[i, j] : memref<21x18xf32>) precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 24],
        vector = [k = 2], stages = 2, kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4], promote = 16>>}
  return
}

func.func @promoted_halves(%A: memref<37x70xf16>, %B: memref<70x24xf16>, %C: memref<37x24xf32>) {
  tc.contract (i = 37, j = 24, k = 70)
      ins(%A[i, k] : memref<37x70xf16>, %B[k, j] : memref<70x24xf16>)
      outs(%C[i, j] : memref<37x24xf32>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 48],
        vector = [k = 2], stages = 2, kernel = mma,
        unit = <"m16n8k16.f16", m = [i = 8], n = [j = 4], k = [k = 4], promote = 32>>}
  return
}
