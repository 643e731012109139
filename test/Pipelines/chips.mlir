// PTX of every known chip assembles for it.
//
// REQUIRES: ptxas
//
// DEFINE: %{chip} =
// DEFINE: %{assemble} = tc-opt %s --tc-to-nvvm=chip=%{chip} \
// DEFINE:   | %python %tc_source/test/Integration/Thesis/Inputs/assemble.py \
// DEFINE:   | FileCheck %s -DCHIP=%{chip}
//
// REDEFINE: %{chip} = sm_75
// RUN: %{assemble}
// REDEFINE: %{chip} = sm_80
// RUN: %{assemble}
// REDEFINE: %{chip} = sm_86
// RUN: %{assemble}
// REDEFINE: %{chip} = sm_89
// RUN: %{assemble}
// REDEFINE: %{chip} = sm_90
// RUN: %{assemble}
// REDEFINE: %{chip} = sm_90a
// RUN: %{assemble}
// REDEFINE: %{chip} = sm_100a
// RUN: %{assemble}
// REDEFINE: %{chip} = sm_120
// RUN: %{assemble}

// CHECK: Compiling entry function 'single' for '[[CHIP]]'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Compiling entry function 'double' for '[[CHIP]]'
// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

func.func @single(%A: memref<511x257xf32>, %B: memref<257x510xf32>, %C: memref<511x510xf32>) {
  linalg.matmul ins(%A, %B : memref<511x257xf32>, memref<257x510xf32>) outs(%C : memref<511x510xf32>)
  return
}

func.func @double(%A: memref<256x256xf64>, %B: memref<256x256xf64>, %C: memref<256x256xf64>) {
  linalg.matmul ins(%A, %B : memref<256x256xf64>, memref<256x256xf64>) outs(%C : memref<256x256xf64>)
  return
}
