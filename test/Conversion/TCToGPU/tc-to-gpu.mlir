// convert-tc-to-gpu: mapped nests as kernels, and the buffers between them.
//
// RUN: tc-opt %s --convert-tc-to-gpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s

!shared = memref<6xf32, #gpu.address_space<workgroup>>
!private = memref<4x2xf32, #gpu.address_space<private>>

// One launch: 4 blocks of 4 threads. The index of the grid is 4 times the block's number;
// private memory is a thread's own part, declared first; a copy is a loop in which threads take turns, its
// edge filled; a barrier stays, and what is reserved is whole units of 16 bytes.
// CHECK-LABEL: @kernel(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<13xf32>
// CHECK: gpu.launch blocks(%[[BX:[a-z0-9_]+]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) in (%{{[a-z0-9]+}} = %c4, %{{[a-z0-9]+}} = %c1, %{{[a-z0-9]+}} = %c1)
// CHECK-SAME: threads(%[[TX:[a-z0-9_]+]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) in (%{{[a-z0-9]+}} = %c4, %{{[a-z0-9]+}} = %c1, %{{[a-z0-9]+}} = %c1)
// CHECK-SAME: module(@kernel_kernels) function(@kernel)
// CHECK-SAME: workgroup(%[[S:[a-z0-9_]+]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[P:.*]] = memref.alloca() : memref<2xf32, #gpu.address_space<private>>
// CHECK: %[[G:.*]] = arith.muli %[[BX]], %c4
// CHECK: memref.store %cst, %[[P]][%c0]
// CHECK: memref.store %cst, %[[P]][%c1]
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c2 {
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[A]] to offset: [%[[G]]], sizes: [4], strides: [1]
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[TX]], %c4
// CHECK: %[[X:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK: memref.load %[[V]][%[[TX]]]
// CHECK: %[[WORKS:.*]] = arith.cmpi ult, %[[TX]], %c2
// CHECK: %[[NEXT:.*]] = arith.addi %[[TX]], %c4
// CHECK: memref.load %[[V]][%[[NEXT]]]
// CHECK: memref.store %[[X]], %[[T:.*]][%[[TX]]]
// CHECK: scf.if %[[WORKS]] {
// CHECK: memref.store %{{.*}}, %[[T]][%[[NEXT]]]
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %{{.*}}[%c1] : memref<2xf32, {{.*}}#gpu.address_space<private>>
// CHECK: gpu.terminator
func.func @kernel(%A: memref<13xf32>) {
  tc.par grid (%g) = (0) to (13) step (4) map #tc.map<compress_grid(1)> {
    %n = tc.new init(0.0 : f32) threads(1) : !private
    tc.seq (%q) = (0) to (8) step (2) {
      %v = tc.view %A(%g) <offset = ?, sizes = [4], strides = [1]>
          : memref<13xf32> to memref<4xf32, strided<[1], offset: ?>>
      %s = tc.stage %v pad(0.0 : f32) : memref<4xf32, strided<[1], offset: ?>> to !shared
      gpu.barrier
      tc.par block (%t) = (0) to (4) map #tc.map<> {
        %p = memref.subview %n[%t, 0] [1, 2] [1, 1]
            : !private to memref<2xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
        %x = memref.load %s[%t] : !shared
        %c1 = arith.constant 1 : index
        %y = memref.load %p[%c1] : memref<2xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
        %z = arith.addf %x, %y : f32
        memref.store %z, %p[%c1] : memref<2xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
      }
    }
  }
  return
}

// Folded dimensions are recovered by a division and a remainder, unsigned.
// CHECK-LABEL: @folded(
// CHECK: gpu.launch blocks(%[[BX:[a-z0-9_]+]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) in (%{{[a-z0-9]+}} = %c15,
// CHECK: %[[I:.*]] = arith.divui %[[BX]], %c5
// CHECK: %[[J:.*]] = arith.remui %[[BX]], %c5
// CHECK: memref.load %{{.*}}[%[[I]], %[[J]]]
func.func @folded(%A: memref<3x5xf32>) {
  tc.par grid (%i, %j) = (0, 0) to (3, 5) map #tc.map<fold_last2> {
    %x = memref.load %A[%i, %j] : memref<3x5xf32>
    tc.par block (%t) = (0) to (1) map #tc.map<> {
      memref.store %x, %A[%j, %i] : memref<3x5xf32>
    }
  }
  return
}

