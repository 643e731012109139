// An assertion that fails in a kernel: each thread says so on standard error, what
// the kernel printed before stays, and the device's next call tells the host.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=isa" > %t.mlir
// RUN: env TC_DRIVER=emulator TC_MGPU_REPORT=stderr mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so %t.mlir 2> %t.errors | FileCheck %s
// RUN: FileCheck --check-prefix=ERRORS %s < %t.errors

// CHECK: before 0
// CHECK-NEXT: before 1
// CHECK-NEXT: before 2
// CHECK-NOT: after

// ERRORS: kernel 'main_kernel', block (0,0,0), thread (1,0,0), PTX line
// ERRORS-SAME: callee.cc:7: callee: block: [0,0,0], thread: [1,0,0] Assertion `tx is 0` failed.
// ERRORS-NEXT: {{^}}callee.cc:7: callee: block: [0,0,0], thread: [2,0,0] Assertion `tx is 0` failed.
// ERRORS-NEXT: mgpu: {{.*}} CUDA_ERROR_ASSERT (710)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  gpu.launch
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c3, %sy = %c1, %sz = %c1) {
    gpu.printf "before %lld\n", %tx : index
    %isZero = arith.cmpi eq, %tx, %c0 : index
    cf.assert %isZero, "tx is 0" loc("callee"("callee.cc":7:9))
    gpu.barrier
    gpu.printf "after %lld\n", %tx : index
    gpu.terminator
  }
  return
}
