// tc-flatten: who runs the rows of a nest, by their number and by their terms.
//
// RUN: tc-opt %s --tc-flatten=chip=sm_90a | FileCheck %s
// RUN: tc-opt %s --tc-flatten=chip=sm_90a --remarks-filter=tc-flatten -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
//
// A second run finds nothing to do.
// RUN: tc-opt %s --tc-flatten=chip=sm_90a > %t.once
// RUN: tc-opt %t.once --tc-flatten=chip=sm_90a | diff %t.once -
//
// Any version that there can be.
// RUN: tc-opt %s --tc-flatten="chip=sm_90a version=block" | FileCheck %s --check-prefix=BLOCK
// RUN: tc-opt %s --tc-flatten="chip=sm_90a version=device" | FileCheck %s --check-prefix=DEVICE
//
// RUN: tc-opt %s --tc-flatten="chip=sm_90a version=thread" | FileCheck %s --check-prefix=THREAD
//
// RUN: not tc-opt %s --tc-flatten=version=lane 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: expected version 'thread', 'warp', 'block' or 'device', got 'lane'

// The last block has 1001 - 125 * 8 rows.
//
// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0) -> (-d0 + 1001, 8)>
//
// REMARK: [[#@LINE+12]]:3: remark: {{.*}}rows have the version 'warp'
// CHECK-LABEL: func.func @short_rows
// CHECK: tc.par grid (%[[FIRST:.*]]) = (0) to (1001) step (8) {
// CHECK: %[[ROWS:.*]] = affine.min #[[LEFT]](%[[FIRST]])
// CHECK: tc.par block (%[[WARP:.*]]) = (0) to (%[[ROWS]]) {
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[WARP]]
// CHECK: tc.reduce warp
// CHECK: memref.load %{{.*}}[%[[ROW]], %{{.*}}]
// BLOCK-LABEL: func.func @short_rows
// BLOCK: tc.par grid (%{{.*}}) = (0) to (1001) {
func.func @short_rows(%A: memref<1001x40xf32>, %B: memref<1001xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (1001) {
    tc.reduce (%j) = (0) to (40) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<1001x40xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<1001xf32>
    }
  }
  return
}

// A sum and a map of what it gives: two nests, and a buffer between them. Rows of several
// dimensions are numbered.
//
// REMARK: [[#@LINE+13]]:3: remark: {{.*}}rows have the version 'device'
// CHECK-LABEL: func.func @long_rows
// CHECK: %[[SUMS:.*]] = tc.new : memref<2x2xf32>
// CHECK: tc.par (%[[I:.*]], %[[K:.*]]) = (0, 0) to (2, 2) {
// CHECK: %[[SUM:.*]] = memref.subview %[[SUMS]][%[[I]], %[[K]]] [1, 1] [1, 1]
// CHECK: tc.reduce device
// CHECK: memref.store %{{.*}}, %[[SUM]][]
// CHECK: tc.par (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (2, 2, 20000) {
// CHECK: arith.divf
// BLOCK-LABEL: func.func @long_rows
// BLOCK: tc.par grid (%{{.*}}, %{{.*}}) = (0, 0) to (2, 2) {
func.func @long_rows(%A: memref<2x2x20000xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i, %k) = (0, 0) to (2, 2) {
    %sum = tc.new : memref<f32>
    tc.reduce (%j) = (0) to (20000) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %k, %j] : memref<2x2x20000xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sum[] : memref<f32>
    }
    tc.par (%j) = (0) to (20000) {
      %x = memref.load %A[%i, %k, %j] : memref<2x2x20000xf32>
      %s = memref.load %sum[] : memref<f32>
      %y = arith.divf %x, %s : f32
      memref.store %y, %A[%i, %k, %j] : memref<2x2x20000xf32>
    }
  }
  return
}