// Three axes, the last dimension as x; a mapping that is not onto is guarded.
// CHECK-LABEL: @axes(
// CHECK: in (%{{.*}} = %c5, %{{.*}} = %c3, %{{.*}} = %c2)
// CHECK: gpu.launch
// CHECK: scf.if
// CHECK: memref.store
func.func @axes(%A: memref<64xf32>, %x: f32) {
  tc.par grid (%i, %j, %k) = (0, 0, 0) to (2, 3, 5) map #tc.map<> {
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      memref.store %x, %A[%i] : memref<64xf32>
    }
  }
  tc.par grid (%i) = (0) to (10) map #tc.map<split_even(4)> {
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      memref.store %x, %A[%i] : memref<64xf32>
    }
  }
  return
}

// Two nests of one kernel: the block holds the larger, and the others idle in the smaller.
// CHECK-LABEL: @two_blocks(
// CHECK: threads(%[[TX:[a-z0-9_]+]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) in (%{{[a-z0-9]+}} = %c8,
// CHECK: memref.load
// CHECK: %[[WORKS:.*]] = arith.cmpi ult, %[[TX]], %c3
// CHECK: scf.if %[[WORKS]] {
// CHECK: memref.store
func.func @two_blocks(%A: memref<8xf32>) {
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    %s = tc.new : memref<8xf32, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      %x = memref.load %A[%t] : memref<8xf32>
      memref.store %x, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    tc.par block (%t) = (0) to (3) map #tc.map<> {
      %x = memref.load %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
      memref.store %x, %A[%t] : memref<8xf32>
    }
  }
  return
}

// A tc.seq carries its values as scf.for does; several dimensions are several loops.
// CHECK-LABEL: @carried(
// CHECK: %[[R:[a-z0-9_]+]] = scf.for %{{.*}} = %c0 to %c8 step %c4 iter_args(%[[OUT:[a-z0-9_]+]] = %cst) -> (f32) {
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%{{.*}} = %[[OUT]]) -> (f32) {
// CHECK: memref.store %[[R]]
func.func @carried(%A: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    tc.par block (%t) = (0) to (4) map #tc.map<> {
      %r = tc.seq (%s, %u) = (0, 0) to (8, 2) step (4, 1) init(%x = %zero : f32) {
        %y = memref.load %A[%u] : memref<4xf32>
        %w = arith.addf %x, %y : f32
        tc.yield %w : f32
      }
      memref.store %r, %A[%t] : memref<4xf32>
    }
  }
  return
}

// A view of a view is one access of the buffer below, the host's views among them.
// CHECK-LABEL: @views(
// CHECK-NOT: tc.view
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [2], strides: [-1] : memref<16xf32> to memref<2xf32, strided<[-1], offset: ?>>
// CHECK-NOT: tc.view
// CHECK: return
func.func @views(%A: memref<16xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %v = tc.view %A <offset = 15, sizes = [16], strides = [-1]> : memref<16xf32> to memref<16xf32, strided<[-1], offset: 15>>
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    tc.par block (%t) = (-7) to (1) map #tc.map<shift_lb> {
      %w = tc.view %v(%t) <offset = ?, sizes = [2], strides = [-1]>
          : memref<16xf32, strided<[-1], offset: 15>> to memref<2xf32, strided<[-1], offset: ?>>
      memref.store %x, %w[%c0] : memref<2xf32, strided<[-1], offset: ?>>
    }
  }
  return
}

// Other ops are what they are, with whatever regions and blocks.
// CHECK-LABEL: @other_ops(
// CHECK: scf.if
// CHECK: scf.while
// CHECK: scf.execute_region
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: gpu.terminator
func.func @other_ops(%A: memref<64xf32>, %p: i1, %x: f32) {
  %c1 = arith.constant 1 : index
  tc.par grid (%i) = (0) to (4) map #tc.map<> {
    tc.par block (%b) = (0) to (8) map #tc.map<> {
      scf.if %p {
        memref.store %x, %A[%b] : memref<64xf32>
      }
      %r = scf.while (%n = %b) : (index) -> index {
        %l = arith.cmpi slt, %n, %i : index
        scf.condition(%l) %n : index
      } do {
      ^bb0(%n: index):
        %m = arith.addi %n, %c1 : index
        scf.yield %m : index
      }
      memref.store %x, %A[%r] : memref<64xf32>
      scf.execute_region no_inline {
        cf.cond_br %p, ^bb1, ^bb2
      ^bb1:
        memref.store %x, %A[%i] : memref<64xf32>
        cf.br ^bb2
      ^bb2:
        scf.yield
      }
    }
  }
  return
}

