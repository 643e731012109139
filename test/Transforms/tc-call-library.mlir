// RUN: tc-opt %s --tc-call-library --remarks-filter="tc-call-library" 2>&1 | FileCheck %s

// Rows that are dense make the result a transpose; columns that are do not. An input may lie
// either way.
// CHECK-LABEL: @columns
// CHECK: tc.library_product %arg0, %arg1, %arg2 into %arg2 {{.*}} extents [64, 48, 32, 1] leading [64, 48, 64, 64] strides [0, 0, 0, 0] transposed [false, true]
func.func @columns(%A: memref<64x32xf32, strided<[1, 64]>>, %B: memref<32x48xf32>, %C: memref<64x48xf32, strided<[1, 64]>>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf32, strided<[1, 64]>>, %B[k, j] : memref<32x48xf32>)
      outs(%C[i, j] : memref<64x48xf32, strided<[1, 64]>>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// What is not overwritten is C, and beta is 1. The kernel that stands in may have a unit.
// CHECK-LABEL: @batch
// CHECK: tc.library_product %arg1, %arg0, %arg2 into %arg2 {{.*}} extents [8, 16, 4, 3] leading [10, 4, 8, 8] strides [40, 64, 128, 128] transposed [false, false] alpha [1.000000e+00, 0.000000e+00] beta [1.000000e+00, 0.000000e+00]
// CHECK: kernel = mma, unit =
func.func @batch(%A: memref<3x16x4xf64>, %B: memref<3x4x8xf64, strided<[40, 10, 1]>>, %C: memref<3x16x8xf64>) {
  tc.contract (b = 3, i = 16, j = 8, k = 4)
      ins(%A[b, i, k] : memref<3x16x4xf64>, %B[b, k, j] : memref<3x4x8xf64, strided<[40, 10, 1]>>)
      outs(%C[b, i, j] : memref<3x16x8xf64>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], step = [k = 4], kernel = library, unit = #tc.mma<"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// Of two rows that cannot be one, one is the batch, for which B stays where it is.
// CHECK-LABEL: @rows
// CHECK: extents [48, 64, 32, 5] leading [48, 40, 48, 48] strides [0, 3000, 3200, 3200]
func.func @rows(%A: memref<5x64x32xf32, strided<[3000, 40, 1]>>, %B: memref<32x48xf32>, %C: memref<5x64x48xf32, strided<[3200, 48, 1]>>) {
  tc.contract (l = 5, i = 64, j = 48, k = 32)
      ins(%A[l, i, k] : memref<5x64x32xf32, strided<[3000, 40, 1]>>, %B[k, j] : memref<32x48xf32>)
      outs(%C[l, i, j] : memref<5x64x48xf32, strided<[3200, 48, 1]>>) overwrite {schedule = #tc.schedule<kernel = library>}
  return
}

// 2 A B - C / 2, in halves.
// CHECK-LABEL: @scaled
// CHECK: tc.library_product %arg1, %arg0, %arg3 into %arg2 {{.*}} alpha [2.000000e+00, 0.000000e+00] beta [-5.000000e-01, 0.000000e+00]
func.func @scaled(%A: memref<64x32xf16>, %B: memref<32x48xf16>, %D: memref<64x48xf16>, %C: memref<64x48xf16>) {
  %two = arith.constant 2.0 : f32
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf16>, %B[k, j] : memref<32x48xf16>)
      sides(%C[i, j] : memref<64x48xf16>) outs(%D[i, j] : memref<64x48xf16>) overwrite
      {schedule = #tc.schedule<kernel = library>}
      epilogue (%s: f32, %c: f16) {
        %half = arith.constant 0.5 : f32
        %a = arith.mulf %two, %s : f32
        %w = arith.extf %c : f16 to f32
        %b = arith.mulf %w, %half : f32
        %d = arith.subf %a, %b : f32
        %r = arith.truncf %d : f32 to f16
        tc.yield %r : f16
      }
  return
}

// The rows and columns of a dot product are 1.
// CHECK-LABEL: @dot
// CHECK: extents [1, 1, 32, 1]
func.func @dot(%a: memref<32xf32>, %b: memref<32xf32>, %c: memref<f32>) {
  tc.contract (k = 32) ins(%a[k] : memref<32xf32>, %b[k] : memref<32xf32>)
      outs(%c[] : memref<f32>) overwrite precision(tf32) {schedule = #tc.schedule<kernel = library>}
  return
}

// One workspace for all products of a function; a kernel asks nobody.
// CHECK-LABEL: @several
// CHECK: %[[W:.*]] = memref.alloc() : memref<33554432xi8>
// CHECK: scf.for
// CHECK: tc.library_product {{.*}} using %[[W]] extents [8, 8, 8, 1]
// CHECK: tc.library_product {{.*}} using %[[W]] extents [8, 8, 8, 1]
// CHECK: tc.par
// CHECK-NOT: tc.library_product
// CHECK: kernel = fma
// CHECK: memref.dealloc %[[W]]
// CHECK-NEXT: return
func.func @several(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    tc.contract (i = 8, j = 8, k = 8) ins(%A[i, k] : memref<8x8xf32>, %A[k, j] : memref<8x8xf32>)
        outs(%B[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
    tc.contract (i = 8, j = 8, k = 8) ins(%B[i, k] : memref<8x8xf32>, %B[k, j] : memref<8x8xf32>)
        outs(%A[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  }
  tc.par device (%x) = (0) to (1) {
    tc.contract (i = 8, j = 8, k = 8) ins(%A[i, k] : memref<8x8xf32>, %A[k, j] : memref<8x8xf32>)
        outs(%B[i, j] : memref<8x8xf32>) overwrite {schedule = #tc.schedule<kernel = library>}
  }
  return
}
