// Pairs of numbers of 16 bits, where the CPU multiplies them in one instruction: of bf16
// into f32, and of i16, to which bytes are widened, into i32. The 65th sum has no partner.
//
// RUN: tc-opt %s --tc-schedule-host='vector-bits=512 vector-registers=32 bf16-dot=512 i16-dot=512' \
// RUN:   --tc-tile-host='bf16-dot=512 i16-dot=512' | FileCheck %s
// RUN: tc-opt %s --tc-schedule-host='vector-bits=256 vector-registers=16 i16-dot=256' \
// RUN:   --tc-tile-host='i16-dot=256' | FileCheck %s --check-prefix=AVX2
//
// CHECK-LABEL: @floats
// CHECK: memref.alloc() {{.*}} : memref<11x1x33x12xbf16>
// CHECK: vector.interleave {{.*}} : vector<16xbf16> -> vector<32xbf16>
// CHECK: vector.broadcast {{.*}} : i32 to vector<16xi32>
// CHECK: x86vector.avx512.dot {{.*}} : vector<32xbf16> -> vector<16xf32>
// CHECK-NOT: arith.mulf
// CHECK-LABEL: @bytes
// CHECK: memref.alloc() {{.*}} : memref<11x1x33x12xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// CHECK-NOT: arith.muli {{.*}} : vector
//
// AVX2-LABEL: @floats
// AVX2-NOT: x86vector
// AVX2: arith.mulf {{.*}} : vector<8xf32>
// AVX2-LABEL: @bytes
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
func.func @floats(%A: memref<64x65xbf16>, %B: memref<65x64xbf16>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, k = 65)
    ins(%A[i, k] : memref<64x65xbf16>, %B[k, j] : memref<65x64xbf16>)
    outs(%C[i, j] : memref<64x64xf32>) overwrite
  return
}
func.func @bytes(%A: memref<64x65xi8>, %B: memref<65x64xi8>, %C: memref<64x64xi32>) {
  tc.contract (i = 64, j = 64, k = 65)
    ins(%A[i, k] : memref<64x65xi8>, %B[k, j] : memref<65x64xi8>)
    outs(%C[i, j] : memref<64x64xi32>) overwrite
  return
}
