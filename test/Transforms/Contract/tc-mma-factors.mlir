// Functions of an input are applied to the elements of a fragment, before instructions.
//
// RUN: tc-opt %s --tc-tile --tc-promote --tc-map --tc-sync --tc-lower-microkernel \
// RUN:     --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @conjugate(
// CHECK: tc.par warp
// CHECK: %[[A:.*]] = memref.load %{{.*}} #gpu.address_space<workgroup>>
// CHECK: %[[C:.*]] = complex.conj %[[A]]
// CHECK: %[[RE:.*]] = complex.re %[[C]]
// CHECK: %[[IM:.*]] = complex.im %[[C]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[RE]], {{.*}})
func.func @conjugate(%A: memref<16x8xcomplex<f64>>, %B: memref<8x16xcomplex<f64>>, %C: memref<16x16xcomplex<f64>>) {
  tc.contract (i = 16, j = 16, k = 8)
      ins(%A[i, k] : memref<16x8xcomplex<f64>>, %B[k, j] : memref<8x16xcomplex<f64>>)
      outs(%C[i, j] : memref<16x16xcomplex<f64>>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [j = 2], step = [k = 4], kernel = mma,
        unit = <"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
      map (%a: complex<f64>, %b: complex<f64>) {
        %c = complex.conj %a : complex<f64>
        %p = complex.mul %c, %b : complex<f64>
        tc.yield %p : complex<f64>
      }
  return
}

// Weights of 8 bits are numbers of f16, which need not be widened for their products.
// CHECK-LABEL: @weights(
// CHECK: tc.par warp
// CHECK: %[[W:.*]] = vector.extract %{{.*}}[0] : i8 from vector<2xi8>
// CHECK: %[[H:.*]] = arith.sitofp %[[W]] : i8 to f16
// CHECK: %[[X:.*]] = vector.extract %{{.*}}[1] : i8 from vector<2xi8>
// CHECK: %[[G:.*]] = arith.sitofp %[[X]] : i8 to f16
// CHECK: %[[REG:.*]] = vector.from_elements %[[H]], %[[G]] : vector<2xf16>
// CHECK-NOT: arith.extf
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"(%[[REG]], {{.*}})
func.func @weights(%A: memref<32x32xi8>, %B: memref<32x16xf16>, %C: memref<32x16xf32>) {
  tc.contract (i = 32, j = 16, k = 32)
      ins(%A[i, k] : memref<32x32xi8>, %B[k, j] : memref<32x16xf16>) outs(%C[i, j] : memref<32x16xf32>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [i = 2, j = 2], step = [k = 16], vector = [k = 2],
        kernel = mma, unit = <"m16n8k16.f16", m = [i = 8], n = [j = 4], k = [k = 4]>>}
      map (%a: i8, %b: f16) {
        %w = arith.sitofp %a : i8 to f16
        %x = arith.extf %w : f16 to f32
        %y = arith.extf %b : f16 to f32
        %p = arith.mulf %x, %y : f32
        tc.yield %p : f32
      }
  return
}

// Inputs of f32 with sums of f64; and a real input beside a complex one.
// CHECK-LABEL: @widened(
// CHECK: tc.par warp
// CHECK: %[[A:.*]] = memref.load %{{.*}} #gpu.address_space<workgroup>>
// CHECK: %[[W:.*]] = arith.extf %[[A]] : f32 to f64
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[W]], {{.*}})
func.func @widened(%A: memref<16x8xf32>, %B: memref<8x16xf32>, %C: memref<16x16xf64>) {
  tc.contract (i = 16, j = 16, k = 8)
      ins(%A[i, k] : memref<16x8xf32>, %B[k, j] : memref<8x16xf32>) outs(%C[i, j] : memref<16x16xf64>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [j = 2], step = [k = 4], kernel = mma,
        unit = <"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// CHECK-LABEL: @real_and_complex(
// CHECK: tc.par warp
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: complex.create %{{.*}}, %[[ZERO]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"
func.func @real_and_complex(%A: memref<16x8xf64>, %B: memref<8x16xcomplex<f64>>, %C: memref<16x16xcomplex<f64>>) {
  tc.contract (i = 16, j = 16, k = 8)
      ins(%A[i, k] : memref<16x8xf64>, %B[k, j] : memref<8x16xcomplex<f64>>) outs(%C[i, j] : memref<16x16xcomplex<f64>>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [j = 2], step = [k = 4], kernel = mma,
        unit = <"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}

// A factor may read a value from outside of the map.
// CHECK-LABEL: @scaled(
// CHECK-SAME: %[[ALPHA:[a-z0-9]*]]: f64
// CHECK: tc.par warp
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %[[ALPHA]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%{{.*}}, %[[S]], {{.*}})
func.func @scaled(%alpha: f64, %A: memref<16x8xf64>, %B: memref<8x16xf64>, %C: memref<16x16xf64>) {
  tc.contract (i = 16, j = 16, k = 8)
      ins(%A[i, k] : memref<16x8xf64>, %B[k, j] : memref<8x16xf64>) outs(%C[i, j] : memref<16x16xf64>)
      {schedule = #tc.schedule<thread = [i = 8, j = 4], register = [j = 2], step = [k = 4], kernel = mma,
        unit = <"m8n8k4.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
      map (%a: f64, %b: f64) {
        %s = arith.mulf %b, %alpha : f64
        %p = arith.mulf %s, %a : f64
        tc.yield %p : f64
      }
  return
}
