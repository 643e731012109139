// tc-lower-microkernel: contractions of one thread as unrolled scalar code.
//
// RUN: tc-opt %s --tc-lower-microkernel --cse | FileCheck %s
// RUN: tc-opt %s --tc-lower-microkernel | FileCheck %s --check-prefix=HELD
// RUN: tc-opt %s --tc-lower-microkernel --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=UNROLL
//
// Twice is once, and nothing is left.
// RUN: tc-opt %s --tc-lower-microkernel > %t.once
// RUN: tc-opt %t.once --tc-lower-microkernel | diff %t.once -

// 2 x 3 results: 5 loads for 6 fused multiply-adds at each step of the one loop.
// CHECK-LABEL: @matmul(
// CHECK-SAME: %[[A:.*]]: memref<2x4xf32>, %[[B:.*]]: memref<4x3xf32>, %[[C:.*]]: memref<2x3xf32>)
// CHECK: scf.for %[[Q:.*]] = %c0 to %c4 step %c1 {
// CHECK: %[[A0:.*]] = memref.load %[[A]][%c0, %[[Q]]]
// CHECK: %[[B0:.*]] = memref.load %[[B]][%[[Q]], %c0]
// CHECK: %[[ACC:.*]] = memref.load %[[C]][%c0, %c0]
// CHECK: %[[SUM:.*]] = math.fma %[[A0]], %[[B0]], %[[ACC]] : f32
// CHECK: memref.store %[[SUM]], %[[C]][%c0, %c0]
// CHECK: %[[B1:.*]] = memref.load %[[B]][%[[Q]], %c1]
// CHECK: math.fma %[[A0]], %[[B1]]
// CHECK: %[[B2:.*]] = memref.load %[[B]][%[[Q]], %c2]
// CHECK: math.fma %[[A0]], %[[B2]]
// CHECK: %[[A1:.*]] = memref.load %[[A]][%c1, %[[Q]]]
// CHECK-NOT: memref.load %[[B]]
// CHECK: math.fma %[[A1]], %[[B0]]
// CHECK: math.fma %[[A1]], %[[B1]]
// CHECK: math.fma %[[A1]], %[[B2]]
// CHECK-NOT: math.fma
// CHECK: return
func.func @matmul(%A: memref<2x4xf32>, %B: memref<4x3xf32>, %C: memref<2x3xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = 2, j = 3, q = 4)
        ins(%A[i, q] : memref<2x4xf32>, %B[q, j] : memref<4x3xf32>) outs(%C[i, j] : memref<2x3xf32>)
  }
  return
}

// A loop an iterator, none for one step; unrolled from the inside while the body is small.
// CHECK-LABEL: @loops(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
// UNROLL-LABEL: @loops(
// UNROLL: unroll = <count = 5 : i32>
// UNROLL: unroll = <count = 4 : i32>
func.func @loops(%A: memref<4x1x5xf32>, %C: memref<f32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (q = 4, u = 1, r = 5) ins(%A[q, u, r] : memref<4x1x5xf32>) outs(%C[] : memref<f32>)
  }
  return
}

// Rows that tc.vectors does not list are loaded by elements, wherever they are.
// CHECK-LABEL: @by_elements(
// CHECK-NOT: vector.load
// CHECK: vector.store %{{.*}} : memref<4xf32, {{.*}}>, vector<4xf32>
// CHECK: return
func.func @by_elements(%A: memref<4xf32, #gpu.address_space<workgroup>>,
                       %C: memref<4xf32, #gpu.address_space<workgroup>>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = 4) ins(%A[i] : memref<4xf32, #gpu.address_space<workgroup>>)
        outs(%C[i] : memref<4xf32, #gpu.address_space<workgroup>>) overwrite {tc.vectors = array<i64: 1>}
  }
  return
}

// 3 rows of 4 of B along q against 2 of A along r: q is walked innermost, so that of B only the
// rows of one r are held at a time. So are the results: of 96 terms each is loaded and stored
// once.
// HELD-LABEL: @nested(
// HELD-COUNT-6: memref.load
// HELD-NOT: memref.load
// HELD-COUNT-6: memref.store
// HELD-NOT: memref.store
// HELD: return
// CHECK-LABEL: @nested(
// CHECK-SAME: %[[A:.*]]: memref<2x4x4xf32, {{.*}}>, %[[B:.*]]: memref<3x4x4xf32, {{.*}}>,
// CHECK: vector.load %[[A]][%c0, %c0, %c0]
// CHECK: vector.load %[[B]][%c0, %c0, %c0]
// CHECK: vector.load %[[B]][%c2, %c0, %c0]
// CHECK-NOT: vector.load %[[B]]
// CHECK: vector.load %[[A]][%c1, %c3, %c0]
// CHECK-NOT: vector.load %[[A]]
// CHECK: vector.load %[[B]][%c0, %c1, %c0]
// CHECK: vector.load %[[B]][%c0, %c3, %c0]
// CHECK: return
func.func @nested(%A: memref<2x4x4xf32, #gpu.address_space<workgroup>>,
                  %B: memref<3x4x4xf32, #gpu.address_space<workgroup>>, %C: memref<2x3xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = 2, j = 3, q = 4, r = 4)
        ins(%A[i, q, r] : memref<2x4x4xf32, #gpu.address_space<workgroup>>,
            %B[j, r, q] : memref<3x4x4xf32, #gpu.address_space<workgroup>>) outs(%C[i, j] : memref<2x3xf32>)
        {tc.vectors = array<i64: 0, 1>}
  }
  return
}

