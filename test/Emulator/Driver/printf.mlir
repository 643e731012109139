// What kernels print goes to standard output, in the order of the calls, between
// what the host prints. Nobody reads the number that the call returns.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=isa" \
// RUN: | env TC_DRIVER=emulator TC_EMU_CHECKS=all mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so,%mlir_libs/libmlir_runner_utils.so \
// RUN: | FileCheck %s

// CHECK: thread 0 of 2: 1.500000
// CHECK-NEXT: thread 1 of 2: 1.500000
// CHECK-NEXT: rank = 0
// CHECK: thread 0 of 1: 1.500000
func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %value = arith.constant 1.5 : f32
  %host = memref.alloc() : memref<f32>
  memref.store %value, %host[] : memref<f32>
  gpu.launch
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
    gpu.printf "thread %lld of %lld: %f\n", %tx, %sx, %value : index, index, f32
    gpu.terminator
  }
  %unranked = memref.cast %host : memref<f32> to memref<*xf32>
  call @printMemrefF32(%unranked) : (memref<*xf32>) -> ()
  gpu.launch
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.printf "thread %lld of %lld: %f\n", %tx, %sx, %value : index, index, f32
    gpu.terminator
  }
  memref.dealloc %host : memref<f32>
  return
}

func.func private @printMemrefF32(memref<*xf32>)