// A buffer of all rows has as many places as there are rows; it is freed behind the nests.
//
// REMARK: remark: {{.*}}rows have the versions, chosen by extents, 'device', 'thread', 'warp', 'block'
// CHECK-LABEL: func.func @dynamic_rows
// THREAD-LABEL: func.func @dynamic_rows
// THREAD: tc.par grid (%[[FIRST:.*]]) = (0) to (%{{.*}}) step (128) {
// THREAD: %[[LEFT:.*]] = affine.min
// THREAD: %[[SUMS:.*]] = tc.new : memref<128xf32>
// THREAD: tc.par block (%[[R:.*]]) = (0) to (%[[LEFT]]) {
// THREAD: memref.subview %[[SUMS]][%[[R]]] [1] [1]
// THREAD: tc.reduce block
// THREAD: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (%[[LEFT]], %{{.*}}) {
// DEVICE-LABEL: func.func @dynamic_rows
// DEVICE: %[[PLACES:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// DEVICE: tc.reduce device
// DEVICE: tc.par (%{{.*}}, %{{.*}}) = (0, 0) to (%{{.*}}, %{{.*}}) {
// DEVICE: memref.dealloc %[[PLACES]]
func.func @dynamic_rows(%A: memref<?x?xf32>, %rows: index, %terms: index) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (%rows) {
    %sum = tc.new : memref<f32>
    tc.reduce (%j) = (0) to (%terms) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %sum[] : memref<f32>
    }
    tc.par (%j) = (0) to (%terms) {
      %s = memref.load %sum[] : memref<f32>
      memref.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Rows of different lengths are not segments: blocks, or warps if there are many.
//
// REMARK: remark: {{.*}}rows have no version 'device': the bounds of 'tc.reduce' change with the row
// REMARK: remark: {{.*}}rows have no version 'thread': the bounds of 'tc.reduce' change with the row
// REMARK: remark: {{.*}}rows have the version 'block'
// CHECK-LABEL: func.func @triangle
// CHECK: tc.par grid (%{{.*}}) = (0) to (1000) {
// CHECK: tc.reduce (
func.func @triangle(%A: memref<1000x1000xf32>, %B: memref<1000xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (1000) {
    tc.reduce (%j) = (0) to (%i) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<1000x1000xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<1000xf32>
    }
  }
  return
}

// Rows that hold nests of rows are cut while there are few of them; the nests that come out have
// versions of their own.
//
// REMARK: remark: {{.*}}rows have the version 'device'
// REMARK: remark: {{.*}}rows have the version 'warp'
// CHECK-LABEL: func.func @nested
// CHECK: tc.par (%{{.*}}) = (0) to (9) {
// CHECK-NEXT: memref.store
// CHECK: tc.par grid (%{{.*}}) = (0) to (270) step (8) {
// CHECK: tc.reduce warp
// BLOCK-LABEL: func.func @nested
// BLOCK: tc.par grid (%{{.*}}) = (0) to (9) {
func.func @nested(%A: memref<9x30x70xi32>, %B: memref<9x31xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (9) {
    memref.store %zero, %B[%i, %i] : memref<9x31xi32>
    tc.par (%k) = (0) to (30) {
      tc.reduce (%j) = (0) to (70) init(%zero : i32) {
        %x = memref.load %A[%i, %k, %j] : memref<9x30x70xi32>
        tc.yield %x : i32
      } combine (%a: i32, %b: i32) {
        %s = arith.addi %a, %b : i32
        tc.yield %s : i32
      } finish (%s: i32) {
        memref.store %s, %B[%i, %k] : memref<9x31xi32>
      }
    }
  }
  return
}

// A nest in the map of a reduction is work of one thread, whoever reduces.
//
// REMARK: remark: {{.*}}rows have no version 'device': 'tc.par' is nested in 'tc.reduce'
// CHECK-LABEL: func.func @in_a_map
// CHECK: tc.par grid
func.func @in_a_map(%A: memref<9x70xi32>, %B: memref<9xi32>, %C: memref<9x70x20xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (9) {
    tc.reduce (%j) = (0) to (70) init(%zero : i32) {
      %x = memref.load %A[%i, %j] : memref<9x70xi32>
      tc.par (%k) = (0) to (20) {
        memref.store %x, %C[%i, %j, %k] : memref<9x70x20xi32>
      }
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%s: i32) {
      memref.store %s, %B[%i] : memref<9xi32>
    }
  }
  return
}

