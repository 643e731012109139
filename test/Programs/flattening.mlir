// The example of map distribution in Futhark (Henriksen et al., PLDI 2017, figure 3): nests in each
// iteration of a nest, one of them in a loop. What was one kernel of 20 iterations becomes several
// of 400, which have work for several threads in turn.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-flatten=chip=sm_90a | FileCheck %s
//
// The sums of the numbers below `p`, prefix by prefix, are as many as `p` says: each of 400 iterations
// has a loop for them, and a map behind it.
// CHECK: tc.par grid (%{{.*}}, %{{.*}}) = (0, 0) to (20, 20) {
// CHECK: tc.seq {{.*}} init
// CHECK: tc.par (%{{.*}}) = (0) to (20) {
//
// The nest of a loop is a loop of nests: in each iteration the sums of 400 rows, by a warp each.
// CHECK: tc.par (%{{.*}}, %{{.*}}) = (0, 0) to (20, 20) {
// CHECK: tc.seq (%{{.*}}) = (0) to (3) {
// CHECK: tc.par grid (%{{.*}}) = (0) to (400) step (8) {
// CHECK: tc.reduce warp
// CHECK: tc.par (%{{.*}}, %{{.*}}) = (0, 0) to (20, 20) {
func.func @slides(%pss: memref<20x20xi32>, %asss: memref<20x20x20xi32>, %bss: memref<20x20xi32>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %c40 = arith.constant 40 : index
  tc.par (%i) = (0) to (20) {
    tc.par (%j) = (0) to (20) {
      %r = tc.new : memref<i32>
      %p = memref.load %pss[%i, %j] : memref<20x20xi32>
      %wide = arith.index_castui %p : i32 to index
      %length = arith.remui %wide, %c40 : index
      %scanned, %reduced = tc.seq (%k) = (0) to (%length) init(%s = %zero : i32, %t = %zero : i32) {
        %number = arith.index_cast %k : index to i32
        %c = arith.addi %s, %number : i32
        %d = arith.addi %t, %c : i32
        tc.yield %c, %d : i32, i32
      }
      memref.store %reduced, %r[] : memref<i32>
      tc.par (%k) = (0) to (20) {
        %q = memref.load %pss[%i, %k] : memref<20x20xi32>
        %sum = memref.load %r[] : memref<i32>
        %a = arith.addi %q, %sum : i32
        memref.store %a, %asss[%i, %j, %k] : memref<20x20x20xi32>
      }
    }
    %ws = tc.new : memref<20xi32>
    tc.par (%j) = (0) to (20) {
      %p = memref.load %pss[%i, %j] : memref<20x20xi32>
      memref.store %p, %ws[%j] : memref<20xi32>
    }
    tc.seq (%n) = (0) to (3) {
      tc.par (%j) = (0) to (20) {
        %d = tc.new : memref<i32>
        tc.reduce (%k) = (0) to (20) init(%zero : i32) commutative {
          %a = memref.load %asss[%i, %j, %k] : memref<20x20x20xi32>
          tc.yield %a : i32
        } combine (%x: i32, %y: i32) {
          %s = arith.addi %x, %y : i32
          tc.yield %s : i32
        } finish (%s: i32) {
          memref.store %s, %d[] : memref<i32>
        }
        %s = memref.load %d[] : memref<i32>
        %w = memref.load %ws[%j] : memref<20xi32>
        %e = arith.addi %s, %w : i32
        %f = arith.muli %two, %e : i32
        memref.store %f, %ws[%j] : memref<20xi32>
      }
    }
    tc.par (%j) = (0) to (20) {
      %w = memref.load %ws[%j] : memref<20xi32>
      memref.store %w, %bss[%i, %j] : memref<20x20xi32>
    }
  }
  return
}
