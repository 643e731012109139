// tc-flatten: what a block has of a row that is small.
//
// RUN: tc-opt %s --tc-flatten="chip=sm_90a version=block" --cse | FileCheck %s
// RUN: tc-opt %s --tc-flatten="chip=sm_90a version=block" --remarks-filter=tc-flatten -o /dev/null \
// RUN:   2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %check_phases %s tc-flatten=version=block

// A buffer of dynamic extents: two versions of small rows, and one of others. The bounds say that
// there are no turns.
//
// REMARK: [[#@LINE+31]]:3: remark: {{.*}}blocks have a thread for each iteration in a row where rows are small
// REMARK: remark: {{.*}}blocks have buffers of rows in shared memory where rows are small
//
// CHECK-LABEL: func.func @steps
// CHECK-DAG: %[[N:.*]] = memref.dim %{{.*}}, %c1
// CHECK-DAG: %[[ALL:.*]] = memref.alloc(%{{.*}}, %[[N]]) : memref<?x2x?xi32>
// CHECK-DAG: %[[FITS:.*]] = arith.cmpi sle, %[[N]], %c1792
// CHECK-DAG: %[[COUNT:.*]] = arith.maxsi %[[N]], %c0
// CHECK-DAG: %[[ONE_TURN:.*]] = arith.cmpi sle, %[[COUNT]], %c256
// CHECK: %[[BOTH:.*]] = arith.andi %[[FITS]], %[[ONE_TURN]]
// CHECK: scf.if %[[BOTH]] {
// CHECK: tc.par grid
// CHECK: %[[MOST:.*]] = arith.minsi %[[N]], %c256
// CHECK: tc.new : memref<2x1792xi32>
// CHECK: tc.par (%{{.*}}) = (0) to (%[[MOST]])
// CHECK: scf.if %[[FITS]] {
// CHECK: tc.par grid
// CHECK: %[[OWN:.*]] = tc.new : memref<2x1792xi32>
// CHECK: tc.par (%[[J:.*]]) = (0) to (%[[N]])
// CHECK: memref.store %{{.*}}, %[[OWN]][%{{.*}}, %[[J]]]
// CHECK: } else {
// CHECK: tc.par grid
// CHECK: memref.store %{{.*}}, %[[ALL]]
func.func @steps(%A: memref<5x40xi32>, %B: memref<5x40xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.cast %A : memref<5x40xi32> to memref<?x?xi32>
  %rows = memref.dim %a, %c0 : memref<?x?xi32>
  %n = memref.dim %a, %c1 : memref<?x?xi32>
  %last = arith.subi %n, %c1 : index
  %both = memref.alloc(%rows, %n) : memref<?x2x?xi32>
  tc.par (%i) = (0) to (%rows) {
    tc.par (%j) = (0) to (%n) {
      %x = memref.load %A[%i, %j] : memref<5x40xi32>
      memref.store %x, %both[%i, %c0, %j] : memref<?x2x?xi32>
    }
    tc.seq (%t) = (0) to (6) {
      %from = affine.apply affine_map<(t) -> (t mod 2)>(%t)
      %to = affine.apply affine_map<(t) -> ((t + 1) mod 2)>(%t)
      tc.par (%j) = (0) to (%n) {
        %opposite = arith.subi %last, %j : index
        %x = memref.load %both[%i, %from, %j] : memref<?x2x?xi32>
        %y = memref.load %both[%i, %from, %opposite] : memref<?x2x?xi32>
        %s = arith.subi %x, %y : i32
        memref.store %s, %both[%i, %to, %j] : memref<?x2x?xi32>
      }
    }
    tc.par (%j) = (0) to (%n) {
      %x = memref.load %both[%i, %c0, %j] : memref<?x2x?xi32>
      memref.store %x, %B[%i, %j] : memref<5x40xi32>
    }
  }
  memref.dealloc %both : memref<?x2x?xi32>
  return
}

