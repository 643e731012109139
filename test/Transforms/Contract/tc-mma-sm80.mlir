// Parts of numbers of f32 where no instruction bounds a number, or rounds one to tf32.
//
// RUN: tc-opt %s --tc-tile --tc-promote --tc-map --tc-sync --tc-lower-microkernel=chip=sm_80 \
// RUN:     --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @parts(
// CHECK: %[[X:.*]] = memref.load %{{.*}} : memref<{{.*}}, #gpu.address_space<workgroup>>
// CHECK: %[[BELOW:.*]] = arith.minnumf %[[X]], %{{.*}} : f32
// CHECK: %[[FINITE:.*]] = arith.maxnumf %[[BELOW]], %{{.*}} : f32
// CHECK: %[[WORD:.*]] = llvm.bitcast %[[FINITE]] : f32 to i32
// CHECK: %[[UP:.*]] = llvm.add %[[WORD]], %{{.*}} : i32
// CHECK: %[[LARGE:.*]] = llvm.and %[[UP]], %{{.*}} : i32
// CHECK: %[[AGAIN:.*]] = llvm.bitcast %[[LARGE]] : i32 to f32
// CHECK: %[[REST:.*]] = arith.subf %[[X]], %[[AGAIN]] : f32
// CHECK: nvvm.convert.float.to.tf32 %[[REST]] {rnd = #nvvm.fp_rnd_mode<rna>}
func.func @parts(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf32>, %B[k, j] : memref<32x48xf32>)
      outs(%C[i, j] : memref<64x48xf32>) overwrite precision(tf32x3)
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 8], kernel = mma,
        unit = <"m16n8k8.tf32", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}
