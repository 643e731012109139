// The strategies of Janssen and Scholz, and the chosen mapping, as kernels: a with-loop of three dimensions that starts
// anywhere, and leaves some of its points out.
//
// RUN: tc-opt %s --tc-bind --tc-promote --tc-map=strategy=jing | tc-run - --verify --device=emulator --checks=all
// RUN: tc-opt %s --tc-bind --tc-promote --tc-map=strategy=jing_ext | tc-run - --verify --device=emulator --checks=all
// RUN: tc-opt %s --tc-bind --tc-promote --tc-map=strategy=fold_all | tc-run - --verify --device=emulator --checks=all
// RUN: tc-opt %s --tc-bind --tc-promote --tc-map=strategy=auto | tc-run - --verify --device=emulator --checks=all
func.func @with_loop(%A: memref<9x12x40xf32>, %B: memref<9x12x40xf32>) {
  tc.par (%i, %j, %k) = (1, 0, 2) to (9, 12, 40) step (1, 3, 5) width (1, 2, 3) {
    %x = memref.load %A[%i, %j, %k] : memref<9x12x40xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %B[%i, %j, %k] : memref<9x12x40xf32>
  }
  return
}
