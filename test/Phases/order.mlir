// Contractions of several inputs: tc-order and the phases after it keep the numbers.
//
// RUN: %check_phases %s tc-order tc-normalize tc-schedule tc-tile tc-promote tc-map \
// RUN:   tc-sync tc-lower-microkernel

func.func @chain(%A: memref<9x7xf32>, %B: memref<7x4xf32>, %C: memref<4x11xf32>, %D: memref<11x6xf32>, %Z: memref<9x6xf32>) {
  tc.contract (i = 9, j = 6, q = 7, r = 4, s = 11)
      ins(%A[i, q] : memref<9x7xf32>, %B[q, r] : memref<7x4xf32>, %C[r, s] : memref<4x11xf32>, %D[s, j] : memref<11x6xf32>)
      outs(%Z[i, j] : memref<9x6xf32>)
  return
}

func.func @subscripts(%A: memref<21xf64>, %B: memref<3x8x8xf64>, %C: memref<8x5xf64>, %Z: memref<10x5xf64>) {
  tc.contract (i = 10, j = 5, w = 3, q = 8)
      ins(%A[2 * i + w] : memref<21xf64>, %B[w, q, q] : memref<3x8x8xf64>, %C[7 - q, j] : memref<8x5xf64>)
      outs(%Z[i, j] : memref<10x5xf64>) overwrite
  return
}

// r is summed in B alone, s in no input.
func.func @idle(%A: memref<6xf64>, %B: memref<6x7xf64>, %C: memref<6xf64>, %Z: memref<9xf64>) {
  tc.contract (i = 9, q = 6, r = 7, s = 3)
      ins(%A[q] : memref<6xf64>, %B[q, r] : memref<6x7xf64>, %C[q] : memref<6xf64>)
      outs(%Z[i] : memref<9xf64>)
  return
}
