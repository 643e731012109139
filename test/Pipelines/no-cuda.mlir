// PTX needs nothing but LLVM: no CUDA toolkit on PATH or in the environment, no libdevice.
//
// RUN: env -u CUDA_HOME -u CUDA_ROOT -u CUDA_PATH TC_PTXAS=%t.none TC_LIBDEVICE=%t.none \
// RUN:   PATH=/usr/bin:/bin %tc_build/bin/tc-opt %s --tc-to-nvvm | FileCheck %s
//
// A cubin does need ptxas, and says so.
// RUN: not env -u CUDA_HOME -u CUDA_ROOT -u CUDA_PATH TC_PTXAS=%t.none \
// RUN:   PATH=/usr/bin:/bin %tc_build/bin/tc-opt %s --tc-to-nvvm=format=cubin 2>&1 | FileCheck %s --check-prefix=CUBIN

// CHECK: gpu.binary @matmul_kernels
// CHECK-SAME: .entry matmul(
// CHECK-SAME: fma.rn.f32
// CHECK-NOT: __nv_

// CUBIN: error: {{.*}}ptxas

func.func @matmul(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  linalg.matmul ins(%A, %B : memref<64x64xf32>, memref<64x64xf32>) outs(%C : memref<64x64xf32>)
  return
}
