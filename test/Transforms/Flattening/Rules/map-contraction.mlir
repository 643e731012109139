// A contraction in a map gets the indices of the map as iterators.
//
// RUN: tc-opt %s --tc-distribute | FileCheck %s
// RUN: %check_phases %s tc-distribute
//
// CHECK-NOT: tc.par
// CHECK: tc.contract ({{.*}} = 5, {{.*}} = 20, {{.*}} = 30)
// CHECK-NOT: tc.par
func.func @contraction(%A: memref<5x20x30xf32>, %x: memref<30xf32>, %y: memref<5x20xf32>) {
  tc.par (%i) = (0) to (5) {
    %a = memref.subview %A[%i, 0, 0] [1, 20, 30] [1, 1, 1]
      : memref<5x20x30xf32> to memref<20x30xf32, strided<[30, 1], offset: ?>>
    %z = memref.subview %y[%i, 0] [1, 20] [1, 1]
      : memref<5x20xf32> to memref<20xf32, strided<[1], offset: ?>>
    tc.contract (j = 20, q = 30)
      ins(%a[j, q] : memref<20x30xf32, strided<[30, 1], offset: ?>>, %x[q] : memref<30xf32>)
      outs(%z[j] : memref<20xf32, strided<[1], offset: ?>>)
  }
  return
}
