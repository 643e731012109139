// A nest of more iterations than the reference can run is refused before it takes all of the
// memory for records of them.
//
// RUN: not tc-run %s --verify --device=emulator 2>&1 | FileCheck %s
// CHECK: error: {{.*}}endless-nest.mlir":9:5): 'tc.par': expected at most 1099511627776 iterations of a parallel loop, got 18446744073709551616

func.func @endless(%A: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.par block (%v, %w) = (0, 0) to (4294967296, 4294967296) {
      %x = memref.load %A[%g] : memref<8xf32>
      memref.store %x, %A[%g] : memref<8xf32>
    }
  }
  return
}
