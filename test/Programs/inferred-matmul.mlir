// The program of TExpr's introduction as it stands there: neither levels nor mappings. A band of
// parallel loops becomes threads of the whole device.
//
// RUN: %run_program %s
func.func @matmul(%A: memref<37x29xf32>, %B: memref<29x41xf32>, %C: memref<37x41xf32>) {
  tc.par (%i) = (0) to (37) {
    tc.par (%j) = (0) to (41) {
      tc.seq (%k) = (0) to (29) {
        %a = memref.load %A[%i, %k] : memref<37x29xf32>
        %b = memref.load %B[%k, %j] : memref<29x41xf32>
        %c = memref.load %C[%i, %j] : memref<37x41xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        memref.store %s, %C[%i, %j] : memref<37x41xf32>
      }
    }
  }
  return
}
