// Vectors and stages: iterators with a vector are split, the copies run ahead, and only
// kernels that take buffers to be aligned move several elements at a time.
//
// RUN: tc-opt %s --tc-tile --cse --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --tc-tile --tc-promote --tc-lower-microkernel --cse --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=THREAD
// RUN: tc-opt %s --tc-tile --tc-promote --tc-map --tc-sync --tc-lower-microkernel \
// RUN:   --convert-tc-to-gpu --cse --mlir-print-local-scope | FileCheck %s --check-prefix=GPU
// RUN: tc-opt %s --tc-tile --tc-promote --tc-map --tc-sync --tc-lower-microkernel \
// RUN:   --convert-tc-to-gpu=chip=sm_75 --cse --mlir-print-local-scope | FileCheck %s --check-prefix=HELD

#schedule = #tc.schedule<thread = [i = 8, j = 8], register = [i = 2], step = [q = 8], vector = [j = 4, q = 2], stages = 3, kernel = fma>

// CHECK-LABEL: @product(
// CHECK: %[[LOW:.*]] = affine.apply affine_map<()[s0] -> (s0 mod 16)>
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]]
// CHECK: scf.if %[[ALIGNED]]
// CHECK: %[[B:.*]] = tc.view %{{.*}} <offset = 0, sizes = [16, 2, 16, 4], strides = [128, 64, 4, 1]>
// CHECK: tc.par grid (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (32, 16, 4) step (16, 8, 4) attributes {tc.variant = #tc.variant<index = 32, alignment = 16>}
// CHECK: tc.seq (%{{.*}}, %{{.*}}) = (0, 0) to (16, 2) step (4, 2) stages(3)
// CHECK: tc.contract (j_v = 4, i = 2, j = 1, q = 4, q_v = 2)
// CHECK-SAME: schedule = #tc.schedule<unroll = [q = 4, q_v = 2], kernel = fma>, tc.vectors = array<i64: 0, 1>
// CHECK: tc.contract {{.*}} overwrite {{.*}} {tc.vectors = array<i64: 1>}
// CHECK: } else {
// CHECK: tc.variant = #tc.variant<name = "unaligned", index = 32>
//
// Shared tiles are aligned always.
// CHECK: tc.contract {{.*}} tc.vectors = array<i64: 0, 1>
// CHECK: tc.contract {{.*}} overwrite
// CHECK-NOT: tc.vectors
// CHECK-LABEL: @aligned(
//
// One thread: vectors of what is read together, kept in registers for all that needs them.
// THREAD-LABEL: @product(
// THREAD: scf.for
// THREAD-COUNT-4: vector.load %{{.*}} {alignment = {{8|16}} : i64}
// THREAD-NOT: memref.load {{.*}}workgroup
// THREAD: vector.store %{{.*}} {alignment = 16 : i64} : memref<{{.*}}>, vector<4xf32>
// THREAD: name = "unaligned"
// THREAD-NOT: vector.store
// THREAD-LABEL: @aligned(
//
// The steps: copies of two, then one loop with one barrier.
// GPU-LABEL: @product(
// GPU: gpu.launch
// GPU: nvgpu.device_async_copy {{.*}}, 2
// GPU: nvvm.cp.async.commit.group
// GPU: nvvm.cp.async.commit.group
// GPU: scf.for {{.*}} iter_args
// GPU-NEXT: nvvm.cp.async.wait.group 1
// GPU-NEXT: gpu.barrier
// GPU: scf.if
// GPU: nvgpu.device_async_copy
// GPU: nvvm.cp.async.commit.group
// GPU-NOT: gpu.barrier
// GPU: vector.load
// GPU: gpu.launch
//
// Before sm_80 a step ahead is loaded, then computed, then stored.
// HELD-LABEL: @product(
// HELD-NOT: async
// HELD: scf.for {{.*}} iter_args
// HELD-NEXT: gpu.barrier
// HELD: scf.if
// HELD-NEXT: vector.load
// HELD: math.fma
// HELD-NOT: gpu.barrier
// HELD: vector.store {{.*}}workgroup
// HELD: scf.yield
// HELD: gpu.launch
func.func @product(%A: memref<32x32xf32>, %B: memref<32x64xf32>, %C: memref<32x64xf32>) {
  tc.contract (i = 32, j = 64, q = 32)
      ins(%A[i, q] : memref<32x32xf32>, %B[q, j] : memref<32x64xf32>) outs(%C[i, j] : memref<32x64xf32>) overwrite
      {schedule = #schedule}
  return
}

// Buffers that are known to be aligned need no choice.
// CHECK-NOT: scf.if
// CHECK: alignment = 16
// CHECK: tc.contract {{.*}}{tc.vectors = array<i64: 0>}
// CHECK-NOT: unaligned
func.func @aligned(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.assume_alignment %x, 64 : memref<64xf32>
  %b = memref.assume_alignment %y, 16 : memref<64xf32>
  tc.contract (i = 64) ins(%a[i] : memref<64xf32>) outs(%b[i] : memref<64xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8], vector = [i = 4], kernel = fma>}
  return
}

