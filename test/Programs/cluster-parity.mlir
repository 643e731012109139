// As cluster-histogram: what falls into a bin, combined by exclusive or.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @parity(%A: memref<2x512xi32>, %H: memref<2x2x64xi32>) {
  tc.par grid (%g) = (0) to (2) {
    %bins = tc.new init(0 : i32) : memref<2x64xi32>
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (256) {
        %j = affine.apply affine_map<(c, t) -> (c * 256 + t)>(%c, %t)
        %v = memref.load %A[%g, %j] : memref<2x512xi32>
        %mask = arith.constant 127 : i32
        %b = arith.andi %v, %mask : i32
        %six = arith.constant 6 : i32
        %low = arith.constant 63 : i32
        %row32 = arith.shrui %b, %six : i32
        %at32 = arith.andi %b, %low : i32
        %row = arith.index_cast %row32 : i32 to index
        %at = arith.index_cast %at32 : i32 to index
        %old = memref.atomic_rmw xori %v, %bins[%row, %at] : (i32, memref<2x64xi32>) -> i32
      }
    }
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (64) {
        %n = memref.load %bins[%c, %t] : memref<2x64xi32>
        memref.store %n, %H[%g, %c, %t] : memref<2x2x64xi32>
      }
    }
  }
  return
}
