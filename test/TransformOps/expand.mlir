// What `expand` makes of contractions, reductions and scans: sums in results and in buffers, old
// results and none, epilogues with sides, windows, several results, terms in order, scalars, and
// what stands in a nest. The program means the same.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/expand.mlir \
// RUN:   --transform-interpreter -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %run_program %t.mlir
//
// CHECK-NOT: tc.{{contract|reduce|scan}}
// CHECK: tc.par () = () to () {
// CHECK-NOT: tc.{{contract|reduce|scan}}
func.func @expanded(%A: memref<6x5xf32>, %B: memref<5x7xf32>, %C: memref<6x7xf32>,
                    %D: memref<6x7xf16>, %E: memref<6x7xf32>, %F: memref<6x6xf32>,
                    %G: memref<4x7xf32>, %r: memref<f32>, %s: memref<2xf32>,
                    %T: memref<6x5xf32>, %best: memref<6xf32>, %at: memref<6xi32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // In the results, from the old ones on.
  tc.contract (i = 6, j = 7, k = 5) ins(%A[i, k] : memref<6x5xf32>, %B[k, j] : memref<5x7xf32>)
    outs(%C[i, j] : memref<6x7xf32>)
  // In buffers: the sums are of f32.
  tc.contract (i = 6, j = 7, k = 5) ins(%A[i, k] : memref<6x5xf32>, %B[k, j] : memref<5x7xf32>)
    outs(%D[i, j] : memref<6x7xf16>) overwrite
  // With a side, which is the old result.
  tc.contract (i = 6, j = 7, k = 5)
    ins(%A[i, k] : memref<6x5xf32>, %B[k, j] : memref<5x7xf32>)
    sides(%E[i, j] : memref<6x7xf32>)
    outs(%E[i, j] : memref<6x7xf32>) overwrite epilogue (%acc: f32, %old: f32) {
      %two = arith.constant 2.0 : f32
      %half = arith.mulf %old, %two : f32
      %sum = arith.addf %acc, %half : f32
      tc.yield %sum : f32
    }
  // The least sums of two steps.
  tc.contract (i = 6, j = 6, k = 5) ins(%A[i, k] : memref<6x5xf32>, %A[j, k] : memref<6x5xf32>)
    outs(%F[i, j] : memref<6x6xf32>) overwrite neutral(0x7F800000 : f32)
    map (%a: f32, %b: f32) {
      %sum = arith.addf %a, %b : f32
      tc.yield %sum : f32
    } combine associative commutative (%acc: f32, %v: f32) {
      %least = arith.minimumf %acc, %v : f32
      tc.yield %least : f32
    }
  // A window, and terms in order: the last positive one.
  tc.contract (i = 4, j = 7, w = 3) ins(%C[i + w, j] : memref<6x7xf32>)
    outs(%G[i, j] : memref<4x7xf32>) neutral(-1.0 : f32)
    map (%a: f32) {
      tc.yield %a : f32
    } combine (%acc: f32, %v: f32) {
      %none = arith.constant 0.0 : f32
      %positive = arith.cmpf ogt, %v, %none : f32
      %last = arith.select %positive, %v, %acc : f32
      tc.yield %last : f32
    }
  // One result, and an outer product without sums.
  tc.contract (i = 6, k = 5) ins(%A[i, k] : memref<6x5xf32>) outs(%r[] : memref<f32>) overwrite
  tc.contract (i = 6, k = 5) ins(%A[i, k] : memref<6x5xf32>, %A[i, k] : memref<6x5xf32>)
    outs(%T[i, k] : memref<6x5xf32>) overwrite
  tc.reduce (%i, %j) = (0, 0) to (6, 5) init(%zero : f32, %zero : f32) commutative {
    %x = memref.load %A[%i, %j] : memref<6x5xf32>
    %y = arith.mulf %x, %x : f32
    tc.yield %x, %y : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) {
    %e = arith.addf %a, %c : f32
    %f = arith.addf %b, %d : f32
    tc.yield %e, %f : f32, f32
  } finish (%a: f32, %b: f32) {
    memref.store %a, %s[%c0] : memref<2xf32>
    memref.store %b, %s[%c1] : memref<2xf32>
  }
  tc.par (%i) = (0) to (6) {
    %lowest = arith.constant 0xFF800000 : f32
    %none = arith.constant -1 : i32
    tc.reduce (%j) = (0) to (5) init(%lowest : f32, %none : i32) {
      %x = memref.load %A[%i, %j] : memref<6x5xf32>
      %n = arith.index_cast %j : index to i32
      tc.yield %x, %n : f32, i32
    } combine (%a: f32, %m: i32, %b: f32, %n: i32) {
      %isMore = arith.cmpf ogt, %b, %a : f32
      %x = arith.select %isMore, %b, %a : f32
      %y = arith.select %isMore, %n, %m : i32
      tc.yield %x, %y : f32, i32
    } finish (%a: f32, %m: i32) {
      memref.store %a, %best[%i] : memref<6xf32>
      memref.store %m, %at[%i] : memref<6xi32>
    }
    tc.scan (%j) = (0) to (5) init(%zero : f32) {
      %x = memref.load %T[%i, %j] : memref<6x5xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %sum = arith.addf %a, %b : f32
      tc.yield %sum : f32
    } finish (%j: index, %a: f32) {
      memref.store %a, %T[%i, %j] : memref<6x5xf32>
    }
    tc.scan (%j) = (0) to (5) init(%zero : f32) exclusive {
      %x = memref.load %T[%i, %j] : memref<6x5xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %sum = arith.addf %a, %b : f32
      tc.yield %sum : f32
    } finish (%j: index, %a: f32) {
      memref.store %a, %T[%i, %j] : memref<6x5xf32>
    }
  }
  return
}
