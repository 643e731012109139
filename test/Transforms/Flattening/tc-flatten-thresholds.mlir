// tc-flatten: limits with names, by which the host or the compiler chooses versions of nests.
//
// RUN: split-file %s %t
// RUN: tc-opt %t/rows.mlir --tc-flatten=chip=sm_90a | FileCheck %t/rows.mlir
// RUN: tc-opt %t/rows.mlir --tc-flatten=chip=sm_90a --remarks-filter=tc-flatten -o /dev/null 2>&1 \
// RUN:   | FileCheck %t/rows.mlir --check-prefix=REMARK
//
// What somebody has set comes before the default, in the code of the host and where extents are
// static: rows.1 in @dynamic, and the nest of @static. What is set by hand comes before the file.
//
// RUN: tc-opt %t/rows.mlir --tc-flatten="chip=sm_90a tuning=%t/tuning.json" \
// RUN:   | FileCheck %t/rows.mlir --check-prefix=TUNED
// RUN: tc-opt %t/rows.mlir --tc-flatten="chip=sm_80 tuning=%t/tuning.json" \
// RUN:   | FileCheck %t/rows.mlir --check-prefix=OTHER
// RUN: tc-opt %t/static.mlir --tc-flatten="chip=sm_90a tuning=%t/tuning.json" \
// RUN:   | FileCheck %t/static.mlir
// RUN: tc-opt %t/static.mlir \
// RUN:   --tc-flatten="chip=sm_90a tuning=%t/tuning.json thresholds=rows.0.warp=50,rows.0.device=9" \
// RUN:   | FileCheck %t/static.mlir --check-prefix=BY-HAND
//
// RUN: tc-opt %t/nested.mlir --tc-flatten=chip=sm_90a --remarks-filter=tc-flatten 2>&1 \
// RUN:   | FileCheck %t/nested.mlir
// RUN: tc-opt %t/nested.mlir \
// RUN:   --tc-flatten="chip=sm_90a thresholds=rows.0.device=9,rows.0.3.warp=7,rows.0.0.device=5" \
// RUN:   | FileCheck %t/nested.mlir --check-prefix=NESTED
// RUN: not tc-opt %t/nested.mlir --tc-flatten="chip=sm_90a thresholds=rows.0.warp=1" 2>&1 \
// RUN:   | FileCheck %t/nested.mlir --check-prefix=NO-WARPS
//
// RUN: not tc-opt %t/static.mlir --tc-flatten="chip=sm_90a thresholds=rows.1.warp=50" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tc-opt %t/static.mlir --tc-flatten="chip=sm_90a thresholds=rows.0.warp=-1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// RUN: not tc-opt %t/static.mlir --tc-flatten="chip=sm_90a thresholds=rows.0.warp" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-VALUE
// RUN: not tc-opt %t/static.mlir --tc-flatten="chip=sm_90a tuning=%t/unknown.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FILE-UNKNOWN
// RUN: not tc-opt %t/static.mlir --tc-flatten="chip=sm_90a tuning=%t/value.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FILE-VALUE
// RUN: not tc-opt %t/static.mlir --tc-flatten="chip=sm_90a tuning=%t/function.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FILE-FUNCTION
// RUN: not tc-opt %t/none.mlir --tc-flatten="chip=sm_90a thresholds=rows.0.warp=50" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not tc-opt %t/grid.mlir --tc-flatten=chip=sm_90a 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GRID
//
// GRID: grid.mlir:{{.*}}: error: 'tc.par' op expected tc.flatten 'thread', 'warp', 'block' or 'device', got 'grid'
// UNKNOWN: static.mlir:{{.*}}: error: thresholds: expected a threshold of function 'static', which has 'rows.0.device', 'rows.0.thread', 'rows.0.warp', got 'rows.1.warp'
// VALUE: static.mlir:{{.*}}: error: expected thresholds as NAME=VALUE, the value an integer of at least 0, got 'rows.0.warp=-1'
// NO-VALUE: error: expected thresholds as NAME=VALUE, the value an integer of at least 0, got 'rows.0.warp'
// FILE-UNKNOWN: static.mlir:{{.*}}: error: tuning file '{{.*}}unknown.json': expected a threshold of function 'static', which has {{.*}}, got 'rows.0.wrap'
// FILE-VALUE: error: tuning file '{{.*}}value.json': entries[0].thresholds.rows.0.warp: expected an integer from 0 to 2^63-1, got 1.5
// FILE-FUNCTION: error: tuning file '{{.*}}function.json': entries[0]: expected a member 'version'
// NONE: error: thresholds: expected a threshold of function 'none', which has none, got 'rows.0.warp'

