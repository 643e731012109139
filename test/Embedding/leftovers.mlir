// What convert-linalg-to-tc leaves, upstream makes parallel loops of, and tc kernels of these.
//
// RUN: not tc-opt %s --tc-buffers-to-nvvm 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: expected every operation to be part of a kernel by now, got 'linalg.generic'
//
// RUN: mlir-opt %s --convert-linalg-to-parallel-loops > %t.mlir
// RUN: tc-opt %t.mlir --tc-buffers-to-nvvm | FileCheck %s
// RUN: tc-run %t.mlir --device=emulator --verify | FileCheck %s --check-prefix=VERIFIED
// CHECK: gpu.binary @lookup_kernels
// VERIFIED: verified

#id = affine_map<(a, b) -> (a, b)>

func.func @lookup(%x: memref<30x50xf32>, %t: memref<4xf32>, %z: memref<30x50xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<30x50xf32>) outs(%z : memref<30x50xf32>) {
  ^bb0(%u: f32, %old: f32):
    %two = arith.constant 2 : index
    %f = memref.load %t[%two] : memref<4xf32>
    %s = arith.addf %u, %f : f32
    linalg.yield %s : f32
  }
  return
}
