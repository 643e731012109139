// tc-sync: a barrier wherever memory changes hands, and nowhere else.
//
// RUN: tc-opt %s --tc-sync | FileCheck %s
//
// Twice is once: a barrier that is there serves.
// RUN: tc-opt %s --tc-sync > %t.once
// RUN: tc-opt %t.once --tc-sync | diff %t.once -

!shared = memref<8xf32, #gpu.address_space<workgroup>>

// Two buffers are filled before one barrier; each step meets the reads of the one before.
// CHECK-LABEL: @steps(
// CHECK: tc.seq
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.stage
// CHECK-NEXT: tc.stage
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @steps(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.seq (%q) = (0) to (3) {
      %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
      %b = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
      tc.par block (%t) = (0) to (8) {
        %x = memref.load %a[%t] : !shared
        %y = memref.load %b[%g] : !shared
        %z = arith.addf %x, %y : f32
        memref.store %z, %C[%t] : memref<8xf32>
      }
    }
  }
  return
}

// Without a loop nothing was read before; the second nest reads what no one has changed.
// CHECK-LABEL: @once(
// CHECK: tc.par grid
// CHECK-NEXT: tc.stage
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @once(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
    tc.par block (%t) = (0) to (8) {
      %x = memref.load %a[%t] : !shared
      memref.store %x, %C[%t] : memref<8xf32>
    }
    tc.par block (%t) = (0) to (8) {
      %x = memref.load %a[%g] : !shared
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// Written, read, written again, read by all: a buffer that threads exchange through.
// CHECK-LABEL: @exchange(
// CHECK: tc.new init(0.000000e+00 : f32) : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: memref.load
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @exchange(%A: memref<8xf32>, %C: memref<8xf32>) {
  %c7 = arith.constant 7 : index
  tc.par grid (%g) = (0) to (4) {
    %s = tc.new init(0.0 : f32) : !shared
    tc.par block (%t) = (0) to (8) {
      %x = memref.load %A[%t] : memref<8xf32>
      memref.store %x, %s[%t] : !shared
    }
    tc.par block (%t) = (0) to (8) {
      %r = arith.subi %c7, %t : index
      %x = memref.load %s[%r] : !shared
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// Views of one buffer are that buffer, whatever makes them.
// CHECK-LABEL: @views(
// CHECK: tc.par block
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: memref.load
func.func @views(%C: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%g) = (0) to (4) {
    %s = tc.new : !shared
    tc.par block (%t) = (0) to (4) {
      %v = tc.view %s <offset = 4, sizes = [4], strides = [1]>
          : !shared to memref<4xf32, strided<[1], offset: 4>, #gpu.address_space<workgroup>>
      memref.store %zero, %v[%t] : memref<4xf32, strided<[1], offset: 4>, #gpu.address_space<workgroup>>
    }
    tc.par block (%t) = (0) to (8) {
      %w = memref.subview %s[1] [7] [1] : !shared to memref<7xf32, strided<[1], offset: 1>, #gpu.address_space<workgroup>>
      %x = memref.load %w[%g] : memref<7xf32, strided<[1], offset: 1>, #gpu.address_space<workgroup>>
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// Two loops, one in the other. The inner one reads %a again and again: one barrier before
// it, none for %a inside.
// CHECK-LABEL: @nested(
// CHECK: tc.seq
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[A:.*]] = tc.stage
// CHECK-NEXT: tc.seq
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[B:.*]] = tc.stage
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @nested(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.seq (%q) = (0) to (3) {
      %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
      tc.seq (%r) = (0) to (3) {
        %b = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
        tc.par block (%t) = (0) to (8) {
          %x = memref.load %a[%t] : !shared
          %y = memref.load %b[%g] : !shared
          %z = arith.addf %x, %y : f32
          memref.store %z, %C[%t] : memref<8xf32>
        }
      }
    }
  }
  return
}

// What is written at the end of a loop meets the reads at its start.
// CHECK-LABEL: @back_edge(
// CHECK: tc.seq
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: memref.load
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: memref.store
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @back_edge(%C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %s = tc.new init(0.0 : f32) : !shared
    tc.seq (%q) = (0) to (3) {
      tc.par block (%t) = (0) to (8) {
        %x = memref.load %s[%q] : !shared
        memref.store %x, %C[%t] : memref<8xf32>
      }
      tc.par block (%t) = (0) to (8) {
        %x = memref.load %C[%t] : memref<8xf32>
        memref.store %x, %s[%t] : !shared
      }
    }
  }
  return
}

// Private memory needs none, nor does global memory of which threads have their own part.
// CHECK-LABEL: @no_barrier(
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @no_barrier(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %p = tc.new init(0.0 : f32) threads(1) : memref<8x1xf32, #gpu.address_space<private>>
    tc.par block (%t) = (0) to (8) {
      %v = memref.subview %p[%t, 0] [1, 1] [1, 1]
          : memref<8x1xf32, #gpu.address_space<private>> to memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
      %x = memref.load %A[%t] : memref<8xf32>
      memref.store %x, %v[%g] : memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
    }
    tc.par block (%t) = (0) to (8) {
      %v = memref.subview %p[%t, 0] [1, 1] [1, 1]
          : memref<8x1xf32, #gpu.address_space<private>> to memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
      %x = memref.load %v[%g] : memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// A barrier that is there serves.
// CHECK-LABEL: @by_hand(
// CHECK: tc.stage
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: arith.constant
// CHECK-NEXT: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @by_hand(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
    gpu.barrier
    %c0 = arith.constant 0 : index
    tc.par block (%t) = (0) to (8) {
      %x = memref.load %a[%c0] : !shared
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// A function whose effects are not known may write what it is given.
// CHECK-LABEL: @unknown(
// CHECK: tc.stage
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: func.call
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
func.func private @change(!shared)
func.func @unknown(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
    func.call @change(%a) : (!shared) -> ()
    tc.par block (%t) = (0) to (8) {
      %x = memref.load %a[%t] : !shared
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// All threads take the same branch.
// CHECK-LABEL: @branch(
// CHECK: scf.if
// CHECK-NEXT: tc.stage
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
func.func @branch(%A: memref<8xf32>, %C: memref<8xf32>, %c: i1) {
  tc.par grid (%g) = (0) to (4) {
    scf.if %c {
      %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
      tc.par block (%t) = (0) to (8) {
        %x = memref.load %a[%t] : !shared
        memref.store %x, %C[%t] : memref<8xf32>
      }
    }
  }
  return
}

// A thread that reads what it wrote need not wait; in another order of the indices it
// must. The same of global memory.
// CHECK-LABEL: @own_part(
// CHECK: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: tc.par block
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: return
func.func @own_part(%C: memref<4x8x8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.new : memref<8x8xf32, #gpu.address_space<workgroup>>
    tc.par block (%t, %u) = (0, 0) to (8, 8) map #tc.map<fold_last2> {
      %x = memref.load %C[%g, %t, %u] : memref<4x8x8xf32>
      memref.store %x, %a[%t, %u] : memref<8x8xf32, #gpu.address_space<workgroup>>
    }
    tc.par block (%t, %u) = (0, 0) to (8, 8) map #tc.map<fold_last2> {
      %x = memref.load %a[%t, %u] : memref<8x8xf32, #gpu.address_space<workgroup>>
      memref.store %x, %C[%g, %t, %u] : memref<4x8x8xf32>
    }
    tc.par block (%t, %u) = (0, 0) to (8, 8) map #tc.map<fold_last2> {
      %x = memref.load %C[%g, %u, %t] : memref<4x8x8xf32>
      memref.store %x, %a[%t, %u] : memref<8x8xf32, #gpu.address_space<workgroup>>
    }
  }
  return
}

// Threads that take turns are known, too; halves of a buffer do not meet; steps read what
// was written before the loop, by other threads, and one barrier before it serves all of them.
// CHECK-LABEL: @turns(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.barrier
// CHECK-NEXT: tc.seq
// CHECK-NEXT: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @turns(%n: index, %C: memref<4x2048xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.par block (%t) = (0) to (%n) map #tc.map<split_last(256), serial(1)> {
      %x = memref.load %C[%g, %t] : memref<4x2048xf32>
      memref.store %x, %C[%g, %t] : memref<4x2048xf32>
    }
    tc.par block (%t) = (0) to (%n) map #tc.map<split_last(256), serial(1)> {
      %x = memref.load %C[%g, %t] : memref<4x2048xf32>
      memref.store %x, %C[%g, %t] : memref<4x2048xf32>
    }
    tc.seq (%k) = (1) to (1024) {
      tc.par block (%t) = (0) to (1) map #tc.map<> {
        %x = memref.load %C[%g, %k] : memref<4x2048xf32>
        %l = affine.apply affine_map<(k) -> (k + 1024)>(%k)
        memref.store %x, %C[%g, %l] : memref<4x2048xf32>
      }
    }
  }
  return
}