// An iterator that is listed twice is split as well: its faster threads are neighbours.
// CHECK-LABEL: @lanes(
// CHECK: tc.view %{{.*}} <offset = 0, sizes = [8, 2, 2, 32], strides = [128, 64, 32, 1]>
// CHECK: tc.par block (%{{.*}}) = (0, 0, 0, 0) to (1, 4, 8, 2)
// CHECK: tc.contract (i_v = 2, i = 1, j = 1, i_t = 1)
func.func @lanes(%x: memref<32x32xf32>, %y: memref<32x32xf32>) {
  tc.contract (i = 32, j = 32) ins(%x[i, j] : memref<32x32xf32>) outs(%y[i, j] : memref<32x32xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 4, j = 8, i = 2], vector = [i = 2], kernel = fma>}
  return
}

// Threads that share a result read vectors next to each other, where they lie; a full
// step is unrolled, also where what is left is not whole.
// CHECK-LABEL: @sum(
// CHECK: tc.seq (%{{.*}}, %{{.*}}) = (0, 0) to (1050, 4) step (256, 4)
// CHECK: tc.view {{.*}} strides = [256, 1]>
// THREAD-LABEL: @sum(
// THREAD-NOT: tc.stage
// THREAD: vector.load {{.*}} {alignment = 16 : i64} : memref<?x4xf32, strided<[256, 1], offset: ?>>, vector<4xf32>
// THREAD: unroll = <count = 4 : i32>
func.func @sum(%x: memref<4200xf32>, %z: memref<f32>) {
  tc.contract (q = 4200) ins(%x[q] : memref<4200xf32>) outs(%z[] : memref<f32>) overwrite
      {schedule = #tc.schedule<thread = [q = 64], step = [q = 1024], vector = [q = 4], kernel = fma>}
  return
}

// The terms of a sum are for aligned buffers together.
// CHECK-LABEL: @terms(
// CHECK: tc.variant = #tc.variant<{{.*}}alignment = 16>
// CHECK: tc.stage {{.*}} slot(0) chunk(2)
// CHECK: tc.stage {{.*}} slot(1) chunk(4)
// CHECK: tc.stage {{.*}} slot(1) chunk(4)
// CHECK: tc.contract {{.*}} overwrite {{.*}} {tc.vectors = array<i64: 1>}
func.func @terms(%A: memref<32x32xf32>, %B: memref<32x64xf32>, %C: memref<32x64xf32>) {
  tc.sum {
    tc.contract (i = 32, j = 64, q = 32)
        ins(%A[i, q] : memref<32x32xf32>, %B[q, j] : memref<32x64xf32>) outs(%C[i, j] : memref<32x64xf32>) overwrite
        {schedule = #schedule}
    tc.contract (i = 32, j = 64, q = 32)
        ins(%A[q, i] : memref<32x32xf32>, %B[q, j] : memref<32x64xf32>) outs(%C[i, j] : memref<32x64xf32>)
        {schedule = #schedule}
  }
  return
}
