// How a thread finds its index: with extents of powers of two by shifts and masks, with
// other constants by the high half of a product, and with dynamic ones by one
// division, in 32 bits where both fit.
//
// RUN: tc-opt %s --tc-to-nvvm="chip=sm_80 format=isa" > %t
// RUN: grep 'entry powers(' %t | FileCheck %s --check-prefix=POWERS --implicit-check-not='{{div|rem}}.u'
// RUN: grep 'entry constants(' %t | FileCheck %s --check-prefix=CONSTANTS --implicit-check-not='{{div|rem}}.u'
// RUN: grep 'entry values(' %t | FileCheck %s --check-prefix=VALUES --implicit-check-not='rem.u'

// POWERS: shr.u32
// CONSTANTS: mul.hi.u32
// VALUES: div.u64 {{.*}}div.u32
func.func @powers(%A: memref<64x2048xi32>) {
  %c = arith.constant 1 : i32
  tc.par device (%i, %j) = (0, 0) to (2048, 64) map #tc.map<fold_last2, split_last(256), grid_block(1)> {
    memref.store %c, %A[%j, %i] : memref<64x2048xi32>
  }
  return
}

func.func @constants(%A: memref<63x2080xi32>) {
  %c = arith.constant 1 : i32
  tc.par device (%i, %j) = (0, 0) to (2080, 63) map #tc.map<fold_last2, split_last(256), grid_block(1)> {
    memref.store %c, %A[%j, %i] : memref<63x2080xi32>
  }
  return
}

func.func @values(%A: memref<?x2080xi32>, %m: index) {
  %c = arith.constant 1 : i32
  tc.par device (%i, %j) = (0, 0) to (2080, %m) map #tc.map<fold_last2, split_last(256), grid_block(1)> {
    memref.store %c, %A[%j, %i] : memref<?x2080xi32>
  }
  return
}
