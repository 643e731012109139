// Nests that are no contractions stay, and remarks say why.
//
// RUN: tc-opt %s --split-input-file --tc-raise --remarks -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=LEFT %s < %t.mlir
// RUN: tc-opt %s --split-input-file --tc-raise=keep-order --remarks 2>&1 | FileCheck --check-prefix=KEEP %s
// LEFT-COUNT-14: memref.store
// LEFT-COUNT-2: linalg.generic

// CHECK: NotRaised{{.*}}it says who runs its iterations
func.func @level(%X: memref<8x9xf32>, %Z: memref<8xf32>) {
  tc.par device (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %z = memref.load %Z[%i] : memref<8xf32>
      %s = arith.addf %z, %x : f32
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// CHECK: NotRaised{{.*}}bounds vary in the nest
func.func @triangular(%X: memref<8x8xf32>, %Z: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (%i) {
      %x = memref.load %X[%i, %k] : memref<8x8xf32>
      %z = memref.load %Z[%i] : memref<8xf32>
      %s = arith.addf %z, %x : f32
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// One window moves with k, the other against it, whichever way the loop goes.
// CHECK: NotRaised{{.*}}a subscript is not linear in the indices, or falls with one of several in whatever direction the loops go
func.func @both_ways(%X: memref<16xf32>, %W: memref<16xf32>, %Z: memref<8xf32>, %K: memref<8xf32>) {
  tc.seq (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (8) {
      %r = affine.apply affine_map<(i, k) -> (i - k + 7)>(%i, %k)
      %t = affine.apply affine_map<(i, k) -> (i + k)>(%i, %k)
      %x = memref.load %X[%r] : memref<16xf32>
      %w = memref.load %W[%t] : memref<16xf32>
      %c = memref.load %K[%k] : memref<8xf32>
      %z = memref.load %Z[%i] : memref<8xf32>
      %p = arith.mulf %x, %w : f32
      %q = arith.mulf %p, %c : f32
      %s = arith.addf %z, %q : f32
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
    tc.yield
  }
  return
}

// -----

// Backwards this would be another value.
// CHECK: NotRaised{{.*}}a loop that would go backwards combines in its order
func.func @decays(%X: memref<16xf32>, %W: memref<8xf32>, %Z: memref<8xf32>) {
  %half = arith.constant 0.5 : f32
  tc.seq (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (8) {
      %r = affine.apply affine_map<(i, k) -> (i - k + 7)>(%i, %k)
      %x = memref.load %X[%r] : memref<16xf32>
      %w = memref.load %W[%k] : memref<8xf32>
      %z = memref.load %Z[%i] : memref<8xf32>
      %p = arith.mulf %x, %w : f32
      %h = arith.mulf %z, %half : f32
      %s = arith.addf %h, %p : f32
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
    tc.yield
  }
  return
}

// -----

// CHECK: NotRaised{{.*}}it may read other elements of the buffer that it writes
func.func @recurrence(%X: memref<8x9xf32>) {
  %c0 = arith.constant 0 : index
  tc.seq (%k) = (1) to (9) {
    %b = affine.apply affine_map<(k) -> (k - 1)>(%k)
    %x = memref.load %X[%c0, %k] : memref<8x9xf32>
    %y = memref.load %X[%c0, %b] : memref<8x9xf32>
    %s = arith.addf %x, %y : f32
    memref.store %s, %X[%c0, %k] : memref<8x9xf32>
    tc.yield
  }
  return
}

// -----

// CHECK: NotRaised{{.*}}it writes more than one element in an iteration
func.func @two(%X: memref<8x9xf32>, %Y: memref<8xf32>, %Z: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %y = memref.load %Y[%i] : memref<8xf32>
      %z = memref.load %Z[%i] : memref<8xf32>
      %s = arith.addf %z, %x : f32
      %p = arith.maximumf %y, %x : f32
      memref.store %p, %Y[%i] : memref<8xf32>
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// CHECK: NotRaised{{.*}}it computes with an index
func.func @weighted(%X: memref<8x9xi64>, %Z: memref<8xi64>) {
  tc.par (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xi64>
      %w = arith.index_cast %k : index to i64
      %z = memref.load %Z[%i] : memref<8xi64>
      %p = arith.muli %x, %w : i64
      %s = arith.addi %z, %p : i64
      memref.store %s, %Z[%i] : memref<8xi64>
      tc.yield
    }
  }
  return
}

// -----

// One sum for a row of results: a contraction would compute it for each of them.

// CHECK: NotRaised{{.*}}a loop stores a sum that is the same in all its iterations
func.func @shared_sum(%X: memref<9x8xf32>, %Z: memref<9x8xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (8) {
    %sum = tc.seq (%k) = (0) to (9) init(%s = %zero : f32) {
      %x = memref.load %X[%k, %i] : memref<9x8xf32>
      %n = arith.addf %s, %x : f32
      tc.yield %n : f32
    }
    tc.par (%j) = (0) to (9) {
      %x = memref.load %X[%j, %i] : memref<9x8xf32>
      %q = arith.divf %x, %sum : f32
      memref.store %q, %Z[%j, %i] : memref<9x8xf32>
    }
  }
  return
}

// -----

// Each term needs the old element, which the sum is written over.

// CHECK: NotRaised{{.*}}it reads the old element beside the one that a loop carries
func.func @of_old(%X: memref<8x9xf32>, %Z: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (8) {
    %sum = tc.seq (%k) = (0) to (9) init(%s = %zero : f32) {
      %old = memref.load %Z[%i] : memref<8xf32>
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %p = arith.mulf %x, %old : f32
      %n = arith.addf %s, %p : f32
      tc.yield %n : f32
    }
    memref.store %sum, %Z[%i] : memref<8xf32>
  }
  return
}

// -----

// CHECK: NotRaised{{.*}}the last iteration overwrites what others wrote
func.func @last(%X: memref<8x9xf32>, %Z: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      memref.store %x, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// Each iteration stores what it adds to the element before the loop: the last one stays.

// CHECK: NotRaised{{.*}}it reads the old element outside of a loop that combines
func.func @hoisted(%X: memref<8x9xf32>, %Z: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    %z = memref.load %Z[%i] : memref<8xf32>
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %s = arith.addf %z, %x : f32
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// The second sum starts from what was there before the first.

// CHECK: NotRaised{{.*}}it reads the element before it writes it
func.func @stale(%X: memref<8x9xf32>, %W: memref<8xf32>, %Z: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (8) {
    %z = memref.load %Z[%i] : memref<8xf32>
    memref.store %zero, %Z[%i] : memref<8xf32>
    %w = memref.load %W[%i] : memref<8xf32>
    %y = arith.mulf %z, %w : f32
    memref.store %y, %Z[%i] : memref<8xf32>
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %o = memref.load %Z[%i] : memref<8xf32>
      %s = arith.addf %o, %x : f32
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// Each iteration of the outer loop starts from what was there before it: the last one stays.

// CHECK: NotRaised{{.*}}it reads the old element outside of a loop that combines
func.func @starts_again(%X: memref<8x9x5xf32>, %Z: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    %z = memref.load %Z[%i] : memref<8xf32>
    tc.seq (%k) = (0) to (9) {
      %sum = tc.seq (%l) = (0) to (5) init(%s = %z : f32) {
        %x = memref.load %X[%i, %k, %l] : memref<8x9x5xf32>
        %n = arith.addf %s, %x : f32
        tc.yield %n : f32
      }
      memref.store %sum, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// CHECK: NotRaised{{.*}}it computes with other than numbers
func.func @vectors(%X: memref<8x9xvector<2xf32>>, %Z: memref<8xvector<2xf32>>) {
  tc.par (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xvector<2xf32>>
      %z = memref.load %Z[%i] : memref<8xvector<2xf32>>
      %s = arith.addf %z, %x : vector<2xf32>
      memref.store %s, %Z[%i] : memref<8xvector<2xf32>>
      tc.yield
    }
  }
  return
}

// -----

// Integers may be added in any order.

// CHECK-NOT: NotRaised
// KEEP-NOT: floats would be combined in another order
func.func @integers(%X: memref<8x9xi64>, %Z: memref<8xi64>) {
  tc.par (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xi64>
      %z = memref.load %Z[%i] : memref<8xi64>
      %s = arith.addi %z, %x : i64
      memref.store %s, %Z[%i] : memref<8xi64>
      tc.yield
    }
  }
  return
}

// -----

// KEEP: NotRaised{{.*}}floats would be combined in another order
func.func @floats(%X: memref<8x9xf32>, %Z: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    tc.seq (%k) = (0) to (9) {
      %x = memref.load %X[%i, %k] : memref<8x9xf32>
      %z = memref.load %Z[%i] : memref<8xf32>
      %s = arith.addf %z, %x : f32
      memref.store %s, %Z[%i] : memref<8xf32>
      tc.yield
    }
  }
  return
}

// -----

// The bound of the inner loop varies with the outer one.
// CHECK: NotRaised{{.*}}bounds vary in the nest
func.func @triangle(%A: memref<8x8xf32>, %X: memref<8xf32>, %Y: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %k = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %A[%i, %k] : memref<8x8xf32>
      %x = affine.load %X[%k] : memref<8xf32>
      %y = affine.load %Y[%i] : memref<8xf32>
      %p = arith.mulf %a, %x : f32
      %s = arith.addf %y, %p : f32
      affine.store %s, %Y[%i] : memref<8xf32>
    }
  }
  return
}
