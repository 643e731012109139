// Registered host memory and host-shared memory are read and written in place,
// by threads that meet at barriers in workgroup memory.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=isa" \
// RUN: | env TC_DRIVER=emulator TC_MGPU_REPORT=stderr mlir-runner --entry-point-result=i32 \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so \
// RUN: | FileCheck %s

// Each of 32 threads adds what its right neighbour holds, round the corner; then
// the 32 sums i + (i + 1) mod 32 are 31 * 32 in all. The shared counter holds
// the block's size.
// CHECK: 1024
func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  %host = memref.alloc() : memref<32xi32>
  scf.for %i = %c0 to %c32 step %c1 {
    %value = arith.index_cast %i : index to i32
    memref.store %value, %host[%i] : memref<32xi32>
  }
  %unranked = memref.cast %host : memref<32xi32> to memref<*xi32>
  gpu.host_register %unranked : memref<*xi32>
  %shared = gpu.alloc host_shared () : memref<1xi32>
  memref.store %zero, %shared[%c0] : memref<1xi32>
  gpu.launch
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1)
      workgroup(%tile : memref<32xi32, #gpu.address_space<workgroup>>) {
    %mine = memref.load %host[%tx] : memref<32xi32>
    memref.store %mine, %tile[%tx] : memref<32xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %right = arith.addi %tx, %c1 : index
    %wrapped = arith.remui %right, %c32 : index
    %other = memref.load %tile[%wrapped] : memref<32xi32, #gpu.address_space<workgroup>>
    %sum = arith.addi %mine, %other : i32
    memref.store %sum, %host[%tx] : memref<32xi32>
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      %size = arith.index_cast %sx : index to i32
      memref.store %size, %shared[%c0] : memref<1xi32>
    }
    gpu.terminator
  }
  gpu.host_unregister %unranked : memref<*xi32>
  %count = memref.load %shared[%c0] : memref<1xi32>
  %total = scf.for %i = %c0 to %c32 step %c1 iter_args(%so_far = %count) -> i32 {
    %value = memref.load %host[%i] : memref<32xi32>
    %next = arith.addi %so_far, %value : i32
    scf.yield %next : i32
  }
  %t0 = gpu.wait async
  %t1 = gpu.dealloc async [%t0] %shared : memref<1xi32>
  gpu.wait [%t1]
  memref.dealloc %host : memref<32xi32>
  return %total : i32
}
