// RUN: tc-opt %s | tc-opt | FileCheck %s

// A matrix product, a trace and a convolution are one op.
func.func @contractions(%A: memref<16x16xf32>, %B: memref<16x8xf32>, %C: memref<16x8xf32>,
                        %w: memref<3xf32>, %t: memref<f32>, %y: memref<14xf32>, %x: memref<16xf32>) {
  // CHECK: tc.contract (i = 16, j = 8, k = 16) ins(%{{.*}}[i, k] : memref<16x16xf32>, %{{.*}}[k, j] : memref<16x8xf32>) outs(%{{.*}}[i, j] : memref<16x8xf32>) overwrite
  tc.contract (i = 16, j = 8, k = 16)
    ins(%A[i, k] : memref<16x16xf32>, %B[k, j] : memref<16x8xf32>)
    outs(%C[i, j] : memref<16x8xf32>) overwrite
  // CHECK: tc.contract (i = 16) ins(%{{.*}}[i, i] : memref<16x16xf32>) outs(%{{.*}}[] : memref<f32>)
  tc.contract (i = 16) ins(%A[i, i] : memref<16x16xf32>) outs(%t[] : memref<f32>)
  // CHECK: tc.contract (i = 14, r = 3) ins(%{{.*}}[i + r] : memref<16xf32>, %{{.*}}[r] : memref<3xf32>)
  tc.contract (i = 14, r = 3)
    ins(%x[i + r] : memref<16xf32>, %w[r] : memref<3xf32>) outs(%y[i] : memref<14xf32>)
  return
}

// A product of f32 that may be computed by tensor instructions.
func.func @permitted(%A: memref<16x16xf32>, %B: memref<16x8xf32>, %C: memref<16x8xf32>) {
  // CHECK: outs(%{{.*}}[i, j] : memref<16x8xf32>) overwrite precision(tf32x3)
  tc.contract (i = 16, j = 8, k = 16)
    ins(%A[i, k] : memref<16x16xf32>, %B[k, j] : memref<16x8xf32>)
    outs(%C[i, j] : memref<16x8xf32>) overwrite precision(tf32x3)
  return
}

// Shortest paths: the sum is the product, the minimum is the sum.
func.func @paths(%A: memref<16x16xf32>, %C: memref<16x16xf32>) {
  // CHECK: neutral(0x7F800000 : f32) map (%{{.*}}: f32, %{{.*}}: f32) {
  tc.contract (i = 16, j = 16, k = 16)
    ins(%A[i, k] : memref<16x16xf32>, %A[k, j] : memref<16x16xf32>)
    outs(%C[i, j] : memref<16x16xf32>) neutral(0x7F800000 : f32)
    map (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } combine associative commutative (%acc: f32, %v: f32) {
      %m = arith.minimumf %acc, %v : f32
      tc.yield %m : f32
    }
  return
}