//--- rows.mlir
// 12288 terms of each of 4 * 132 rows; 24 * 132 rows.
//
// REMARK-COUNT-3: remark: {{.*}}rows have the versions, chosen by extents, 'device', 'thread', 'warp', 'block'
// REMARK-NOT: rows have
//
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[ROOM:.*]] = arith.subi %c528{{.*}}, %{{.*}} : index
// CHECK: %[[FREE:.*]] = arith.maxsi %[[ROOM]], %c0
// CHECK: %[[SAVED:.*]] = arith.muli %[[FREE]], %{{.*}} : index
// CHECK: %[[FEW:.*]] = tc.threshold %[[SAVED]] reaches "rows.0.device" default(6488064)
// CHECK: scf.if %[[FEW]] {
// CHECK: } else {
// CHECK-NEXT: %[[TINY:.*]] = tc.threshold %{{.*}} reaches "rows.0.thread" default(67584)
// CHECK-NEXT: scf.if %[[TINY]] {
// CHECK: } else {
// CHECK-NEXT: %[[MANY:.*]] = tc.threshold %{{.*}} reaches "rows.0.warp" default(3168)
// CHECK-NEXT: scf.if %[[MANY]] {
// CHECK: tc.threshold %{{.*}} reaches "rows.1.device" default(6488064)
// CHECK: tc.threshold %{{.*}} reaches "rows.1.warp" default(3168)
// TUNED-LABEL: func.func @dynamic
// TUNED: reaches "rows.0.device" default(6488064)
// TUNED: reaches "rows.1.warp" default(7)
// OTHER-LABEL: func.func @dynamic
// OTHER: reaches "rows.0.device" default(5308416)
// OTHER: reaches "rows.1.warp" default(2592)
func.func @dynamic(%A: memref<?x?xf32>, %B: memref<?xf32>, %rows: index, %terms: index) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (%rows) {
    tc.reduce (%j) = (0) to (%terms) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<?xf32>
    }
  }
  tc.par (%i) = (0) to (%rows) {
    tc.par (%j) = (0) to (%terms) {
      %s = memref.load %B[%i] : memref<?xf32>
      memref.store %s, %A[%i, %j] : memref<?x?xf32>
    }
    tc.par (%j) = (0) to (%terms) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Who is to run each row is written on the nest; its number counts it all the same.
//
// CHECK-LABEL: func.func @written
// CHECK-NOT: tc.threshold
// CHECK: tc.par grid (%{{.*}}) = (0) to (%{{.*}}) step (8) {
// CHECK-NOT: tc.flatten
// CHECK-NOT: tc.threshold
// CHECK: tc.par grid (%{{.*}}) = (0) to (%{{.*}}) {
// CHECK-NOT: tc.flatten
// CHECK: tc.threshold %{{.*}} reaches "rows.2.device"
func.func @written(%A: memref<?x?xf32>, %rows: index, %terms: index) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (%rows) attributes {tc.flatten = #tc<level warp>} {
    tc.par (%j) = (0) to (%terms) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf32>
    }
    tc.par (%j) = (0) to (%terms) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf32>
    }
  }
  tc.par (%i) = (0) to (%rows) attributes {tc.flatten = #tc<level block>} {
    tc.par (%j) = (0) to (%terms) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf32>
    }
    tc.par (%j) = (0) to (%terms) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf32>
    }
  }
  tc.par (%i) = (0) to (%rows) {
    tc.par (%j) = (0) to (%terms) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf32>
    }
    tc.par (%j) = (0) to (%terms) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

