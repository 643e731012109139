// A map goes into the scan of its results; one that reads a neighbour's sum stays behind it.
//
// RUN: %run_program %s
func.func @scan(%A: memref<300xf32>, %S: memref<300xf32>, %D: memref<299xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = tc.new : memref<300xf32>
  tc.par (%i) = (0) to (300) {
    %x = memref.load %A[%i] : memref<300xf32>
    %y = arith.mulf %x, %x : f32
    memref.store %y, %t[%i] : memref<300xf32>
  }
  tc.scan (%i) = (0) to (300) init(%zero : f32) {
    %x = memref.load %t[%i] : memref<300xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%i: index, %s: f32) {
    memref.store %s, %S[%i] : memref<300xf32>
  }
  tc.par (%i) = (0) to (299) {
    %next = affine.apply affine_map<(i) -> (i + 1)>(%i)
    %x = memref.load %S[%i] : memref<300xf32>
    %y = memref.load %S[%next] : memref<300xf32>
    %d = arith.subf %y, %x : f32
    memref.store %d, %D[%i] : memref<299xf32>
  }
  return
}
