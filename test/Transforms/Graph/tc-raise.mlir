// Nests that are redomaps become linalg.generic over what they reach.
//
// RUN: tc-opt %s --split-input-file --tc-raise | FileCheck %s

// The sum is carried; what it starts from is a fill, what follows it a step of its own.

// CHECK-LABEL: @carried
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[ZERO]] : f32) outs(%arg2 : memref<8xf32>)
// CHECK-NEXT: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : memref<8x9xf32>) outs(%arg2 : memref<8xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg1 : memref<8xf32>) outs(%arg2 : memref<8xf32>)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: tc.par
func.func @carried(%X: memref<8x9xf32>, %scale: memref<8xf32>, %Z: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (8) {
    %sum = tc.seq (%k) = (0) to (9) init (%s = %zero : f32) {
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %n = arith.addf %s, %x : f32
      tc.yield %n : f32
    }
    %factor = memref.load %scale[%i] : memref<8xf32>
    %scaled = arith.mulf %sum, %factor : f32
    memref.store %scaled, %Z[%i] : memref<8xf32>
  }
  return
}

// -----

// Loops that carry the sum inside of one another; it goes on from the element.

// CHECK-LABEL: @goes_on
// CHECK-NOT: fill
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]} ins(%arg0 : memref<8x9x5xf32>) outs(%arg1 : memref<8xf32>)
// CHECK-NOT: linalg.generic
func.func @goes_on(%X: memref<8x9x5xf32>, %Z: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %old = affine.load %Z[%i] : memref<8xf32>
    %sum = affine.for %k = 0 to 9 iter_args(%s = %old) -> f32 {
      %inner = affine.for %l = 0 to 5 iter_args(%t = %s) -> f32 {
        %x = affine.load %X[%i, %k, %l] : memref<8x9x5xf32>
        %n = arith.addf %t, %x : f32
        affine.yield %n : f32
      }
      affine.yield %inner : f32
    }
    affine.store %sum, %Z[%i] : memref<8xf32>
  }
  return
}

// -----

// A step that reads nothing but the element is an op of its own: before the sum, and after it.
// CHECK-LABEL: @scaled(
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg1 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
// CHECK:   arith.mulf %in
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0 : memref<8x9xf32>) outs(%arg1 : memref<8xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg1 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
// CHECK:   arith.mulf %in
// CHECK-NOT: tc.par
// CHECK-NOT: tc.seq
func.func @scaled(%X: memref<8x9xf32>, %Z: memref<8xf32>) {
  %half = arith.constant 0.5 : f32
  %ninth = arith.constant 0.111111111 : f32
  tc.par (%i) = (0) to (8) {
    %old = memref.load %Z[%i] : memref<8xf32>
    %scaled = arith.mulf %old, %half : f32
    memref.store %scaled, %Z[%i] : memref<8xf32>
    tc.seq (%k) = (0) to (9) {
      %z = memref.load %Z[%i] : memref<8xf32>
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %n = arith.addf %z, %x : f32
      memref.store %n, %Z[%i] : memref<8xf32>
    }
    %sum = memref.load %Z[%i] : memref<8xf32>
    %mean = arith.mulf %sum, %ninth : f32
    memref.store %mean, %Z[%i] : memref<8xf32>
  }
  return
}

// -----

// What is stored needs the old element beside the sum, which so has a buffer of its own.
// CHECK-LABEL: @gemm(
// CHECK-SAME: %[[A:.*]]: memref<8x9xf32>, %[[B:.*]]: memref<9x7xf32>, %[[C:.*]]: memref<8x7xf32>)
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<8x7xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[SUMS]] : memref<8x7xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[A]], %[[B]] : {{.*}}) outs(%[[SUMS]] : memref<8x7xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[SUMS]] : memref<8x7xf32>) outs(%[[C]] : memref<8x7xf32>)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-DAG: %[[X:.*]] = arith.mulf %{{.*}}, %[[SUM]]
// CHECK-DAG: %[[Y:.*]] = arith.mulf %{{.*}}, %[[OLD]]
// CHECK: arith.addf %[[X]], %[[Y]]
// CHECK: memref.dealloc %[[SUMS]]
func.func @gemm(%A: memref<8x9xf32>, %B: memref<9x7xf32>, %C: memref<8x7xf32>) {
  %alpha = arith.constant 1.5 : f32
  %beta = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  tc.par (%i, %j) = (0, 0) to (8, 7) {
    %sum = tc.seq (%k) = (0) to (9) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<8x9xf32>
      %b = memref.load %B[%k, %j] : memref<9x7xf32>
      %n = math.fma %a, %b, %s : f32
      tc.yield %n : f32
    }
    %old = memref.load %C[%i, %j] : memref<8x7xf32>
    %x = arith.mulf %alpha, %sum : f32
    %y = arith.mulf %beta, %old : f32
    %r = arith.addf %x, %y : f32
    memref.store %r, %C[%i, %j] : memref<8x7xf32>
  }
  return
}

// -----

// A sum of f32 that is rounded when it is stored.
// CHECK-LABEL: @narrow(
// CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: linalg.generic
// CHECK: arith.extf
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[SUMS]] : memref<?xf32>) outs(%{{.*}} : memref<?xf16>)
// CHECK: arith.truncf
func.func @narrow(%A: memref<?x9xf16>, %C: memref<?xf16>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %size = memref.dim %C, %c0 : memref<?xf16>
  tc.par (%i) = (0) to (%size) {
    %sum = tc.seq (%k) = (0) to (9) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<?x9xf16>
      %w = arith.extf %a : f16 to f32
      %n = arith.addf %s, %w : f32
      tc.yield %n : f32
    }
    %r = arith.truncf %sum : f32 to f16
    memref.store %r, %C[%i] : memref<?xf16>
  }
  return
}

