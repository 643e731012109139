// convert-scf-to-tc: bounds, steps, levels, and what stays; and the way back.
//
// RUN: tc-opt %s --convert-scf-to-tc | FileCheck %s
// RUN: tc-opt %s --convert-scf-to-tc --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --convert-scf-to-tc --convert-tc-to-loops=parallel=true | FileCheck %s --check-prefix=BACK

// Several dimensions; constants are bounds, and values are.
// CHECK-LABEL: @parallel(
// CHECK: tc.par (%[[I:.*]], %[[J:.*]]) = (1, 0) to (%{{.*}}, 17) step (2, 1) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// BACK-LABEL: @parallel(
// BACK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) {
// BACK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @parallel(%A: memref<?x17xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c17 = arith.constant 17 : index
  scf.parallel (%i, %j) = (%c1, %c0) to (%n, %c17) step (%c2, %c1) {
    memref.store %x, %A[%i, %j] : memref<?x17xf32>
  }
  return
}

// A dynamic step.
// CHECK-LABEL: @step(
// CHECK: %[[COUNT:.*]] = arith.ceildivsi
// CHECK: tc.par (%[[K:.*]]) = (0) to (%[[COUNT]]) {
// CHECK-NEXT: %[[SCALED:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[SCALED]], %{{.*}}
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
func.func @step(%A: memref<?xf32>, %l: index, %n: index, %s: index, %x: f32) {
  scf.parallel (%i) = (%l) to (%n) step (%s) {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  return
}

// Lanes of warps.
// CHECK-LABEL: @warps(
// CHECK: tc.par grid
// CHECK: tc.par block (%{{.*}}) = (0) to (4) {
// CHECK: tc.par warp (%{{.*}}) = (0) to (32) {
func.func @warps(%A: memref<8x4x32xf32>, %x: f32) {
  scf.forall (%b) in (8) {
    scf.forall (%w) in (4) {
      scf.forall (%l) in (32) {
        memref.store %x, %A[%b, %w, %l] : memref<8x4x32xf32>
      } {mapping = [#gpu.lane<linear_dim_0>]}
    } {mapping = [#gpu.warp<linear_dim_0>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// What is combined goes through a buffer; init is combined once where it is not neutral. On the host a store, or a nest, loads
// the value for itself, with what is computed from it.
// CHECK-LABEL: @reduces(
// CHECK-SAME: %[[A:[a-zA-Z0-9]+]]: memref<8xf32>, %[[C:[a-zA-Z0-9]+]]: memref<2xf32>, %[[X:[a-zA-Z0-9]+]]: f32
// CHECK: %[[SUM:.+]] = tc.new : memref<f32>
// CHECK: %[[MOST:.+]] = tc.new : memref<f32>
// CHECK: tc.reduce (%{{.+}}) = (0) to (8) init(%{{.+}} : f32, %{{.+}} : f32) commutative {
// CHECK: } combine (%[[A0:.+]]: f32, %[[A1:.+]]: f32, %[[B0:.+]]: f32, %[[B1:.+]]: f32) {
// CHECK: %[[S:.+]] = arith.addf %[[A0]], %[[B0]]
// CHECK: %[[M:.+]] = arith.maximumf %[[A1]], %[[B1]]
// CHECK: tc.yield %[[S]], %[[M]]
// CHECK: } finish (%[[T0:.+]]: f32, %[[T1:.+]]: f32) {
// CHECK: memref.store %[[T0]], %[[SUM]][]
// CHECK: %[[ALL:.+]] = arith.maximumf %[[X]], %[[T1]]
// CHECK: memref.store %[[ALL]], %[[MOST]][]
// CHECK: tc.par () = () to () {
// CHECK: %[[L0:.+]] = memref.load %[[SUM]][]
// CHECK: %[[L1:.+]] = memref.load %[[MOST]][]
// CHECK: %[[Q:.+]] = arith.divf %[[L0]], %[[L1]]
// CHECK: memref.store %[[Q]], %[[C]]
// CHECK: tc.par (%{{.+}}) = (0) to (8) {
// CHECK: %[[L:.+]] = memref.load %[[SUM]][]
// CHECK: memref.store %[[L]], %[[A]]
func.func @reduces(%A: memref<8xf32>, %C: memref<2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sum, %most = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init(%zero, %x) -> (f32, f32) {
    %y = memref.load %A[%i] : memref<8xf32>
    scf.reduce(%y, %y : f32, f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  %q = arith.divf %sum, %most : f32
  memref.store %q, %C[%c0] : memref<2xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %sum, %A[%i] : memref<8xf32>
  }
  return
}

// In a nest the threads load it. Steps become factors.
// CHECK-LABEL: @rows(
// CHECK: tc.par (%[[I:.+]]) = (0) to (6) {
// CHECK: %[[SUM:.+]] = tc.new : memref<f32>
// CHECK: tc.reduce (%[[J:.+]]) = (0) to (3)
// CHECK: %[[K:.+]] = arith.muli %[[J]], %c3
// CHECK: %[[COLUMN:.+]] = arith.addi %[[K]], %c1
// CHECK: memref.load %{{.+}}[%[[I]], %[[COLUMN]]]
// CHECK: %[[L:.+]] = memref.load %[[SUM]][]
// CHECK: memref.store %[[L]], %{{.+}}[%[[I]]]
func.func @rows(%A: memref<6x8xf32>, %R: memref<6xf32>) {
  affine.parallel (%i) = (0) to (6) {
    %s = affine.parallel (%j) = (1) to (8) step (3) reduce("mulf") -> f32 {
      %x = affine.load %A[%i, %j] : memref<6x8xf32>
      affine.yield %x : f32
    }
    affine.store %s, %R[%i] : memref<6xf32>
  }
  return
}

// CHECK-LABEL: @to_the_host(
// CHECK: scf.parallel
// REMARK: the loop stays as it is: the host needs its value, for 'func.return'
func.func @to_the_host(%A: memref<8xf32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init(%zero) -> f32 {
    %x = memref.load %A[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}

// CHECK-LABEL: @not_neutral(
// CHECK: scf.parallel
// REMARK: the loop stays as it is: no neutral element of what it combines by is known; write a tc.reduce
func.func @not_neutral(%A: memref<8xf32>, %C: memref<f32>, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init(%zero) -> f32 {
    %x = memref.load %A[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %a, %p : f32
      scf.reduce.return %s : f32
    }
  }
  memref.store %sum, %C[] : memref<f32>
  return
}

// CHECK-LABEL: @mixed(
// CHECK: scf.forall
// REMARK: the loop stays as it is: its mapping mixes levels, or names none of a GPU
func.func @mixed(%A: memref<8x4xf32>, %x: f32) {
  scf.forall (%b, %t) in (8, 4) {
    memref.store %x, %A[%b, %t] : memref<8x4xf32>
  } {mapping = [#gpu.block<x>, #gpu.thread<x>]}
  return
}

// A sum of narrow numbers is kept in f32.
// CHECK-LABEL: @narrow_sum(
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: tc.reduce (%{{.+}}) = (0) to (8) init(%[[ZERO]] : f32) commutative {
// CHECK: %[[TERM:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK-NEXT: tc.yield %[[TERM]] : f32
// CHECK: } finish (%[[TOTAL:.+]]: f32) {
// CHECK: %[[ALL:.+]] = arith.addf %{{.+}}, %[[TOTAL]] : f32
// CHECK: %[[SUM:.+]] = arith.truncf %[[ALL]] : f32 to f16
// CHECK: memref.store %[[SUM]], %{{.+}} : memref<f16>
func.func @narrow_sum(%A: memref<8xf16>, %C: memref<1xf16>, %x: f16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init(%x) -> f16 {
    %y = memref.load %A[%i] : memref<8xf16>
    scf.reduce(%y : f16) {
    ^bb0(%a: f16, %b: f16):
      %s = arith.addf %a, %b : f16
      scf.reduce.return %s : f16
    }
  }
  memref.store %sum, %C[%c0] : memref<1xf16>
  return
}

// A width between 1 and the step is a loop inside.
// BACK-LABEL: @width(
// BACK: scf.parallel
// BACK: arith.minsi
// BACK: scf.for
// BACK: memref.store
func.func @width(%A: memref<17xf32>, %x: f32) {
  tc.par (%i) = (0) to (17) step (4) width (2) {
    memref.store %x, %A[%i] : memref<17xf32>
  }
  return
}

// A loop in order of parallel loops, in one: it may be interchanged with that. Values are carried on,
// and a dynamic step is a factor. Other loops stay.
// CHECK-LABEL: @loop_of_nests(
// CHECK: tc.par (%[[I:.*]]) = (0) to (4) {
// CHECK: %[[COUNT:.*]] = arith.ceildivsi
// CHECK: %[[X:.*]] = tc.seq (%[[K:.*]]) = (0) to (%[[COUNT]]) init(%[[A:.*]] = %{{.*}} : f32) {
// CHECK: %[[SCALED:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK: %[[T:.*]] = arith.addi %[[SCALED]], %{{.*}}
// CHECK: tc.par (%[[J:.*]]) = (0) to (9) {
// CHECK: memref.store %[[A]], %{{.*}}[%[[I]], %[[J]]]
// CHECK: %[[B:.*]] = memref.load %{{.*}}[%[[I]], %[[T]]]
// CHECK: tc.yield %[[B]] : f32
// CHECK: memref.store %[[X]]
// CHECK: scf.for
// CHECK: tc.par
// CHECK: scf.for
// CHECK: return
func.func @loop_of_nests(%A: memref<4x9xf32>, %s: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.forall (%i) in (4) {
    %y = scf.for %t = %c1 to %c9 step %s iter_args(%a = %x) -> (f32) {
      scf.forall (%j) in (9) {
        memref.store %a, %A[%i, %j] : memref<4x9xf32>
      }
      %b = memref.load %A[%i, %t] : memref<4x9xf32>
      scf.yield %b : f32
    }
    memref.store %y, %A[%i, %c0] : memref<4x9xf32>
  }
  scf.for %t = %c0 to %c9 step %c1 {
    scf.forall (%i) in (4) {
      scf.for %j = %c0 to %c9 step %c1 {
        memref.store %x, %A[%i, %j] : memref<4x9xf32>
      }
    }
  }
  return
}