// 64 results leave room for 8 steps, and none for the loop around them.
// UNROLL-LABEL: @unrolled(
// UNROLL-COUNT-64: arith.addf
// UNROLL: unroll = <count = 8 : i32>
// UNROLL: unroll = <count = 1 : i32>
func.func @unrolled(%A: memref<64x4x8xf32>, %C: memref<64xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = 64, q = 4, r = 8) ins(%A[i, q, r] : memref<64x4x8xf32>) outs(%C[i] : memref<64xf32>)
  }
  return
}

// To overwrite is to start from the neutral element; without terms it is to store the map.
// CHECK-LABEL: @overwrite(
// CHECK: %[[NEUTRAL:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: memref.store %[[NEUTRAL]], %[[Y:.*]][%c0]
// CHECK: memref.store %[[NEUTRAL]], %[[Y]][%c1]
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: }
// CHECK-NOT: memref.load %[[Y]]
// CHECK: %[[X:.*]] = memref.load %[[XS:.*]][%c0] : memref<2xf32>
// CHECK-NEXT: memref.store %[[X]], %[[Y]][%c0]
func.func @overwrite(%A: memref<2x4xf32>, %x: memref<2xf32>, %y: memref<2xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = 2, q = 4) ins(%A[i, q] : memref<2x4xf32>) outs(%y[i] : memref<2xf32>) overwrite
        neutral(1.0 : f32) combine associative commutative (%acc: f32, %v: f32) {
          %p = arith.mulf %acc, %v : f32
          tc.yield %p : f32
        }
    tc.contract (i = 2) ins(%x[i] : memref<2xf32>) outs(%y[i] : memref<2xf32>) overwrite
  }
  return
}

// One input is added, three are multiplied first, integers have no fused instruction.
// CHECK-LABEL: @arithmetic(
// CHECK: arith.addf
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: math.fma %[[P]]
// CHECK: %[[I:.*]] = arith.muli
// CHECK: arith.addi %[[I]], %{{.*}} : i32
// CHECK-NOT: arith
// CHECK: return
func.func @arithmetic(%x: memref<1xf64>, %y: memref<1xf64>, %i: memref<1xi32>, %j: memref<1xi32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (a = 1) ins(%x[a] : memref<1xf64>) outs(%y[a] : memref<1xf64>)
    tc.contract (a = 1)
        ins(%x[a] : memref<1xf64>, %x[a] : memref<1xf64>, %x[a] : memref<1xf64>) outs(%y[a] : memref<1xf64>)
    tc.contract (a = 1) ins(%i[a] : memref<1xi32>, %i[a] : memref<1xi32>) outs(%j[a] : memref<1xi32>)
  }
  return
}

// Regions are inlined, each in its place.
// CHECK-LABEL: @regions(
// CHECK: %[[S:.*]] = arith.addf
// CHECK: arith.maximumf %{{.*}}, %[[S]] : f32
// CHECK-NOT: math.fma
func.func @regions(%x: memref<1xf32>, %y: memref<1xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (a = 1) ins(%x[a] : memref<1xf32>, %x[a] : memref<1xf32>) outs(%y[a] : memref<1xf32>)
        neutral(0xFF800000 : f32)
        map (%u: f32, %v: f32) {
          %s = arith.addf %u, %v : f32
          tc.yield %s : f32
        } combine associative commutative (%acc: f32, %v: f32) {
          %m = arith.maximumf %acc, %v : f32
          tc.yield %m : f32
        }
  }
  return
}

// A dynamic extent is unrolled by what an operand bounds it to, each result guarded.
// Guards scope values, so each result loads its own.
// CHECK-LABEL: @guarded(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index)
// CHECK: %[[IN0:.*]] = arith.cmpi slt, %c0, %[[N]] : index
// CHECK: scf.if %[[IN0]] {
// CHECK: memref.load %{{.*}}[%c0] : memref<?xf32>
// CHECK: memref.store %{{.*}}[%c0] : memref<2xf32>
// CHECK: %[[IN1:.*]] = arith.cmpi slt, %c1, %[[N]] : index
// CHECK: scf.if %[[IN1]] {
// CHECK: memref.load %{{.*}}[%c1] : memref<?xf32>
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1 {
func.func @guarded(%A: memref<?xf32>, %B: memref<2x?xf32>, %C: memref<2xf32>, %n: index) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = %n) ins(%A[i] : memref<?xf32>) outs(%C[i] : memref<2xf32>)
    tc.contract (i = 2, q = %n) ins(%B[i, q] : memref<2x?xf32>) outs(%C[i] : memref<2xf32>)
  }
  return
}

