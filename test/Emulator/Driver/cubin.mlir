// Machine code cannot run on the emulator, which says so.
//
// REQUIRES: ptxas
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=bin" \
// RUN: | env TC_DRIVER=emulator TC_MGPU_REPORT=stderr mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so 2>&1 \
// RUN: | FileCheck %s

// CHECK: mgpu: cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU (209)
// CHECK-NEXT: expected PTX text, got a cubin
func.func @main() {
  %c1 = arith.constant 1 : index
  gpu.launch
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  return
}
