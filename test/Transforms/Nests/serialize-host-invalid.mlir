// Iterations of the host that meet, as those of other levels.
//
// RUN: tc-opt %s --tc-serialize-host --verify-diagnostics

func.func @f(%A: memref<8x64xf32>, %B: memref<64xf32>) {
  // expected-note@+1 {{the iterations are of this tc.par}}
  tc.par host (%i) = (0) to (8) {
    tc.par device (%j) = (0) to (64) {
      %x = memref.load %A[%i, %j] : memref<8x64xf32>
      // expected-error@+1 {{expected iterations of tc.par to be independent: (1) and (0) write to one element}}
      memref.store %x, %B[%j] : memref<64xf32>
    }
  }
  return
}