//--- static.mlir
// 100 rows of 20000: with the defaults by all blocks; in the file both limits are lower.
//
// CHECK-LABEL: func.func @static
// CHECK: tc.par grid (%{{.*}}) = (0) to (100) step (8) {
// BY-HAND-LABEL: func.func @static
// BY-HAND: tc.reduce device
func.func @static(%A: memref<100x20000xf32>, %B: memref<100xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (100) {
    tc.reduce (%j) = (0) to (20000) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<100x20000xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<100xf32>
    }
  }
  return
}

//--- nested.mlir
// Four nests of rows in one nest: two versions of this, and three more of each of two.
//
// CHECK: remark: {{.*}}rows have the versions, chosen by extents, 'device', 'block'
// CHECK: remark: {{.*}}rows have the versions, chosen by extents, 'device', 'thread', 'warp', 'block'
// CHECK: remark: {{.*}}rows have the versions, chosen by extents, 'device', 'thread', 'warp', 'block'
// CHECK: remark: {{.*}}rows have no version 'warp': there are 8 of the outermost nest already
// CHECK: remark: {{.*}}rows have no version 'thread': there are 8 of the outermost nest already
// CHECK: remark: {{.*}}rows have no version 'device': there are 8 of the outermost nest already
// CHECK: remark: {{.*}}rows have the version 'block'
// CHECK-LABEL: func.func @nested
// CHECK: tc.threshold %{{.*}} reaches "rows.0.device" default(1)
// CHECK: tc.threshold %{{.*}} reaches "rows.0.0.device" default(6488064)
// CHECK: tc.threshold %{{.*}} reaches "rows.0.0.thread" default(67584)
// CHECK: tc.threshold %{{.*}} reaches "rows.0.0.warp" default(3168)
// CHECK: tc.threshold %{{.*}} reaches "rows.0.1.device"
// CHECK: tc.threshold %{{.*}} reaches "rows.0.1.warp"
// CHECK-NOT: tc.threshold
// NESTED: reaches "rows.0.device" default(9)
// NESTED: reaches "rows.0.0.device" default(5)
// NO-WARPS: error: thresholds: expected a threshold of function 'nested', which has 'rows.0.device', {{.*}}, got 'rows.0.warp'
func.func @nested(%A: memref<?x?x?xf32>, %l: index, %m: index, %n: index) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (%l) {
    tc.par (%k) = (0) to (%m) {
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
    }
    tc.par (%k) = (0) to (%m) {
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
    }
    tc.par (%k) = (0) to (%m) {
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
    }
    tc.par (%k) = (0) to (%m) {
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
      tc.par (%j) = (0) to (%n) {
        memref.store %zero, %A[%i, %k, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}

//--- none.mlir
func.func @none() {
  return
}

//--- grid.mlir
func.func @grid() {
  tc.par (%i) = (0) to (4) attributes {tc.flatten = #tc<level grid>} {
  }
  return
}

//--- tuning.json
{"format": "tc-tuning", "entries": [
  {"machine": "sm_80", "function": "static", "version": 1, "thresholds": {"rows.9.device": 0}},
  {"machine": "sm_90a", "function": "static", "version": 0, "thresholds": {"rows.9.device": 0}},
  {"machine": "sm_90a", "function": "static", "version": 1, "thresholds": {"rows.0.device": 9223372036854775807, "rows.0.warp": 100}},
  {"machine": "sm_90a", "function": "dynamic", "version": 1, "thresholds": {"rows.1.warp": 7}}
]}

//--- unknown.json
{"format": "tc-tuning", "entries": [
  {"machine": "sm_90a", "function": "static", "version": 1, "thresholds": {"rows.0.wrap": 1}}
]}

//--- value.json
{"format": "tc-tuning", "entries": [
  {"machine": "sm_90a", "function": "static", "version": 1, "thresholds": {"rows.0.warp": 1.5}}
]}

//--- function.json
{"format": "tc-tuning", "entries": [{"machine": "sm_90a", "function": "static"}]}