// What somebody has dealt out stays.
//
// CHECK-LABEL: func.func @by_hand
// CHECK: tc.par (%{{.*}}) = (0) to (9) {
// CHECK-NEXT: tc.reduce block
func.func @by_hand(%A: memref<9x40xi32>, %B: memref<9xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (9) {
    tc.reduce block (%j) = (0) to (40) init(%zero : i32) {
      %x = memref.load %A[%i, %j] : memref<9x40xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%s: i32) {
      memref.store %s, %B[%i] : memref<9xi32>
    }
  }
  return
}

// So does what waits for the threads of a block.
//
// CHECK-LABEL: func.func @with_a_barrier
// CHECK: tc.par (%{{.*}}) = (0) to (9) {
// CHECK-NEXT: tc.par (%{{.*}}) = (0) to (20000) {
func.func @with_a_barrier(%A: memref<9x20000xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (9) {
    tc.par (%j) = (0) to (20000) {
      memref.store %zero, %A[%i, %j] : memref<9x20000xi32>
    }
    gpu.barrier
    tc.par (%j) = (0) to (20000) {
      memref.store %zero, %A[%i, %j] : memref<9x20000xi32>
    }
  }
  return
}

// Many rows of a few terms have a thread each. A value of the row is passed on by memory.
//
// REMARK: remark: {{.*}}rows have the version 'thread'
// CHECK-LABEL: func.func @many_short_rows
// CHECK: tc.par grid (%{{.*}}) = (0) to (131072) step (128) {
// CHECK: %[[FIRSTS:.*]] = tc.new : memref<128xf32>
// CHECK: tc.par block (%{{.*}}) = (0) to (128) {
// CHECK: memref.load %arg0
// CHECK: memref.store %{{.*}}, %{{.*}}[]
// CHECK: tc.par block (%{{.*}}) = (0) to (128) {
// CHECK: %[[FIRST:.*]] = memref.subview %[[FIRSTS]]
// CHECK: tc.scan block
// CHECK: } finish
// CHECK: memref.load %[[FIRST]][]
func.func @many_short_rows(%A: memref<131072x30xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  tc.par (%i) = (0) to (131072) {
    %first = memref.load %A[%i, %c0] : memref<131072x30xf32>
    tc.scan (%j) = (0) to (30) init(%zero : f32) {
      %x = memref.load %A[%i, %j] : memref<131072x30xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%j: index, %s: f32) {
      %y = arith.divf %s, %first : f32
      memref.store %y, %A[%i, %j] : memref<131072x30xf32>
    }
  }
  return
}

// Too much shared memory, and a neutral element of each row.
//
// REMARK: remark: {{.*}}rows have no version 'thread': a row has buffers of 1200 bytes
// REMARK: remark: {{.*}}rows have no version 'thread': the neutral element of 'tc.scan' changes with the row
// CHECK-LABEL: func.func @no_threads
func.func @no_threads(%A: memref<200000x300xf32>, %n: memref<300xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (200000) {
    %row = tc.new : memref<300xf32>
    tc.par (%j) = (0) to (300) {
      %x = memref.load %A[%i, %j] : memref<200000x300xf32>
      memref.store %x, %row[%j] : memref<300xf32>
    }
    tc.par (%j) = (0) to (300) {
      %x = memref.load %row[%j] : memref<300xf32>
      memref.store %x, %A[%i, %j] : memref<200000x300xf32>
    }
  }
  tc.par (%i) = (0) to (300) {
    %k = arith.index_cast %i : index to i32
    %one = arith.sitofp %k : i32 to f32
    tc.scan (%j) = (0) to (300) init(%one : f32) {
      %x = memref.load %A[%i, %j] : memref<200000x300xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.maximumf %a, %b : f32
      tc.yield %s : f32
    } finish (%j: index, %s: f32) {
      memref.store %s, %A[%i, %j] : memref<200000x300xf32>
    }
  }
  return
}
