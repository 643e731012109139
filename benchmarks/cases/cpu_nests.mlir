// Nests that benchmarks/cpu_nests.py measures beside those of nests.mlir and naive.mlir: folds of
// rows, which upstream's vectors do not have, and sums inside of iterations.

func.func @argmax(%A: memref<4096x1000xf32>, %where: memref<4096xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  tc.par (%i) = (0) to (4096) {
    tc.reduce (%j) = (0) to (1000) init(%low : f32, %none : i32) {
      %x = memref.load %A[%i, %j] : memref<4096x1000xf32>
      %k = arith.index_cast %j : index to i32
      tc.yield %x, %k : f32, i32
    } combine (%x: f32, %j: i32, %y: f32, %k: i32) {
      %less = arith.cmpf olt, %x, %y : f32
      %z = arith.select %less, %y, %x : f32
      %l = arith.select %less, %k, %j : i32
      tc.yield %z, %l : f32, i32
    } finish (%x: f32, %j: i32) {
      memref.store %j, %where[%i] : memref<4096xi32>
    }
  }
  return
}

// Prefix sums of columns: iterations of the nest are neighbours in memory, terms are rows.
func.func @scan_columns(%A: memref<1000x4096xf32>, %B: memref<1000x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%j) = (0) to (4096) {
    tc.scan (%i) = (0) to (1000) init(%zero : f32) {
      %x = memref.load %A[%i, %j] : memref<1000x4096xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%i: index, %s: f32) {
      memref.store %s, %B[%i, %j] : memref<1000x4096xf32>
    }
  }
  return
}

// A linear recurrence along each column.
func.func @recurrence(%A: memref<1000x4096xf32>, %B: memref<1000x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %decay = arith.constant 0.75 : f32
  tc.par (%j) = (0) to (4096) {
    tc.seq (%i) = (0) to (1000) init(%s = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<1000x4096xf32>
      %d = arith.mulf %s, %decay : f32
      %n = arith.addf %d, %x : f32
      memref.store %n, %B[%i, %j] : memref<1000x4096xf32>
      tc.yield %n : f32
    }
  }
  return
}

// The forces between bodies in a plane; each iteration has two sums.
func.func @forces(%X: memref<2x3000xf32>, %F: memref<2x3000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %soft = arith.constant 0.01 : f32
  tc.par (%i) = (0) to (3000) {
    %x = memref.load %X[%c0, %i] : memref<2x3000xf32>
    %y = memref.load %X[%c1, %i] : memref<2x3000xf32>
    %f:2 = tc.seq (%j) = (0) to (3000) init(%fx = %zero : f32, %fy = %zero : f32) {
      %u = memref.load %X[%c0, %j] : memref<2x3000xf32>
      %v = memref.load %X[%c1, %j] : memref<2x3000xf32>
      %dx = arith.subf %u, %x : f32
      %dy = arith.subf %v, %y : f32
      %xx = arith.mulf %dx, %dx : f32
      %yy = arith.mulf %dy, %dy : f32
      %q = arith.addf %xx, %yy : f32
      %r = arith.addf %q, %soft : f32
      %s = math.sqrt %r : f32
      %w = arith.divf %one, %s : f32
      %wx = arith.mulf %dx, %w : f32
      %wy = arith.mulf %dy, %w : f32
      %nx = arith.addf %fx, %wx : f32
      %ny = arith.addf %fy, %wy : f32
      tc.yield %nx, %ny : f32, f32
    }
    memref.store %f#0, %F[%c0, %i] : memref<2x3000xf32>
    memref.store %f#1, %F[%c1, %i] : memref<2x3000xf32>
  }
  return
}

// A polynomial of each element.
func.func @elements(%A: memref<4000000xf64>, %B: memref<4000000xf64>) {
  %a = arith.constant 0.5 : f64
  %b = arith.constant -0.25 : f64
  %c = arith.constant 0.125 : f64
  tc.par (%i) = (0) to (4000000) {
    %x = memref.load %A[%i] : memref<4000000xf64>
    %p = arith.mulf %x, %a : f64
    %q = arith.addf %p, %b : f64
    %r = arith.mulf %q, %x : f64
    %s = arith.addf %r, %c : f64
    memref.store %s, %B[%i] : memref<4000000xf64>
  }
  return
}