// -----

// A tc.reduce in a nest, and what `finish` makes of its value.
// CHECK-LABEL: @reduced(
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%arg2 : memref<8x7xf32>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%arg0, %arg1 : {{.*}}) outs(%arg2 : memref<8x7xf32>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32):
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK: arith.addf %[[C]], %[[P]]
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg3 : memref<7xf32>) outs(%arg2 : memref<8x7xf32>)
// CHECK-NOT: tc.reduce
func.func @reduced(%A: memref<8x9xf32>, %B: memref<9x7xf32>, %C: memref<8x7xf32>, %bias: memref<7xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i, %j) = (0, 0) to (8, 7) {
    tc.reduce (%k) = (0) to (9) init(%zero : f32) commutative {
      %a = memref.load %A[%i, %k] : memref<8x9xf32>
      %b = memref.load %B[%k, %j] : memref<9x7xf32>
      %p = arith.mulf %a, %b : f32
      tc.yield %p : f32
    } combine (%x: f32, %y: f32) {
      %s = arith.addf %x, %y : f32
      tc.yield %s : f32
    } finish (%total: f32) {
      %b = memref.load %bias[%j] : memref<7xf32>
      %r = arith.addf %total, %b : f32
      memref.store %r, %C[%i, %j] : memref<8x7xf32>
    }
  }
  return
}

// -----

// Bounds, steps, windows and indices from outside are subviews.

// CHECK: affine_map<(d0, d1) -> (0, d0 * 3 + d1)>
// CHECK-LABEL: @window
// CHECK-SAME: %[[I:.*]]: memref<4x40xf32>, %[[W:.*]]: memref<3xf32>, %[[O:.*]]: memref<40xf32>, %[[ROW:.*]]: index
// CHECK-DAG: %[[OUT:.*]] = memref.subview %[[O]][1] [10] [3] : memref<40xf32> to memref<10xf32, strided<[3], offset: 1>>
// CHECK-DAG: %[[IN:.*]] = memref.subview %[[I]][%[[ROW]], 4] [1, 30] [1, 1] : memref<4x40xf32> to memref<1x30xf32, strided<[40, 1], offset: ?>>
// CHECK: linalg.generic {{.*}} ins(%[[IN]], %[[W]] : {{.*}}) outs(%[[OUT]] :
func.func @window(%I: memref<4x40xf32>, %W: memref<3xf32>, %O: memref<40xf32>, %row: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c31 = arith.constant 31 : index
  scf.for %i = %c1 to %c31 step %c3 {
    scf.for %w = %c0 to %c3 step %c1 {
      %at = affine.apply affine_map<(i, w) -> (i + w + 3)>(%i, %w)
      %x = memref.load %I[%row, %at] : memref<4x40xf32>
      %y = memref.load %W[%w] : memref<3xf32>
      %o = memref.load %O[%i] : memref<40xf32>
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %o, %p : f32
      memref.store %s, %O[%i] : memref<40xf32>
    }
  }
  return
}

// -----

// An index that falls is a stride that does; a window that moves against a loop moves with it where
// the loop goes backwards, and then others fall.

// CHECK: affine_map<(d0, d1) -> (d0 + d1)>
// CHECK-LABEL: @convolve
// CHECK-SAME: %[[A:.*]]: memref<207xf32>, %[[W:.*]]: memref<8xf32>, %[[V:.*]]: memref<200xf32>, %[[Z:.*]]: memref<200xf32>
// CHECK-DAG: %[[KERNEL:.*]] = memref.subview %[[W]][7] [8] [-1] : memref<8xf32> to memref<8xf32, strided<[-1], offset: 7>>
// CHECK-DAG: %[[ROW:.*]] = memref.subview %[[V]][199] [200] [-1]
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[KERNEL]], %[[ROW]] : {{.*}}) outs(%[[Z]] :
func.func @convolve(%A: memref<207xf32>, %W: memref<8xf32>, %V: memref<200xf32>, %Z: memref<200xf32>) {
  tc.seq (%i) = (0) to (200) {
    tc.seq (%k) = (0) to (8) {
      %r = affine.apply affine_map<(i, k) -> (i - k + 7)>(%i, %k)
      %last = affine.apply affine_map<(i) -> (199 - i)>(%i)
      %x = memref.load %A[%r] : memref<207xf32>
      %w = memref.load %W[%k] : memref<8xf32>
      %v = memref.load %V[%last] : memref<200xf32>
      %z = memref.load %Z[%i] : memref<200xf32>
      %p = arith.mulf %x, %w : f32
      %q = arith.mulf %p, %v : f32
      %s = arith.subf %z, %q : f32
      memref.store %s, %Z[%i] : memref<200xf32>
      tc.yield
    }
    tc.yield
  }
  return
}

// -----

// Bounds that maps give are computed before the nest.

// CHECK-LABEL: @maps
// CHECK-SAME: %[[A:.*]]: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK-DAG: affine.apply #{{.*}}(%[[N]])
// CHECK-DAG: affine.apply #{{.*}}(%[[M]])[%[[N]]]
// CHECK-NOT: affine.for
// CHECK: linalg.generic
func.func @maps(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %m: index) {
  affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
    affine.for %j = affine_map<(d0) -> (d0 floordiv 2)>(%n) to %n step 2 {
      affine.for %k = 0 to affine_map<(d0)[s0] -> (d0 + s0)>(%m)[%n] {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%k, %j] : memref<?x?xf32>
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
