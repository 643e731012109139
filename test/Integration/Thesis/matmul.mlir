// The matrix products MM0 to MM3 of the thesis: 4096 x 4096, each input as it is or transposed.
//
// REQUIRES: ptxas
//
// RUN: tc-opt %s --tc-tile --tc-to-nvvm | %python %S/Inputs/assemble.py | FileCheck %s
// RUN: tc-opt %s --tc-tile --tc-to-nvvm=chip=sm_90a | %python %S/Inputs/assemble.py | FileCheck %s
//
// CHECK: Compiling entry function 'mm0'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'mm1'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'mm2'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'mm3'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

func.func @mm0(%X: memref<4096x4096xf32>, %Y: memref<4096x4096xf32>,
               %Z: memref<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<4096x4096xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, q) -> (a, q)>,
                       affine_map<(a, b, q) -> (b, q)>,
                       affine_map<(a, b, q) -> (a, b)>]
      ins(%X, %Y : memref<4096x4096xf32>, memref<4096x4096xf32>)
      outs(%Z : memref<4096x4096xf32>)
  return
}

func.func @mm1(%X: memref<4096x4096xf32>, %Y: memref<4096x4096xf32>,
               %Z: memref<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<4096x4096xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, q) -> (a, q)>,
                       affine_map<(a, b, q) -> (q, b)>,
                       affine_map<(a, b, q) -> (a, b)>]
      ins(%X, %Y : memref<4096x4096xf32>, memref<4096x4096xf32>)
      outs(%Z : memref<4096x4096xf32>)
  return
}

func.func @mm2(%X: memref<4096x4096xf32>, %Y: memref<4096x4096xf32>,
               %Z: memref<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<4096x4096xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, q) -> (q, a)>,
                       affine_map<(a, b, q) -> (b, q)>,
                       affine_map<(a, b, q) -> (a, b)>]
      ins(%X, %Y : memref<4096x4096xf32>, memref<4096x4096xf32>)
      outs(%Z : memref<4096x4096xf32>)
  return
}

func.func @mm3(%X: memref<4096x4096xf32>, %Y: memref<4096x4096xf32>,
               %Z: memref<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Z : memref<4096x4096xf32>)
  linalg.contract
      indexing_maps = [affine_map<(a, b, q) -> (q, a)>,
                       affine_map<(a, b, q) -> (q, b)>,
                       affine_map<(a, b, q) -> (a, b)>]
      ins(%X, %Y : memref<4096x4096xf32>, memref<4096x4096xf32>)
      outs(%Z : memref<4096x4096xf32>)
  return
}