// Shifted by one from step to step: the loop needs a barrier.
// CHECK-LABEL: @shifted(
// CHECK: tc.seq
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
func.func @shifted(%C: memref<4x2048xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.seq (%k) = (1) to (1024) {
      tc.par block (%t) = (0) to (256) map #tc.map<> {
        %p = affine.apply affine_map<(k, t) -> (k + t * 4)>(%k, %t)
        %x = memref.load %C[%g, %p] : memref<4x2048xf32>
        memref.store %x, %C[%g, %p] : memref<4x2048xf32>
      }
    }
  }
  return
}

// Updates by atomics need not wait for one another; who reads them does.
// CHECK-LABEL: @histogram(
// CHECK: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: tc.par block
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
func.func @histogram(%A: memref<64xindex>, %C: memref<8xi32>) {
  %one = arith.constant 1 : i32
  tc.par grid (%g) = (0) to (1) {
    %h = tc.new : memref<8xi32, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (64) map #tc.map<> {
      %i = memref.load %A[%t] : memref<64xindex>
      %old = memref.atomic_rmw addi %one, %h[%i] : (i32, memref<8xi32, #gpu.address_space<workgroup>>) -> i32
    }
    tc.par block (%t) = (0) to (64) map #tc.map<> {
      %i = memref.load %A[%t] : memref<64xindex>
      %old = memref.atomic_rmw addi %one, %h[%i] : (i32, memref<8xi32, #gpu.address_space<workgroup>>) -> i32
    }
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      %x = memref.load %h[%t] : memref<8xi32, #gpu.address_space<workgroup>>
      memref.store %x, %C[%t] : memref<8xi32>
    }
  }
  return
}