// Dynamic extents are one dimension then, and a dimension of rows is no part of it. Static ones
// need no version.
//
// REMARK: [[#@LINE+20]]:3: remark: {{.*}}blocks have buffers of rows in shared memory where rows are small
//
// CHECK-LABEL: func.func @planes
// CHECK: %[[COUNT:.*]] = arith.muli %[[M:.*]], %[[N:.*]] : index
// CHECK: arith.cmpi sle, %[[COUNT]], %c[[#CAPACITY:]] : index
// CHECK: tc.par grid
// CHECK: %[[PLANE:.*]] = tc.new : memref<[[#CAPACITY]]x2xf32>
// CHECK: tc.par (%[[I:.*]], %[[J:.*]]) =
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[N]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK: memref.store %{{.*}}, %[[PLANE]][%[[PLACE]], %c1]
func.func @planes(%A: memref<7x6x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.cast %A : memref<7x6x20xf32> to memref<?x?x?xf32>
  %rows = memref.dim %a, %c0 : memref<?x?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?x?xf32>
  %n = memref.dim %a, %c2 : memref<?x?x?xf32>
  %plane = memref.alloc(%m, %rows, %n) : memref<?x?x?x2xf32>
  tc.par (%row) = (0) to (%rows) {
    tc.par (%i, %j) = (0, 0) to (%m, %n) {
      %x = memref.load %A[%row, %i, %j] : memref<7x6x20xf32>
      memref.store %x, %plane[%i, %row, %j, %c1] : memref<?x?x?x2xf32>
    }
    tc.par (%i, %j) = (0, 0) to (%m, %n) {
      %at = affine.apply affine_map<(i) -> (5 - i)>(%i)
      %x = memref.load %plane[%at, %row, %j, %c1] : memref<?x?x?x2xf32>
      memref.store %x, %A[%row, %i, %j] : memref<7x6x20xf32>
    }
  }
  return
}

// Of static extents the pass knows. The second buffer has too many elements, the third is not the
// nest's alone, the fourth is used at another row, and what is in the fifth outlives an iteration of
// the loop.
//
// REMARK: [[#@LINE+17]]:3: remark: {{.*}}blocks have buffers of rows in shared memory"
// REMARK-NOT: remark
//
// CHECK-LABEL: func.func @static
// CHECK-NOT: scf.if
// CHECK: tc.par grid
// CHECK: tc.new : memref<300xi8>
// CHECK: tc.par grid
// CHECK-NOT: tc.new
// CHECK: memref.store %{{.*}}, %[[B:.*]][
// CHECK-COUNT-3: tc.new
// CHECK: tc.seq
// CHECK-NOT: tc.new
// CHECK: return
func.func @static(%A: memref<9x300xi8>, %B: memref<9x20000xi8>) {
  %c0 = arith.constant 0 : index
  %fits = memref.alloc() : memref<9x300xi8>
  tc.par (%i) = (0) to (9) {
    tc.par (%j) = (0) to (300) {
      %x = memref.load %A[%i, %j] : memref<9x300xi8>
      memref.store %x, %fits[%i, %j] : memref<9x300xi8>
    }
    tc.par (%j) = (0) to (300) {
      %at = affine.apply affine_map<(j) -> (299 - j)>(%j)
      %x = memref.load %fits[%i, %at] : memref<9x300xi8>
      memref.store %x, %A[%i, %j] : memref<9x300xi8>
    }
  }
  %large = memref.alloc() : memref<9x20000xi8>
  tc.par (%i) = (0) to (9) {
    tc.par (%j) = (0) to (20000) {
      %x = memref.load %B[%i, %j] : memref<9x20000xi8>
      memref.store %x, %large[%i, %j] : memref<9x20000xi8>
    }
    tc.par (%j) = (0) to (20000) {
      %at = affine.apply affine_map<(j) -> (19999 - j)>(%j)
      %x = memref.load %large[%i, %at] : memref<9x20000xi8>
      memref.store %x, %B[%i, %j] : memref<9x20000xi8>
    }
  }
  %shared = tc.new : memref<9x300xi8>
  %turned = tc.new : memref<9x300xi8>
  %kept = tc.new init(0 : i8) : memref<9x300xi8>
  tc.seq (%t) = (0) to (3) {
    tc.par (%i) = (0) to (9) {
      %other = affine.apply affine_map<(i) -> (8 - i)>(%i)
      tc.par (%j) = (0) to (300) {
        %x = memref.load %A[%i, %j] : memref<9x300xi8>
        memref.store %x, %shared[%i, %j] : memref<9x300xi8>
        memref.store %x, %turned[%other, %j] : memref<9x300xi8>
        %y = memref.load %kept[%i, %j] : memref<9x300xi8>
        %z = arith.addi %x, %y : i8
        memref.store %z, %kept[%i, %j] : memref<9x300xi8>
      }
      tc.par (%j) = (0) to (300) {
        %x = memref.load %kept[%i, %j] : memref<9x300xi8>
        %y = memref.load %turned[%other, %j] : memref<9x300xi8>
        %z = arith.addi %x, %y : i8
        memref.store %z, %A[%i, %j] : memref<9x300xi8>
      }
    }
  }
  tc.par (%j) = (0) to (300) {
    %x = memref.load %shared[%c0, %j] : memref<9x300xi8>
    memref.store %x, %A[%c0, %j] : memref<9x300xi8>
  }
  return
}
