// What tc-schedule refuses, where tc-split is run alone.
//
// RUN: tc-opt %s --tc-normalize --tc-split --verify-diagnostics
func.func @two_splits_version(%A: memref<?x64x64xf32>, %C: memref<?xf32>, %n: index) {
  // expected-error @below {{expected one iterator that is split in a version, got 2}}
  tc.contract (i = %n, p = 64, q = 64) ins(%A[i, p, q] : memref<?x64x64xf32>) outs(%C[i] : memref<?xf32>) {schedule = #tc.schedule<thread = [i = 64], kernel = fma>,
       tc.versions = [#tc.version<below = 9, schedule = <split = [p = 4, q = 4], kernel = fma>>]}
  return
}