// Between lanes a warp waits for itself, and the block for nothing. A warp that takes
// turns uses its buffer again.
// CHECK-LABEL: @warps(
// CHECK: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: tc.new
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par warp
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par warp
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @warps(%C: memref<16x32xf32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%w) = (0) to (16) map #tc.map<split_last(8), serial(1)> {
      %a = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
      tc.par warp (%t) = (0) to (32) map #tc.map<> {
        %x = memref.load %C[%w, %t] : memref<16x32xf32>
        memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      }
      tc.par warp (%t) = (0) to (32) map #tc.map<> {
        %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
        %x = memref.load %a[%u] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %x, %C[%w, %t] : memref<16x32xf32>
      }
    }
  }
  return
}

// A loop of one step has no step before it that could still read.
// CHECK-LABEL: @one_step(
// CHECK: tc.seq
// CHECK-NEXT: tc.par block
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @one_step(%C: memref<32xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
    tc.seq (%k) = (0) to (16) step (16) {
      tc.par block (%t) = (0) to (32) map #tc.map<> {
        %x = memref.load %C[%t] : memref<32xf32>
        memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      }
      tc.par block (%t) = (0) to (32) map #tc.map<> {
        %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
        %x = memref.load %a[%u] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %x, %C[%t] : memref<32xf32>
      }
    }
  }
  return
}

