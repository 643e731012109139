// RUN: tc-opt %s | tc-opt | FileCheck %s

// A grid of a block for each row where there are many rows; else all blocks for all elements.
func.func @twice(%A: memref<?x?xf32>, %rows: index, %terms: index) {
  %two = arith.constant 2.0 : f32
  // CHECK: %[[MANY:.*]] = tc.threshold %{{.*}} reaches "rows.0.block" default(264)
  // CHECK: scf.if %[[MANY]]
  %many = tc.threshold %rows reaches "rows.0.block" default(264)
  scf.if %many {
    tc.par grid (%i) = (0) to (%rows) {
      tc.par block (%j) = (0) to (%terms) {
        %x = memref.load %A[%i, %j] : memref<?x?xf32>
        %y = arith.mulf %x, %two : f32
        memref.store %y, %A[%i, %j] : memref<?x?xf32>
      }
    }
  } else {
    tc.par device (%i, %j) = (0, 0) to (%rows, %terms) {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      %y = arith.mulf %x, %two : f32
      memref.store %y, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
