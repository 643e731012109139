// tc-to-nvvm runs what is left from the phase it finds: whichever phase the text of a
// program is handed over in, the kernels are the same to the letter.
//
// DEFINE: %{kernels} = tc-opt --tc-to-nvvm=chip=sm_90a \
// DEFINE:   | sed -n -e 's/LLVMIRToISATimeInMs = [0-9]*//' -e /gpu.binary/p
//
// Phase 0, and that there is a kernel of each function to compare.
// RUN: tc-opt %s | %{kernels} > %t.0
// RUN: FileCheck %s < %t.0
//
// Phases 1 to 3: contract, normal, scheduled.
// RUN: tc-opt %s --convert-linalg-to-tc > %t.mlir
// RUN: tc-opt %t.mlir | %{kernels} | diff %t.0 -
// RUN: tc-opt %t.mlir --tc-normalize | %{kernels} | diff %t.0 -
// RUN: tc-opt %t.mlir --tc-normalize --tc-schedule=chip=sm_90a | %{kernels} | diff %t.0 -
//
// Phase 4, tiled: from phase 3, and from phase 1 at once.
// RUN: tc-opt %t.mlir --tc-normalize --tc-schedule=chip=sm_90a --tc-tile | %{kernels} | diff %t.0 -
// RUN: tc-opt %t.mlir --tc-tile=chip=sm_90a > %t.4.mlir
// RUN: tc-opt %t.4.mlir | %{kernels} | diff %t.0 -
//
// Phases 5 and 6: staged, mapped, with barriers.
// RUN: tc-opt %t.4.mlir --tc-promote | %{kernels} | diff %t.0 -
// RUN: tc-opt %t.4.mlir --tc-promote --tc-map | %{kernels} | diff %t.0 -
// RUN: tc-opt %t.4.mlir --tc-promote --tc-map --tc-sync > %t.6.mlir
// RUN: tc-opt %t.6.mlir | %{kernels} | diff %t.0 -
//
// On the way to phase 7: scalar code, kernels.
// RUN: tc-opt %t.6.mlir --tc-lower-microkernel | %{kernels} | diff %t.0 -
// RUN: tc-opt %t.6.mlir --tc-lower-microkernel --convert-tc-to-gpu | %{kernels} | diff %t.0 -
// RUN: tc-opt %t.6.mlir --tc-lower-microkernel --convert-tc-to-gpu \
// RUN:   | mlir-opt --gpu-launch-sink-index-computations --gpu-kernel-outlining | %{kernels} | diff %t.0 -

// CHECK: gpu.binary @matmul_kernels
// CHECK-SAME: .target sm_90a
// CHECK-SAME: .entry matmul(
// CHECK: gpu.binary @batch_kernels
// CHECK: gpu.binary @sum_kernels
// CHECK: gpu.binary @twice_kernels
// CHECK-SAME: .entry twice(
// CHECK-SAME: .entry twice_1(

func.func @matmul(%A: memref<33x17xf32>, %B: memref<17x29xf32>, %C: memref<33x29xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<33x29xf32>)
  linalg.matmul ins(%A, %B : memref<33x17xf32>, memref<17x29xf32>) outs(%C : memref<33x29xf32>)
  return
}

func.func @batch(%A: memref<5x64x40xf64>, %B: memref<5x40x32xf64>, %C: memref<5x64x32xf64>) {
  linalg.batch_matmul ins(%A, %B : memref<5x64x40xf64>, memref<5x40x32xf64>) outs(%C : memref<5x64x32xf64>)
  return
}

func.func @sum(%x: memref<9x1x35xf32>, %z: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(q, r, s) -> (q, r, s)>, affine_map<(q, r, s) -> ()>],
                  iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%x : memref<9x1x35xf32>) outs(%z : memref<f32>) {
  ^bb0(%u: f32, %acc: f32):
    %s = arith.addf %u, %acc : f32
    linalg.yield %s : f32
  }
  return
}

func.func @twice(%A: memref<16x16xf32>, %C: memref<16x16xf32>) {
  linalg.matmul ins(%A, %A : memref<16x16xf32>, memref<16x16xf32>) outs(%C : memref<16x16xf32>)
  linalg.matmul ins(%A, %C : memref<16x16xf32>, memref<16x16xf32>) outs(%A : memref<16x16xf32>)
  return
}