// A step of two indices is two iterations.
// CHECK-LABEL: @wide_step(
// CHECK: tc.seq
// CHECK-NEXT: gpu.barrier
func.func @wide_step(%C: memref<32xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
    tc.seq (%k) = (0) to (16) step (16) width (2) {
      tc.par block (%t) = (0) to (32) map #tc.map<> {
        %x = memref.load %C[%t] : memref<32xf32>
        memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      }
      tc.par block (%t) = (0) to (32) map #tc.map<> {
        %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
        %x = memref.load %a[%u] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %x, %C[%t] : memref<32xf32>
      }
    }
  }
  return
}

// One barrier before a loop serves its iterations, also where loops are in one another. Where an
// iteration meets the one before, it needs one of its own.
// CHECK-LABEL: @hoisted(
// CHECK: tc.par block
// CHECK: gpu.barrier
// CHECK-NEXT: tc.seq
// CHECK-NEXT: tc.seq
// CHECK-NEXT: tc.par block
// CHECK-NOT: gpu.barrier
// CHECK: tc.seq
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: return
func.func @hoisted(%A: memref<100x64xf32>, %B: memref<100x8x8x64xf32>) {
  tc.par grid (%i) = (0) to (100) {
    %t = tc.new : memref<64xf32, #gpu.address_space<workgroup>>
    tc.par block (%j) = (0) to (64) map #tc.map<> {
      %x = memref.load %A[%i, %j] : memref<100x64xf32>
      memref.store %x, %t[%j] : memref<64xf32, #gpu.address_space<workgroup>>
    }
    tc.seq (%k) = (0) to (8) {
      tc.seq (%l) = (0) to (8) {
        tc.par block (%j) = (0) to (64) map #tc.map<> {
          %r = affine.apply affine_map<(a) -> (63 - a)>(%j)
          %s = memref.load %t[%r] : memref<64xf32, #gpu.address_space<workgroup>>
          memref.store %s, %B[%i, %k, %l, %j] : memref<100x8x8x64xf32>
        }
      }
    }
    tc.seq (%k) = (0) to (8) {
      tc.par block (%j) = (0) to (64) map #tc.map<> {
        %r = affine.apply affine_map<(a) -> ((a + 1) mod 64)>(%j)
        %s = memref.load %t[%r] : memref<64xf32, #gpu.address_space<workgroup>>
        memref.store %s, %A[%i, %j] : memref<100x64xf32>
      }
      tc.par block (%j) = (0) to (64) map #tc.map<> {
        %s = memref.load %A[%i, %j] : memref<100x64xf32>
        memref.store %s, %t[%j] : memref<64xf32, #gpu.address_space<workgroup>>
      }
    }
  }
  return
}

// A buffer in the slot of another one: each is judged by its own subscripts, and one against
// the other meets wherever they lie.
// CHECK-LABEL: @slots(
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}} : memref<32xf64, #gpu.address_space<workgroup>>
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @slots(%A: memref<32xf32>, %B: memref<32xf64>, %C: memref<32xf32>, %D: memref<32xf64>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new slot(0) : memref<32xf32, #gpu.address_space<workgroup>>
    %b = tc.new slot(0) : memref<32xf64, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %x = memref.load %A[%t] : memref<32xf32>
      memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    }
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %x = memref.load %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %x, %C[%t] : memref<32xf32>
    }
    %zero = arith.constant 0.0 : f64
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      memref.store %zero, %b[%t] : memref<32xf64, #gpu.address_space<workgroup>>
    }
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %x = memref.load %b[%t] : memref<32xf64, #gpu.address_space<workgroup>>
      memref.store %x, %D[%t] : memref<32xf64>
    }
  }
  return
}

