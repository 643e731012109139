// RUN: tc-opt %s --tc-map | FileCheck %s

// Four grid iterators fold into axes of the grid, two block iterators into threads.
func.func @nest() {
  tc.par grid (%a, %b, %c, %d) = (0, 0, 0, 0) to (96, 31, 7, 64) step (1, 1, 1, 16) {
    tc.par block (%i, %j) = (0, 0) to (8, 32) {
    }
  }
  return
}

// CHECK-LABEL: @nest
// CHECK: tc.par grid {{.*}} map #tc.map<compress_grid({{.*}}fold_last2
// CHECK: tc.par block {{.*}} map #tc.map<fold_last2>
