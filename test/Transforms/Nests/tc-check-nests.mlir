// tc-check-nests: what is certain to be a race, and what looks like one and is none.
//
// RUN: tc-opt %s --tc-check-nests --split-input-file --verify-diagnostics

func.func @same_element(%C: memref<8xf32>) {
  %x = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the iterations are of this tc.par}}
  tc.par (%i) = (0) to (8) {
    // expected-error @+1 {{expected iterations of tc.par to be independent: (7) and (6) write to one element}}
    memref.store %x, %C[%c0] : memref<8xf32>
  }
  return
}

// -----

// A stencil in place.
func.func @neighbour(%C: memref<100xf32>) {
  // expected-note @+1 {{the iterations are of this tc.par}}
  tc.par (%i) = (1) to (99) {
    %l = affine.apply affine_map<(i) -> (i - 1)>(%i)
    // expected-note @+1 {{the other one reads here}}
    %x = memref.load %C[%l] : memref<100xf32>
    // expected-error @+1 {{(98) and (97) write and read one element}}
    memref.store %x, %C[%i] : memref<100xf32>
  }
  return
}

// -----

// By a sum in a loop: every j writes the row.
func.func @sum(%A: memref<8x9xf32>, %C: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    // expected-note @+1 {{the iterations are of this tc.par}}
    tc.par (%j) = (0) to (9) {
      // expected-note @+1 {{the other one reads here}}
      %old = memref.load %C[%i] : memref<8xf32>
      %x = memref.load %A[%i, %j] : memref<8x9xf32>
      %new = arith.addf %old, %x : f32
      // expected-error @+1 {{(8) and (7) write and read one element}}
      memref.store %new, %C[%i] : memref<8xf32>
    }
  }
  return
}

// -----

// Tiles of 16 that are 15 apart, by views.
func.func @tiles(%C: memref<128xf32>) {
  %x = arith.constant 1.0 : f32
  // expected-note @+1 {{the iterations are of this tc.par}}
  tc.par (%i) = (0) to (7) {
    %o = affine.apply affine_map<(i) -> (i * 15)>(%i)
    %t = tc.view %C (%o) <offset = ?, sizes = [16], strides = [1]> : memref<128xf32> to memref<16xf32, strided<[1], offset: ?>>
    tc.par (%j) = (0) to (16) {
      // expected-error @+1 {{expected iterations of tc.par to be independent}}
      memref.store %x, %t[%j] : memref<16xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// -----

func.func private @where(index) -> index

// None of these is certain: a condition, a dynamic extent, a subscript
// that is no function of indices; and none is one: atomics, a loop, a buffer of an
// iteration, odd and even.
func.func @independent(%C: memref<100xf32>, %D: memref<100xi32>, %n: index, %c: i1) {
  %x = arith.constant 1.0 : f32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  tc.par (%i) = (0) to (8) {
    scf.if %c {
      memref.store %x, %C[%c0] : memref<100xf32>
    }
    %j = func.call @where(%i) : (index) -> index
    memref.store %x, %C[%j] : memref<100xf32>
    %old = memref.atomic_rmw addi %one, %D[%c0] : (i32, memref<100xi32>) -> i32
    %own = tc.new : memref<1xf32>
    memref.store %x, %own[%c0] : memref<1xf32>
  }
  tc.par (%i) = (0) to (%n) {
    memref.store %x, %C[%c0] : memref<100xf32>
  }
  tc.seq (%i) = (0) to (8) {
    memref.store %x, %C[%c0] : memref<100xf32>
  }
  tc.par (%i) = (0) to (49) {
    %even = affine.apply affine_map<(i) -> (i * 2)>(%i)
    %odd = affine.apply affine_map<(i) -> (i * 2 + 1)>(%i)
    %y = memref.load %C[%odd] : memref<100xf32>
    memref.store %y, %C[%even] : memref<100xf32>
  }
  tc.par (%i) = (0) to (1) {
    memref.store %x, %C[%c0] : memref<100xf32>
  }
  return
}

// -----

// Subscripts that are out of bounds in some iteration.
func.func @beyond(%C: memref<8xf32>) {
  %x = arith.constant 1.0 : f32
  tc.par (%i) = (0) to (9) {
    // expected-error @+1 {{expected subscript 0 to be from 0 to 7, as 'memref<8xf32>' has it, got 8 in some iteration}}
    memref.store %x, %C[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @before(%C: memref<4x10xf32>) {
  tc.par (%i) = (0) to (4) {
    tc.seq (%k, %l) = (0, 1) to (3, 10) step (1, 4) {
      %j = affine.apply affine_map<(k, l) -> (l - k)>(%k, %l)
      // expected-error @+1 {{expected subscript 1 to be from 0 to 9, as 'memref<4x10xf32>' has it, got -1 in some iteration}}
      %x = memref.load %C[%i, %j] : memref<4x10xf32>
    }
  }
  return
}

// -----

// The last iteration is 9, that of a width of 2 is 10.
func.func @inside(%C: memref<10xf32>, %D: memref<11xf32>, %n: index, %b: i1) {
  %x = arith.constant 1.0 : f32
  %c20 = arith.constant 20 : index
  tc.par (%i) = (1) to (13) step (4) {
    memref.store %x, %C[%i] : memref<10xf32>
  }
  tc.par (%i) = (1) to (13) step (4) width (2) {
    memref.store %x, %D[%i] : memref<11xf32>
  }
  tc.par (%i) = (0) to (0) {
    memref.store %x, %C[%c20] : memref<10xf32>
  }
  tc.par (%i) = (0) to (%n) {
    memref.store %x, %C[%i] : memref<10xf32>
  }
  tc.par (%i) = (0) to (20) {
    scf.if %b {
      memref.store %x, %C[%i] : memref<10xf32>
    }
  }
  return
}

// -----

// What no affine expression can be is no fault of the check.
func.func @negative_modulus(%C: memref<10xf32>) {
  %x = arith.constant 1.0 : f32
  tc.seq (%i) = (0) to (10) {
    %m = affine.apply affine_map<(i) -> (i mod -1)>(%i)
    memref.store %x, %C[%m] : memref<10xf32>
  }
  return
}
