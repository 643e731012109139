// Limits are variables of the module, -1 for the default; a function has one for each limit, and
// tells on request what it compares.
//
// RUN: split-file %s %t
// RUN: tc-opt %t/limits.mlir --convert-tc-to-gpu=chip=sm_90a | FileCheck %t/limits.mlir
// RUN: tc-opt %t/limits.mlir --convert-tc-to-gpu="chip=sm_90a note-thresholds" \
// RUN:   | FileCheck %t/limits.mlir --check-prefix=NOTE
// RUN: not tc-opt %t/defaults.mlir --convert-tc-to-gpu=chip=sm_90a 2>&1 \
// RUN:   | FileCheck %t/defaults.mlir
// RUN: not tc-opt %t/in-a-kernel.mlir --convert-tc-to-gpu=chip=sm_90a 2>&1 \
// RUN:   | FileCheck %t/in-a-kernel.mlir
//
// On the CPU, and in the reference, it is the default that is compared with.
//
// RUN: tc-opt %t/limits.mlir --convert-tc-to-loops | FileCheck %t/limits.mlir --check-prefix=LOOPS

//--- limits.mlir
// CHECK-LABEL: func.func @limits
// CHECK: %[[PLACE:.*]] = memref.get_global @limits.threshold.rows.0.device : memref<i64>
// CHECK: %[[SET:.*]] = memref.load %[[PLACE]][]
// CHECK: %[[IS_DEFAULT:.*]] = arith.cmpi slt, %[[SET]], %c0_i64
// CHECK: %[[LIMIT:.*]] = arith.select %[[IS_DEFAULT]], %c264_i64, %[[SET]]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[LIMIT]]
// CHECK: arith.cmpi sge, %arg0, %[[INDEX]]
// CHECK: get_global @limits.threshold.rows.0.warp
// CHECK: get_global @limits.threshold.rows.0.device
// CHECK: memref.global @limits.threshold.rows.0.device : memref<i64> = dense<-1> {tc.threshold = 264 : i64}
// CHECK: memref.global @limits.threshold.rows.0.warp : memref<i64> = dense<-1> {tc.threshold = 9 : i64}
// CHECK-NOT: memref.global
//
// NOTE: func.func private @tcNoteThreshold(i64, i64)
// NOTE-LABEL: func.func @limits
// NOTE: %[[NUMBER:.*]] = arith.index_cast %arg0
// NOTE: call @tcNoteThreshold(%c0_i64{{.*}}, %[[NUMBER]])
// NOTE: %[[NUMBER:.*]] = arith.index_cast %arg1
// NOTE: call @tcNoteThreshold(%c1_i64{{.*}}, %[[NUMBER]])
// NOTE: call @tcNoteThreshold(%c0_i64{{.*}}, %{{.*}})
//
// LOOPS-LABEL: func.func @limits
// LOOPS: arith.cmpi sge, %arg0, %c264
// LOOPS: arith.cmpi sge, %arg1, %c9
func.func @limits(%m: index, %n: index) -> (i1, i1, i1) {
  %a = tc.threshold %m reaches "rows.0.device" default(264)
  %b = tc.threshold %n reaches "rows.0.warp" default(9)
  %c = tc.threshold %n reaches "rows.0.device" default(264)
  return %a, %b, %c : i1, i1, i1
}

//--- defaults.mlir
// CHECK: defaults.mlir:5:8: error: 'tc.threshold' op expected the default of the other comparisons with 'rows', got 2
func.func @defaults(%m: index) -> (i1, i1) {
  %a = tc.threshold %m reaches "rows" default(1)
  // Another one.
  %b = tc.threshold %m reaches "rows" default(2)
  return %a, %b : i1, i1
}

//--- in-a-kernel.mlir
// CHECK: error: 'tc.threshold' op expected a comparison by the host, outside of any tc.par
func.func @in_a_kernel(%A: memref<4xi1>) {
  tc.par grid (%i) = (0) to (4) {
    %a = tc.threshold %i reaches "rows" default(1)
    memref.store %a, %A[%i] : memref<4xi1>
  }
  return
}