// Subscripts may be any linear ones.
// CHECK-LABEL: @subscripts(
// CHECK: memref.load %{{.*}}[%c3] : memref<8xf32>
// CHECK: memref.load %{{.*}}[%c1, %c1]
func.func @subscripts(%A: memref<8xf32>, %D: memref<2x2xf32>, %C: memref<2xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = 2) ins(%A[2 * i + 1] : memref<8xf32>, %D[i, i] : memref<2x2xf32>) outs(%C[i] : memref<2xf32>)
  }
  return
}

// What no thread runs is not lowered.
// CHECK-LABEL: @left(
// CHECK: tc.contract
// CHECK: tc.contract
func.func @left(%A: memref<2xf32>, %C: memref<2xf32>) {
  tc.contract (i = 2) ins(%A[i] : memref<2xf32>) outs(%C[i] : memref<2xf32>)
  tc.par grid (%g) = (0) to (1) {
    tc.contract (i = 2) ins(%A[i] : memref<2xf32>) outs(%C[i] : memref<2xf32>)
  }
  return
}

// Results that nobody reads beyond an extent of at least 1 have no guards: they are computed from
// the last element inside.
// CHECK-LABEL: @overrun(
// CHECK-SAME: %[[N:.*]]: index, %[[A:.*]]: memref<?xf32>, %
// CHECK-NOT: scf.if
// CHECK: memref.load %[[A]][%c0]
// CHECK: math.fma
// CHECK: %[[LAST:.*]] = affine.min #[[MIN:.*]]()[%[[N]]]
// CHECK: memref.load %[[A]][%[[LAST]]]
// CHECK: math.fma
// CHECK: return
func.func @overrun(%n: index, %A: memref<?xf32>, %B: memref<f32>, %C: memref<2xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = %n) ins(%A[i] : memref<?xf32>, %B[] : memref<f32>) outs(%C[i] : memref<2xf32>)
        {tc.overrun}
  }
  return
}

// A step that may be shorter than the tile of an operand: whole ones have a loop of constant trip
// count, which is unrolled.
// CHECK-LABEL: @last_step(
// CHECK-SAME: %[[N:.*]]: index,
// CHECK: %[[IS_WHOLE:.*]] = arith.cmpi eq, %[[N]], %c12
// CHECK: scf.if %[[IS_WHOLE]] {
// CHECK: scf.for %{{.*}} = %c0 to %c12 step %c1
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1
// UNROLL-LABEL: @last_step(
// UNROLL: unroll = <count = 12 : i32>
// UNROLL: } else {
// UNROLL: unroll = <count = 1 : i32>
func.func @last_step(%n: index, %A: memref<?xf32>, %B: memref<12xf32>, %C: memref<f32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (q = %n) ins(%A[q] : memref<?xf32>, %B[q] : memref<12xf32>) outs(%C[] : memref<f32>)
  }
  return
}

// A lane has one row of the eight that are neighbours: along lanes there are no vectors.
// CHECK-LABEL: @neighbouring_lanes(
// CHECK-SAME: %[[A:.*]]: memref<2x16x8xf16>,
// CHECK: tc.par warp (%[[G:.*]], %{{.*}}) = (0, 0) to (8, 4)
// CHECK-NOT: vector.load
// CHECK: memref.load %[[A]][%c0, %{{.*}}, %[[G]]]
// CHECK-NOT: vector.load
// CHECK: return
func.func @neighbouring_lanes(%A: memref<2x16x8xf16>, %B: memref<16x4x2xf16>) {
  %acc = tc.new init(0.0 : f32) threads(2) : memref<8x4x2x2xf32>
  tc.par block (%w) = (0) to (1) {
    %own = memref.subview %acc[0, 0, 0, 0] [8, 4, 2, 2] [1, 1, 1, 1]
        : memref<8x4x2x2xf32> to memref<8x4x2x2xf32, strided<[16, 4, 2, 1]>>
    tc.contract (g = 8, t = 4, i = 2, j = 2, k = 16)
        ins(%A[i, k, g] : memref<2x16x8xf16>, %B[k, t, j] : memref<16x4x2xf16>)
        outs(%own[g, t, i, j] : memref<8x4x2x2xf32, strided<[16, 4, 2, 1]>>)
        {tc.vectors = array<i64: 0>,
         schedule = #tc.schedule<kernel = mma, unit = <"m16n8k16.f16", m = [g = 8], n = [t = 4], k = [k = 4]>>}
  }
  return
}
