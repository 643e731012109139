// Scans of rows of 256 terms by a warp each, 8 a lane: no two lanes are in one bank when they read and
// write terms, of 4 bytes or two of 4.
//
// RUN: tc-run %s --name=words --chip=sm_90a --count --sites --sample-blocks=1 | FileCheck %s
// RUN: tc-run %s --name=pairs --chip=sm_90a --count --sites --sample-blocks=1 \
// RUN:   | FileCheck %s --check-prefix=PAIRS
// RUN: tc-run %s --name=words --verify | FileCheck %s --check-prefix=RIGHT
// RUN: tc-run %s --name=pairs --verify | FileCheck %s --check-prefix=RIGHT
//
// CHECK: shared write requests {{.*}} wavefronts [[WRITES:[0-9]+]] ideal_wavefronts [[WRITES]] machine
// CHECK: shared read requests {{.*}} wavefronts [[READS:[0-9]+]] ideal_wavefronts [[READS]] machine
//
// What all lanes of 4096 warps access has two wavefronts each, not more.
// PAIRS-NOT: bytes 1048576 wavefronts {{[0-9][0-9][0-9][0-9][0-9]+}}
// PAIRS: ld.shared.v2.b32: {{.*}} bytes 1048576 wavefronts 8192
// PAIRS-NOT: bytes 1048576 wavefronts {{[0-9][0-9][0-9][0-9][0-9]+}}
//
// RIGHT: verified
func.func @words(%A: memref<4096x256xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (4096) {
    tc.scan (%j) = (0) to (256) init(%zero : i32) {
      %x = memref.load %A[%i, %j] : memref<4096x256xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%j: index, %s: i32) {
      memref.store %s, %A[%i, %j] : memref<4096x256xi32>
    }
  }
  return
}

func.func @pairs(%A: memref<4096x256xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.par (%i) = (0) to (4096) {
    tc.scan (%j) = (0) to (256) init(%zero : i32, %one : i32) {
      %x = memref.load %A[%i, %j] : memref<4096x256xi32>
      tc.yield %x, %x : i32, i32
    } combine (%a: i32, %b: i32, %c: i32, %d: i32) {
      %m = arith.muli %b, %c : i32
      %s = arith.addi %a, %m : i32
      %p = arith.muli %b, %d : i32
      tc.yield %s, %p : i32, i32
    } finish (%j: index, %s: i32, %p: i32) {
      %t = arith.addi %s, %p : i32
      memref.store %t, %A[%i, %j] : memref<4096x256xi32>
    }
  }
  return
}
