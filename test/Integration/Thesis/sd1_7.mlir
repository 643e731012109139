// The contraction sd1_7 of coupled-cluster triples, Z[a,b,c,i,j,k] = X[i,c,a,q] * Y[q,b,j,k],
// on datasets 1 to 4 of the thesis: no partial tiles; partial in q; partial everywhere; a long q.
//
// REQUIRES: ptxas
//
// RUN: tc-opt %s --tc-tile --tc-to-nvvm | %python %S/Inputs/assemble.py | FileCheck %s
// RUN: tc-opt %s --tc-tile --tc-to-nvvm=chip=sm_90a | %python %S/Inputs/assemble.py | FileCheck %s
//
// CHECK: Compiling entry function 'sd1_7_1'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'sd1_7_2'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'sd1_7_3'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'sd1_7_4'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

func.func @sd1_7_1(%X: memref<32x32x32x32xf32>, %Y: memref<32x32x32x32xf32>,
                   %Z: memref<32x32x32x32x32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<32x32x32x32x32x32xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, c, i, j, k, q) -> (i, c, a, q)>,
                       affine_map<(a, b, c, i, j, k, q) -> (q, b, j, k)>,
                       affine_map<(a, b, c, i, j, k, q) -> (a, b, c, i, j, k)>]
      ins(%X, %Y : memref<32x32x32x32xf32>, memref<32x32x32x32xf32>)
      outs(%Z : memref<32x32x32x32x32x32xf32>)
  return
}

func.func @sd1_7_2(%X: memref<32x32x32x31xf32>, %Y: memref<31x32x32x32xf32>,
                   %Z: memref<32x32x32x32x32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<32x32x32x32x32x32xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, c, i, j, k, q) -> (i, c, a, q)>,
                       affine_map<(a, b, c, i, j, k, q) -> (q, b, j, k)>,
                       affine_map<(a, b, c, i, j, k, q) -> (a, b, c, i, j, k)>]
      ins(%X, %Y : memref<32x32x32x31xf32>, memref<31x32x32x32xf32>)
      outs(%Z : memref<32x32x32x32x32x32xf32>)
  return
}

func.func @sd1_7_3(%X: memref<31x31x31x31xf32>, %Y: memref<31x31x31x31xf32>,
                   %Z: memref<31x31x31x31x31x31xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<31x31x31x31x31x31xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, c, i, j, k, q) -> (i, c, a, q)>,
                       affine_map<(a, b, c, i, j, k, q) -> (q, b, j, k)>,
                       affine_map<(a, b, c, i, j, k, q) -> (a, b, c, i, j, k)>]
      ins(%X, %Y : memref<31x31x31x31xf32>, memref<31x31x31x31xf32>)
      outs(%Z : memref<31x31x31x31x31x31xf32>)
  return
}

func.func @sd1_7_4(%X: memref<16x16x16x2048xf32>, %Y: memref<2048x16x16x16xf32>,
                   %Z: memref<16x16x16x16x16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<16x16x16x16x16x16xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, c, i, j, k, q) -> (i, c, a, q)>,
                       affine_map<(a, b, c, i, j, k, q) -> (q, b, j, k)>,
                       affine_map<(a, b, c, i, j, k, q) -> (a, b, c, i, j, k)>]
      ins(%X, %Y : memref<16x16x16x2048xf32>, memref<2048x16x16x16xf32>)
      outs(%Z : memref<16x16x16x16x16x16xf32>)
  return
}
