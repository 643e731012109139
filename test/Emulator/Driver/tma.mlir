// A product of 64 x 128 and 128 x 64 halves as LLVM lowers it: two stages, which tensor
// copies fill and one warpgroup multiplies. Both factors are swizzled by 128 bytes.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90a cubin-features=+ptx80 cubin-format=isa" \
// RUN: | env TC_DRIVER=emulator TC_EMU_CHECKS=all,-leaks mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so,%mlir_libs/libmlir_runner_utils.so,%mlir_libs/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

// CHECK: Correct:
// CHECK-NEXT: 4096
!barriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!tile = memref<64x64xf16, strided<[64, 1], offset: ?>, 3>
!matrix = memref<64x64xf16, 3>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b,
    l2promo = none, oob = zero, interleave = none>
!sums = !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>

memref.global "private" @stages : memref<4x64x64xf16, 3> {alignment = 1024 : i64}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %hostA = memref.alloc() : memref<64x128xf16>
  %hostB = memref.alloc() : memref<128x64xf16>
  %hostD = memref.alloc() : memref<64x64xf32>
  // Small integers: sums are exact.
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %k = %c0 to %c128 step %c1 {
      %i3 = arith.muli %i, %c3 : index
      %ik = arith.addi %i3, %k : index
      %a = arith.remui %ik, %c7 : index
      %ai = arith.index_cast %a : index to i32
      %af = arith.sitofp %ai : i32 to f16
      memref.store %af, %hostA[%i, %k] : memref<64x128xf16>
      %k3 = arith.muli %k, %c3 : index
      %ki = arith.addi %k3, %i : index
      %b = arith.remui %ki, %c5 : index
      %bi = arith.index_cast %b : index to i32
      %bf = arith.sitofp %bi : i32 to f16
      memref.store %bf, %hostB[%k, %i] : memref<128x64xf16>
    }
  }
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64x128xf16>
  %b, %t2 = gpu.alloc async [%t1] () : memref<128x64xf16>
  %d, %t3 = gpu.alloc async [%t2] () : memref<64x64xf32>
  %t4 = gpu.memcpy async [%t3] %a, %hostA : memref<64x128xf16>, memref<64x128xf16>
  %t5 = gpu.memcpy async [%t4] %b, %hostB : memref<128x64xf16>, memref<128x64xf16>
  gpu.wait [%t5]
  %anyA = memref.cast %a : memref<64x128xf16> to memref<*xf16>
  %anyB = memref.cast %b : memref<128x64xf16> to memref<*xf16>
  %mapA = nvgpu.tma.create.descriptor %anyA box[%c64, %c64] : memref<*xf16> -> !map
  %mapB = nvgpu.tma.create.descriptor %anyB box[%c64, %c64] : memref<*xf16> -> !map

  gpu.launch
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1) {
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    %k64 = arith.constant 64 : index
    %k16384 = arith.constant 16384 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant 0 : i1
    %isFirst = arith.cmpi eq, %tx, %k0 : index
    %stages = memref.get_global @stages : memref<4x64x64xf16, 3>
    %bars = nvgpu.mbarrier.create -> !barriers
    nvgpu.mbarrier.init %bars[%k0], %k1, predicate = %isFirst : !barriers
    nvgpu.mbarrier.init %bars[%k1], %k1, predicate = %isFirst : !barriers
    nvgpu.tma.prefetch.descriptor %mapA, predicate = %isFirst : !map
    gpu.barrier
    scf.for %stage = %k0 to %k2 step %k1 {
      %term = arith.muli %stage, %k64 : index
      %twice = arith.muli %stage, %k2 : index
      %behind = arith.addi %twice, %k1 : index
      %tileA = memref.subview %stages[%twice, 0, 0] [1, 64, 64] [1, 1, 1]
        : memref<4x64x64xf16, 3> to !tile
      %tileB = memref.subview %stages[%behind, 0, 0] [1, 64, 64] [1, 1, 1]
        : memref<4x64x64xf16, 3> to !tile
      nvgpu.mbarrier.arrive.expect_tx %bars[%stage], %k16384, predicate = %isFirst : !barriers
      nvgpu.tma.async.load %mapA[%term, %k0], %bars[%stage] to %tileA, predicate = %isFirst
        : !map, !barriers -> !tile
      nvgpu.tma.async.load %mapB[%k0, %term], %bars[%stage] to %tileB, predicate = %isFirst
        : !map, !barriers -> !tile
    }
    %none = nvgpu.warpgroup.mma.init.accumulator -> !sums
    %sums = scf.for %stage = %k0 to %k2 step %k1 iter_args(%sum = %none) -> !sums {
      nvgpu.mbarrier.try_wait.parity %bars[%stage], %even, %ticks : !barriers
      %twice = arith.muli %stage, %k2 : index
      %behind = arith.addi %twice, %k1 : index
      %tileA = memref.subview %stages[%twice, 0, 0] [1, 64, 64] [1, 1, 1]
        : memref<4x64x64xf16, 3> to !tile
      %tileB = memref.subview %stages[%behind, 0, 0] [1, 64, 64] [1, 1, 1]
        : memref<4x64x64xf16, 3> to !tile
      %descA = nvgpu.warpgroup.generate.descriptor %tileA, %mapA : !tile, !map
        -> !nvgpu.warpgroup.descriptor<tensor = !matrix>
      %descB = nvgpu.warpgroup.generate.descriptor %tileB, %mapB : !tile, !map
        -> !nvgpu.warpgroup.descriptor<tensor = !matrix>
      %next = nvgpu.warpgroup.mma %descA, %descB, %sum {transposeB}
        : <tensor = !matrix>, <tensor = !matrix>, !sums -> !sums
      scf.yield %next : !sums
    }
    nvvm.wgmma.wait.group.sync.aligned 0
    nvgpu.warpgroup.mma.store %sums, %d : !sums to memref<64x64xf32>
    gpu.terminator
  }

  %t6 = gpu.wait async
  %t7 = gpu.memcpy async [%t6] %hostD, %d : memref<64x64xf32>, memref<64x64xf32>
  gpu.wait [%t7]
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %correct = scf.for %i = %c0 to %c64 step %c1 iter_args(%n = %n0) -> i32 {
    %row = scf.for %j = %c0 to %c64 step %c1 iter_args(%m = %n) -> i32 {
      %sum = scf.for %k = %c0 to %c128 step %c1 iter_args(%s = %zero) -> f32 {
        %x = memref.load %hostA[%i, %k] : memref<64x128xf16>
        %y = memref.load %hostB[%k, %j] : memref<128x64xf16>
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %q = arith.addf %s, %p : f32
        scf.yield %q : f32
      }
      %got = memref.load %hostD[%i, %j] : memref<64x64xf32>
      %same = arith.cmpf oeq, %got, %sum : f32
      %one = arith.select %same, %n1, %n0 : i32
      %more = arith.addi %m, %one : i32
      scf.yield %more : i32
    }
    scf.yield %row : i32
  }
  vector.print str "Correct:\n"
  vector.print %correct : i32
  return
}