// Kernels of one function are numbered; names are such as PTX takes.
// CHECK-LABEL: @"two kernels"(
// CHECK: function(@two_kernels)
// CHECK: function(@two_kernels_1)
func.func @"two kernels"(%A: memref<4xf32>, %x: f32) {
  tc.par grid (%i) = (0) to (4) map #tc.map<> {
    memref.store %x, %A[%i] : memref<4xf32>
  }
  tc.par grid (%i) = (0) to (4) map #tc.map<> {
    memref.store %x, %A[%i] : memref<4xf32>
  }
  return
}

// No blocks are no launch.
// CHECK-LABEL: @no_blocks(
// CHECK-NEXT: return
func.func @no_blocks(%A: memref<4xf32>, %x: f32) {
  tc.par grid (%i, %j) = (0, 0) to (4, 0) map #tc.map<fold_last2> {
    memref.store %x, %A[%i] : memref<4xf32>
  }
  return
}

// Buffers of a function that launches kernels are on the device.
// CHECK-LABEL: @buffers(
// CHECK: %[[B:.*]], %{{.*}} = gpu.alloc async
// CHECK: gpu.launch
// CHECK: gpu.memcpy async [%{{.*}}] %{{.*}}, %[[B]]
// CHECK: gpu.dealloc async [%{{.*}}] %[[B]]
// CHECK: return
func.func @buffers(%A: memref<4xf32>, %x: f32) {
  %b = memref.alloc() : memref<4xf32>
  tc.par grid (%i) = (0) to (4) map #tc.map<> {
    memref.store %x, %b[%i] : memref<4xf32>
  }
  memref.copy %b, %A : memref<4xf32> to memref<4xf32>
  return
}

// Functions without nests are left as they are.
// CHECK-LABEL: @host(
// CHECK-NEXT: %[[B:.*]] = memref.alloc()
func.func @host() -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  return %b : memref<4xf32>
}

// Run-time bounds: the host computes what depends on them alone and launches nothing for an
// empty range; the kernel multiplies to its block's number and guards it.
// CHECK-LABEL: @dynamic_grid(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: memref<8xf32>, %[[M:[a-z0-9_]+]]: index, %[[N:[a-z0-9_]+]]: index)
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[M]], %c0
// CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[N]], %c0
// CHECK: %[[WORKS:.*]] = arith.andi %[[SOME]], %[[MORE]]
// CHECK: scf.if %[[WORKS]] {
// CHECK: %[[ROWS:.*]] = arith.ceildivsi %[[M]], %c4
// CHECK: %[[BLOCKS:.*]] = arith.muli
// CHECK: gpu.launch
// CHECK-NOT: ceildiv
// CHECK: arith.divui %{{.*}}, %[[N]]
// CHECK: arith.remui %{{.*}}, %[[N]]
// CHECK: scf.if
func.func @dynamic_grid(%A: memref<8xf32>, %m: index, %n: index) {
  tc.par grid (%i, %j) = (0, 0) to (%m, %n) step (4, 1)
      map #tc.map<compress_grid(1, 0), fold_last2, split_even(2147483647)> {
    tc.par block (%t) = (0) to (1) map #tc.map<> {
      %x = memref.load %A[%i] : memref<8xf32>
      memref.store %x, %A[%j] : memref<8xf32>
    }
  }
  return
}

// A point of a device is a thread; what nobody knows before is launched by the host.
// CHECK-LABEL: @device(
// CHECK: gpu.launch blocks({{.*}}) in {{.*}} threads({{.*}}) in (%{{.*}} = %c256
// CHECK: scf.if
// CHECK: memref.store
func.func @device(%n: index, %C: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  tc.par device (%i) = (0) to (%n) map #tc.map<split_last(256), grid_block(1)> {
    memref.store %one, %C[%i] : memref<?xf32>
  }
  return
}

