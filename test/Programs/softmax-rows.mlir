// Softmax with a thread a row: no thread needs another one, and nothing is shared.
//
// RUN: %run_program %s --tolerance=1e-5
func.func @softmax(%A: memref<70x19xf32>, %B: memref<70x19xf32>) {
  %c70 = arith.constant 70 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  tc.par grid (%i0) = (0) to (70) step (32) {
    tc.par block (%t) = (0) to (32) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %in = arith.cmpi slt, %i, %c70 : index
      scf.if %in {
        %largest = tc.seq (%j) = (0) to (19) init(%acc = %lowest : f32) {
          %a = memref.load %A[%i, %j] : memref<70x19xf32>
          %n = arith.maximumf %acc, %a : f32
          tc.yield %n : f32
        }
        %sum = tc.seq (%j) = (0) to (19) init(%acc = %zero : f32) {
          %a = memref.load %A[%i, %j] : memref<70x19xf32>
          %d = arith.subf %a, %largest : f32
          %e = math.exp %d : f32
          memref.store %e, %B[%i, %j] : memref<70x19xf32>
          %n = arith.addf %acc, %e : f32
          tc.yield %n : f32
        }
        tc.seq (%j) = (0) to (19) {
          %e = memref.load %B[%i, %j] : memref<70x19xf32>
          %y = arith.divf %e, %sum : f32
          memref.store %y, %B[%i, %j] : memref<70x19xf32>
        }
      }
    }
  }
  return
}
