// What convert-linalg-to-tc leaves, upstream makes parallel loops of, and tc kernels of these.
//
// RUN: not tc-opt %s --tc-buffers-to-nvvm 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: expected every operation to be part of a kernel by now, got 'linalg.generic'
//
// RUN: mlir-opt %s --convert-linalg-to-parallel-loops > %t.mlir
// RUN: tc-opt %t.mlir --tc-buffers-to-nvvm | FileCheck %s
// RUN: tc-run %t.mlir --device=emulator --verify | FileCheck %s --check-prefix=VERIFIED
// CHECK: gpu.binary @index_kernels
// VERIFIED: verified

#id = affine_map<(a, b) -> (a, b)>

func.func @index(%x: memref<30x50xf32>, %z: memref<30x50xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<30x50xf32>) outs(%z : memref<30x50xf32>) {
  ^bb0(%u: f32, %old: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.addf %u, %f : f32
    linalg.yield %s : f32
  }
  return
}
