// tc-raise: loops of a nest that is no contraction, but goes along rows, are shared by the threads
// of a block.
//
// RUN: tc-opt %s --tc-raise | FileCheck %s
// RUN: tc-opt %s --tc-raise --remarks-filter=tc-raise -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --tc-raise=keep-order | FileCheck %s --check-prefix=KEEP

// A softmax of rows. What the second loop stores only the third one reads, and overwrites.
// CHECK-LABEL: @softmax(
// CHECK:      tc.par (%[[I:.*]]) = (0) to (40) {
// CHECK:        %[[LARGEST:.*]] = tc.new : memref<f32>
// CHECK:        tc.reduce (%[[J:.*]]) = (0) to (100) init(%{{.*}} : f32) commutative {
// CHECK:          %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK:          tc.yield %[[X]]
// CHECK:        } combine (%[[A:.*]]: f32, %[[B:.*]]: f32) {
// CHECK:          %[[M:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK:          tc.yield %[[M]]
// CHECK:        } finish (%[[T:.*]]: f32) {
// CHECK:          memref.store %[[T]], %[[LARGEST]][]
// CHECK:        }
// CHECK:        %[[MAX:.*]] = memref.load %[[LARGEST]][]
// CHECK:        %[[ROW:.*]] = tc.new : memref<100xf32>
// CHECK:        tc.reduce (%[[J:.*]]) = (0) to (100)
// CHECK:          %[[D:.*]] = arith.subf %{{.*}}, %[[MAX]]
// CHECK:          %[[E:.*]] = math.exp %[[D]]
// CHECK:          memref.store %[[E]], %[[ROW]][%[[J]]]
// CHECK:        tc.par (%[[J:.*]]) = (0) to (100) {
// CHECK:          memref.load %[[ROW]][%[[J]]]
// CHECK:          memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]] : memref<40x100xf32>
//
// KEEP-LABEL: @softmax(
// KEEP-NOT: tc.reduce
//
// REMARK: remark: [Passed] Folds | Category:tc-raise | Reason="the nest is no contraction: {{.*}}; the threads of a block share its loops, which walk along rows"
func.func @softmax(%A: memref<40x100xf32>, %B: memref<40x100xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  tc.par (%i) = (0) to (40) {
    %max = tc.seq (%j) = (0) to (100) init(%m = %low : f32) {
      %x = memref.load %A[%i, %j] : memref<40x100xf32>
      %n = arith.maximumf %m, %x : f32
      tc.yield %n : f32
    }
    %sum = tc.seq (%j) = (0) to (100) init(%s = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<40x100xf32>
      %d = arith.subf %x, %max : f32
      %e = math.exp %d : f32
      memref.store %e, %B[%i, %j] : memref<40x100xf32>
      %n = arith.addf %s, %e : f32
      tc.yield %n : f32
    }
    affine.for %j = 0 to 100 {
      %e = memref.load %B[%i, %j] : memref<40x100xf32>
      %p = arith.divf %e, %sum : f32
      memref.store %p, %B[%i, %j] : memref<40x100xf32>
    }
  }
  return
}

// Two sums in one loop, one of them by fused multiply-adds, from values that are not neutral; and
// a sum of integers, which may be in any order.
// CHECK-LABEL: @two(
// CHECK:        tc.reduce (%{{.*}}) = (0) to (%{{.*}}) step (2) init(%{{.*}} : f32, %{{.*}} : i32) commutative {
// CHECK:          %[[P:.*]] = arith.mulf
// CHECK:        } combine (%[[A:.*]]: f32, %[[C:.*]]: i32, %[[B:.*]]: f32, %[[D:.*]]: i32) {
// CHECK:          %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK:          %[[N:.*]] = arith.addi %[[C]], %[[D]]
// CHECK:        } finish (%[[F:.*]]: f32, %[[G:.*]]: i32) {
// CHECK:          %[[START:.*]] = arith.addf %{{.*}}, %[[F]]
// CHECK:          memref.store %[[START]]
// CHECK:          memref.store %[[G]]
func.func @two(%A: memref<?x?xf32>, %I: memref<?x?xi32>, %S: memref<?xf32>, %T: memref<?xi32>,
               %m: index, %n: index) {
  %half = arith.constant 0.5 : f32
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  tc.par (%i) = (0) to (%m) {
    %s:2 = scf.for %j = %c0 to %n step %c2 iter_args(%a = %half, %b = %none) -> (f32, i32) {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      %k = memref.load %I[%i, %j] : memref<?x?xi32>
      %next = math.fma %x, %x, %a : f32
      %sum = arith.addi %b, %k : i32
      scf.yield %next, %sum : f32, i32
    }
    memref.store %s#0, %S[%i] : memref<?xf32>
    memref.store %s#1, %T[%i] : memref<?xi32>
  }
  return
}

// Nests that stay: each goes on with what is written, or would not gain.
// CHECK-LABEL: @columns(
// CHECK-NOT: tc.reduce
func.func @columns(%A: memref<100x40xf32>, %S: memref<40xf32>, %T: memref<40xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (40) {
    %s = tc.seq (%j) = (0) to (100) init(%c = %zero : f32) {
      %x = memref.load %A[%j, %i] : memref<100x40xf32>
      %n = arith.addf %c, %x : f32
      tc.yield %n : f32
    }
    memref.store %s, %S[%i] : memref<40xf32>
    memref.store %s, %T[%i] : memref<40xf32>
  }
  return
}

// CHECK-LABEL: @recurrence(
// CHECK-NOT: tc.reduce
func.func @recurrence(%A: memref<40x100xf32>, %S: memref<40xf32>, %T: memref<40xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (40) {
    %s = tc.seq (%j) = (0) to (100) init(%c = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<40x100xf32>
      %d = arith.subf %x, %c : f32
      tc.yield %d : f32
    }
    memref.store %s, %S[%i] : memref<40xf32>
    memref.store %s, %T[%i] : memref<40xf32>
  }
  return
}

// The second loop reads what its iteration before wrote.
// CHECK-LABEL: @walk(
// CHECK-NOT: tc.reduce
func.func @walk(%A: memref<40x101xf32>, %S: memref<40xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (40) {
    %s = tc.seq (%j) = (0) to (100) init(%c = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<40x101xf32>
      %n = arith.addf %c, %x : f32
      tc.yield %n : f32
    }
    memref.store %s, %S[%i] : memref<40xf32>
    tc.seq (%j) = (0) to (100) {
      %k = affine.apply affine_map<(j) -> (j + 1)>(%j)
      %x = memref.load %A[%i, %j] : memref<40x101xf32>
      memref.store %x, %A[%i, %k] : memref<40x101xf32>
    }
  }
  return
}

// CHECK-LABEL: @short(
// CHECK-NOT: tc.reduce
func.func @short(%A: memref<40x16xf32>, %S: memref<40xf32>, %T: memref<40xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (40) {
    %s = tc.seq (%j) = (0) to (16) init(%c = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<40x16xf32>
      %n = arith.addf %c, %x : f32
      tc.yield %n : f32
    }
    memref.store %s, %S[%i] : memref<40xf32>
    memref.store %s, %T[%i] : memref<40xf32>
  }
  return
}

// CHECK-LABEL: @written(
// CHECK-NOT: tc.reduce
func.func @written(%A: memref<40x100xf32>, %S: memref<40xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (40) {
    %s = tc.seq (%j) = (0) to (100) init(%c = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<40x100xf32>
      %n = arith.addf %c, %x : f32
      tc.yield %n : f32
    }
    memref.store %s, %S[%i] : memref<40xf32>
  }
  return
}
