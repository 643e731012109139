// A kernel that leaves its memory: the emulator says where, the next call
// returns the error, the host code runs to its end, and nothing more is copied.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=isa" \
// RUN: | env TC_DRIVER=emulator TC_MGPU_REPORT=stderr mlir-runner --entry-point-result=i32 \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so 2>&1 \
// RUN: | FileCheck %s

// CHECK: kernel 'main_kernel', block (1,0,0), thread (2,0,0)
// CHECK-SAME: out of bounds
// CHECK-NEXT: mgpu: cuMemcpyAsync: CUDA_ERROR_ILLEGAL_ADDRESS (700)
// CHECK-NEXT: a kernel failed before in this context: kernel 'main_kernel'
// CHECK-NOT: mgpu
// CHECK: {{^}}-1{{$}}
func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %host = memref.alloc() : memref<6xi32>
  memref.store %minus, %host[%c0] : memref<6xi32>
  %t0 = gpu.wait async
  %device, %t1 = gpu.alloc async [%t0] () : memref<6xi32>
  // 8 threads for 6 elements, and no guard.
  %t2 = gpu.launch async [%t1]
      blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %base = arith.muli %bx, %c4 : index
    %i = arith.addi %base, %tx : index
    memref.store %one, %device[%i] : memref<6xi32>
    gpu.terminator
  }
  %t3 = gpu.memcpy async [%t2] %host, %device : memref<6xi32>, memref<6xi32>
  %t4 = gpu.dealloc async [%t3] %device : memref<6xi32>
  gpu.wait [%t4]
  %first = memref.load %host[%c0] : memref<6xi32>
  memref.dealloc %host : memref<6xi32>
  return %first : i32
}
