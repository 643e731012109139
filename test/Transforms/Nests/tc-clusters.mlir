// Clusters of blocks in each pass: levels, memory, mappings and barriers.
//
// RUN: tc-opt %s --tc-bind | FileCheck %s --check-prefix=BIND
// RUN: tc-opt %s --tc-bind --tc-promote --tc-map --tc-sync | FileCheck %s

// A nest in a cluster is of its threads; a write of a block is done by one of them.
// BIND-LABEL: @levels(
// BIND: tc.par grid (
// BIND: tc.par cluster (
// BIND: tc.par block (
// BIND: tc.par block () = () to () {
// BIND: memref.store
// A write of a cluster is one of a block of it.
// BIND: tc.par cluster () = () to () {
// BIND-NEXT: tc.par block () = () to () {
// BIND: memref.store
//
// CHECK-LABEL: @levels(
// CHECK: tc.par cluster (%{{.*}}, %{{.*}}) = (0, 0) to (2, 3) map #tc.map<fold_last2>
func.func @levels(%A: memref<8x6x64xf32>, %B: memref<8xf32>, %x: f32) {
  tc.par (%g) = (0) to (8) {
    tc.par cluster (%c, %d) = (0, 0) to (2, 3) {
      %e = affine.apply affine_map<(c, d) -> (c * 3 + d)>(%c, %d)
      tc.par (%t) = (0) to (64) {
        memref.store %x, %A[%g, %e, %t] : memref<8x6x64xf32>
      }
      %c0 = arith.constant 0 : index
      memref.store %x, %A[%g, %e, %c0] : memref<8x6x64xf32>
    }
    memref.store %x, %B[%g] : memref<8xf32>
  }
  return
}

// A buffer in the cluster is of each block, one round it a row for each; between threads
// of one block its own barrier is enough.
// CHECK-LABEL: @memory(
// CHECK: tc.par grid
// CHECK-NEXT: %[[rows:.*]] = tc.new : memref<2x64xf32, #gpu.address_space<workgroup>>
// CHECK-NOT: gpu.barrier
// CHECK: tc.par cluster
// CHECK: tc.new : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK: tc.par block
// CHECK: gpu.barrier
// CHECK: tc.par block
// CHECK: memref.store %{{.*}}, %[[rows]]
// Others read what a block left; and nobody ends before they have.
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par cluster
// CHECK: memref.load %[[rows]]
// CHECK: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @memory(%A: memref<8x2x64xf32>) {
  tc.par grid (%g) = (0) to (8) {
    %rows = tc.new : memref<2x64xf32>
    tc.par cluster (%c) = (0) to (2) {
      %own = tc.new : memref<64xf32>
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %A[%g, %c, %t] : memref<8x2x64xf32>
        memref.store %a, %own[%t] : memref<64xf32>
      }
      tc.par block (%t) = (0) to (64) {
        %u = affine.apply affine_map<(t) -> (63 - t)>(%t)
        %a = memref.load %own[%u] : memref<64xf32>
        memref.store %a, %rows[%c, %t] : memref<2x64xf32>
      }
    }
    tc.par cluster (%c) = (0) to (2) {
      %d = affine.apply affine_map<(c) -> (1 - c)>(%c)
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %rows[%d, %t] : memref<2x64xf32>
        memref.store %a, %A[%g, %c, %t] : memref<8x2x64xf32>
      }
    }
  }
  return
}

// What stays with one thread of one block waits for nobody, though it is in two nests.
// CHECK-LABEL: @stays(
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @stays(%A: memref<8x2x64xf32>) {
  tc.par grid (%g) = (0) to (8) {
    %rows = tc.new : memref<2x64xf32>
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %A[%g, %c, %t] : memref<8x2x64xf32>
        memref.store %a, %rows[%c, %t] : memref<2x64xf32>
      }
    }
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %rows[%c, %t] : memref<2x64xf32>
        memref.store %a, %A[%g, %c, %t] : memref<8x2x64xf32>
      }
    }
  }
  return
}

// Blocks that write into others wait until these have begun. Through global memory a
// dependence needs a barrier of the cluster as well.
// CHECK-LABEL: @writes(
// CHECK: tc.new
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par cluster
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par cluster
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @writes(%A: memref<8x2x64xf32>, %G: memref<8x2x64xf32>) {
  tc.par grid (%g) = (0) to (8) {
    %rows = tc.new : memref<2x64xf32>
    tc.par cluster (%c) = (0) to (2) {
      %d = affine.apply affine_map<(c) -> (1 - c)>(%c)
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %A[%g, %c, %t] : memref<8x2x64xf32>
        memref.store %a, %rows[%d, %t] : memref<2x64xf32>
        memref.store %a, %G[%g, %c, %t] : memref<8x2x64xf32>
      }
    }
    tc.par cluster (%c) = (0) to (2) {
      %d = affine.apply affine_map<(c) -> (1 - c)>(%c)
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %G[%g, %d, %t] : memref<8x2x64xf32>
        %b = memref.load %rows[%c, %t] : memref<2x64xf32>
        %s = arith.addf %a, %b : f32
        memref.store %s, %A[%g, %c, %t] : memref<8x2x64xf32>
      }
    }
  }
  return
}

// Other shapes cannot be spread.
// CHECK-LABEL: @elsewhere(
// CHECK: tc.new : memref<64xf32, #gpu.address_space<global>>
func.func @elsewhere(%A: memref<8x2x64xf32>) {
  tc.par grid (%g) = (0) to (8) {
    %all = tc.new : memref<64xf32>
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (32) {
        %u = affine.apply affine_map<(c, t) -> (c * 32 + t)>(%c, %t)
        %a = memref.load %A[%g, %c, %t] : memref<8x2x64xf32>
        memref.store %a, %all[%u] : memref<64xf32>
      }
    }
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %all[%t] : memref<64xf32>
        memref.store %a, %A[%g, %c, %t] : memref<8x2x64xf32>
      }
    }
  }
  return
}

// A loop that begins with a barrier needs none before it; behind it blocks wait for the
// last ones to have read.
// CHECK-LABEL: @loop(
// CHECK: tc.new
// CHECK-NEXT: tc.par cluster
// CHECK-NOT: gpu.barrier
// CHECK: tc.seq
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par cluster
// CHECK: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @loop(%A: memref<8x2x64xf32>) {
  tc.par grid (%g) = (0) to (8) {
    %rows = tc.new : memref<2x2x64xf32>
    tc.par cluster (%c) = (0) to (2) {
      %c0 = arith.constant 0 : index
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %A[%g, %c, %t] : memref<8x2x64xf32>
        memref.store %a, %rows[%c, %c0, %t] : memref<2x2x64xf32>
      }
    }
    tc.seq (%s) = (0) to (5) {
      %from = affine.apply affine_map<(s) -> (s mod 2)>(%s)
      %to = affine.apply affine_map<(s) -> ((s + 1) mod 2)>(%s)
      tc.par cluster (%c) = (0) to (2) {
        %d = affine.apply affine_map<(c) -> (1 - c)>(%c)
        tc.par block (%t) = (0) to (64) {
          %a = memref.load %rows[%d, %from, %t] : memref<2x2x64xf32>
          memref.store %a, %rows[%c, %to, %t] : memref<2x2x64xf32>
        }
      }
    }
  }
  return
}