// Threads in turn: a loop of each, with a guard where the last turn is not for all. On
// level thread it is a loop, with one for the width inside.
// CHECK-LABEL: @turns(
// CHECK: gpu.launch
// CHECK: scf.if
// CHECK: %[[TURNS:.*]] = arith.ceildivsi
// CHECK: scf.for %[[S:.*]] = %{{.*}} to %[[TURNS]]
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c3
// CHECK: scf.for
// CHECK: memref.store
func.func @turns(%n: index, %C: memref<?x8xf32>) {
  %one = arith.constant 1.0 : f32
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    tc.par block (%i) = (0) to (%n) map #tc.map<split_last(64), serial(1)> {
      tc.par thread (%k) = (0) to (8) step (3) width (2) {
        memref.store %one, %C[%i, %k] : memref<?x8xf32>
      }
    }
  }
  return
}

// Warps are numbered by 32, and warpgroups by 128; a barrier is of the team it stands in,
// a buffer of each has its own memory.
// CHECK-LABEL: @teams(
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: workgroup(%{{.*}} : memref<1024xi8, #gpu.address_space<workgroup>>
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %c128
func.func @teams(%C: memref<8x32xf32>) {
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    tc.par block (%w) = (0) to (8) map #tc.map<> {
      %a = tc.new : memref<32xf32, #gpu.address_space<workgroup>>
      tc.par warp (%t) = (0) to (32) map #tc.map<> {
        %x = memref.load %C[%w, %t] : memref<8x32xf32>
        memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      tc.par warp (%t) = (0) to (32) map #tc.map<> {
        %u = affine.apply affine_map<(t) -> (31 - t)>(%t)
        %x = memref.load %a[%u] : memref<32xf32, #gpu.address_space<workgroup>>
        memref.store %x, %C[%w, %t] : memref<8x32xf32>
      }
    }
    tc.par block (%w) = (0) to (2) map #tc.map<> {
      tc.par warpgroup (%t) = (0) to (128) map #tc.map<> {
      }
      gpu.barrier
    }
  }
  return
}

// A loop round kernels is the host's.
// CHECK-LABEL: func.func @host_loop(
// CHECK: scf.for
// CHECK-NEXT: gpu.launch
func.func @host_loop(%A: memref<8xf32>, %x: f32) {
  tc.seq (%s) = (0) to (4) {
    tc.par grid (%i) = (0) to (8) map #tc.map<> {
      memref.store %x, %A[%i] : memref<8xf32>
    }
  }
  return
}

// A buffer in global memory for each of 6 warps, of 400 bytes: one of the device, of which block and warp take a part.
// CHECK-LABEL: func.func @global_buffers(
// CHECK: %[[MEMORY:.+]], %{{.+}} = gpu.alloc async [%{{.+}}] () : memref<19200xi8>
// CHECK: gpu.launch blocks(%[[BLOCK:[a-z0-9]+]],
// CHECK: %[[WARP:.+]] = arith.divui %{{.+}}, %c32
// CHECK: %[[OWN:.+]] = arith.muli %[[BLOCK]], %c6
// CHECK: %[[NUMBER:.+]] = arith.addi %[[OWN]], %[[WARP]]
// CHECK: %[[ROW:.+]] = arith.muli %[[NUMBER]], %c400
// CHECK: memref.view %{{.+}}[%[[ROW]]][] : memref<19200xi8, #gpu.address_space<global>> to memref<100xf32, #gpu.address_space<global>>
// CHECK: gpu.dealloc async [%{{.+}}] %[[MEMORY]]
func.func @global_buffers(%A: memref<100xf32>) {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    tc.par block (%w) = (0) to (6) map #tc.map<> {
      %n = tc.new : memref<100xf32, #gpu.address_space<global>>
      tc.par warp (%l) = (0) to (32) map #tc.map<> {
        %x = memref.load %A[%l] : memref<100xf32>
        memref.store %x, %n[%l] : memref<100xf32, #gpu.address_space<global>>
      }
    }
  }
  return
}
