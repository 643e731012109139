// RUN: tc-opt %s | tc-opt | FileCheck %s

// Block tiles on the grid, steps of 16 in order, threads of a block.
func.func @nest(%n: index) {
  // CHECK: tc.par grid (%{{.*}}, %{{.*}}) = (0, 0) to (128, 64) step (64, 16)
  tc.par grid (%i, %j) = (0, 0) to (128, 64) step (64, 16) {
    %zero = arith.constant 0.0 : f32
    // CHECK: tc.seq (%{{.*}}) = (0) to (%{{.*}}) step (16) init(%{{.*}} = %{{.*}} : f32)
    %last = tc.seq (%q) = (0) to (%n) step (16) init(%x = %zero : f32) {
      // CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (8, 16) map #tc.map<fold_last2>
      tc.par block (%ti, %tj) = (0, 0) to (8, 16) map #tc.map<fold_last2> {
      }
      tc.yield %x : f32
    }
  }
  return
}
