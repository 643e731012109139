// Levels inside of a grid without one round them: one block runs each of these nests, or one
// cluster; and one kernel after the other.
//
// RUN: %run_program %s
// RUN: tc-compile %s --emit=package -o %t.package
// RUN: tc-compile %s --remarks -o /dev/null 2>&1 | FileCheck %s
func.func @one_block(%A: memref<200xf32>, %B: memref<200xf32>, %r: memref<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // CHECK: one-block.mlir:[[@LINE+1]]:3: {{.*}} Reason="it runs on one block, since its level is 'block', and no tc.par 'grid' is round it"
  tc.par block (%i) = (0) to (200) {
    %x = memref.load %A[%i] : memref<200xf32>
    %y = arith.mulf %x, %half : f32
    memref.store %y, %B[%i] : memref<200xf32>
  }
  // More iterations than a warp has threads.
  tc.par warp (%i) = (0) to (100) {
    %x = memref.load %B[%i] : memref<200xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[%i] : memref<200xf32>
  }
  tc.seq (%k) = (0) to (3) {
    tc.par warpgroup (%i) = (100) to (200) {
      %x = memref.load %B[%i] : memref<200xf32>
      %y = arith.addf %x, %half : f32
      memref.store %y, %B[%i] : memref<200xf32>
    }
  }
  // A block of warps.
  tc.par block (%w) = (0) to (3) {
    tc.par warp (%l) = (0) to (32) {
      %i = affine.apply affine_map<(w, l) -> (w * 32 + l)>(%w, %l)
      %x = memref.load %B[%i] : memref<200xf32>
      %y = arith.mulf %x, %x : f32
      memref.store %y, %B[%i] : memref<200xf32>
    }
  }
  // CHECK: one-block.mlir:[[@LINE+1]]:3: {{.*}} Reason="it runs on one cluster, since its level is 'cluster', and no tc.par 'grid' is round it"
  tc.par cluster (%q) = (0) to (4) {
    tc.par block (%t) = (0) to (40) {
      %i = affine.apply affine_map<(q, t) -> (q * 40 + t)>(%q, %t)
      %x = memref.load %A[%i] : memref<200xf32>
      %y = arith.subf %x, %half : f32
      memref.store %y, %A[%i] : memref<200xf32>
    }
  }
  tc.par thread (%i) = (1) to (5) {
    %x = memref.load %A[%i] : memref<200xf32>
    memref.store %x, %r[%i] : memref<6xf32>
  }
  tc.reduce block (%i) = (0) to (200) init(%zero : f32) commutative {
    %x = memref.load %B[%i] : memref<200xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[%c0] : memref<6xf32>
  }
  // CHECK: one-block.mlir:[[@LINE+1]]:3: {{.*}} Reason="it runs on one block, since its level is 'warp', and no tc.par 'grid' is round it"
  tc.reduce warp (%i) = (0) to (200) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<200xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[%c1] : memref<6xf32>
  }
  tc.reduce warpgroup (%i) = (0) to (150) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<200xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[%c2] : memref<6xf32>
  }
  tc.reduce thread (%i) = (0) to (30) init(%zero : f32) {
    %x = memref.load %A[%i] : memref<200xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[%c3] : memref<6xf32>
  }
  tc.scan block (%i) = (0) to (200) init(%zero : f32) {
    %x = memref.load %A[%i] : memref<200xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%i: index, %s: f32) {
    memref.store %s, %A[%i] : memref<200xf32>
  }
  return
}