// What is read before a loop meets what is written behind it, unless the loop is known to run:
// then the barrier in it comes between.
// CHECK-LABEL: @runs(
// CHECK: tc.seq
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @runs(%C: memref<32xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
    %b = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
    %one = arith.constant 1.0 : f32
    tc.par block (%t) = (0) to (32) {
      %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
      %x = memref.load %a[%u] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %x, %C[%t] : memref<32xf32>
    }
    tc.seq (%q) = (0) to (2) {
      tc.par block (%t) = (0) to (32) {
        memref.store %one, %b[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      }
      tc.par block (%t) = (0) to (32) {
        %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
        %x = memref.load %b[%u] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %x, %C[%t] : memref<32xf32>
      }
    }
    tc.par block (%t) = (0) to (32) {
      memref.store %one, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    }
  }
  return
}

// CHECK-LABEL: @may_run(
// CHECK: tc.seq
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK-NEXT: tc.par block
// CHECK: return
func.func @may_run(%n: index, %C: memref<32xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
    %b = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
    %one = arith.constant 1.0 : f32
    tc.par block (%t) = (0) to (32) {
      %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
      %x = memref.load %a[%u] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %x, %C[%t] : memref<32xf32>
    }
    tc.seq (%q) = (0) to (%n) {
      tc.par block (%t) = (0) to (32) {
        memref.store %one, %b[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      }
      tc.par block (%t) = (0) to (32) {
        %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
        %x = memref.load %b[%u] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %x, %C[%t] : memref<32xf32>
      }
    }
    tc.par block (%t) = (0) to (32) {
      memref.store %one, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    }
  }
  return
}

// A vector reaches as far as its elements, along the last dimensions.
// CHECK-LABEL: @own_pairs(
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @own_pairs(%C: memref<32xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new : memref<64xf32, #gpu.address_space<workgroup>>
    %pair = arith.constant dense<1.0> : vector<2xf32>
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %u = affine.apply affine_map<(t) -> (2 * t)>(%t)
      vector.store %pair, %a[%u] : memref<64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
    }
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %u = affine.apply affine_map<(t) -> (2 * t + 1)>(%t)
      %x = memref.load %a[%u] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %x, %C[%t] : memref<32xf32>
    }
  }
  return
}

// CHECK-LABEL: @pair_of_a_neighbour(
// CHECK: vector.store
// CHECK: gpu.barrier
// CHECK: memref.load
func.func @pair_of_a_neighbour(%C: memref<32xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new : memref<66xf32, #gpu.address_space<workgroup>>
    %pair = arith.constant dense<1.0> : vector<2xf32>
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %u = affine.apply affine_map<(t) -> (2 * t + 1)>(%t)
      vector.store %pair, %a[%u] : memref<66xf32, #gpu.address_space<workgroup>>, vector<2xf32>
    }
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %u = affine.apply affine_map<(t) -> (2 * t)>(%t)
      %x = memref.load %a[%u] : memref<66xf32, #gpu.address_space<workgroup>>
      memref.store %x, %C[%t] : memref<32xf32>
    }
  }
  return
}

// A buffer of vectors: the access is one element.
// CHECK-LABEL: @vectors_as_elements(
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @vectors_as_elements(%C: memref<32xvector<4xf32>>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.new : memref<32xvector<4xf32>, #gpu.address_space<workgroup>>
    %four = arith.constant dense<1.0> : vector<4xf32>
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      vector.store %four, %a[%t] : memref<32xvector<4xf32>, #gpu.address_space<workgroup>>, vector<4xf32>
    }
    tc.par block (%t) = (0) to (32) map #tc.map<> {
      %x = vector.load %a[%t] : memref<32xvector<4xf32>, #gpu.address_space<workgroup>>, vector<4xf32>
      vector.store %x, %C[%t] : memref<32xvector<4xf32>>, vector<4xf32>
    }
  }
  return
}
