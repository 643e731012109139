// Upstream's reductions: the sum and the largest of all, what is computed of them, and rows of steps of two.
//
// RUN: %run_program %s
func.func @deviations(%A: memref<37x53xf32>, %B: memref<37x53xf32>, %C: memref<3xf32>, %R: memref<37xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c37 = arith.constant 37 : index
  %c53 = arith.constant 53 : index
  %zero = arith.constant 0.0 : f32
  %ten = arith.constant 10.0 : f32
  %count = arith.constant 1961.0 : f32
  %sum, %most = scf.parallel (%i, %j) = (%c0, %c0) to (%c37, %c53) step (%c1, %c1) init(%zero, %ten) -> (f32, f32) {
    %x = memref.load %A[%i, %j] : memref<37x53xf32>
    scf.reduce(%x, %x : f32, f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  %mean = arith.divf %sum, %count : f32
  %twice = arith.addf %mean, %mean : f32
  %part = arith.divf %mean, %most : f32
  memref.store %twice, %C[%c0] : memref<3xf32>
  memref.store %most, %C[%c1] : memref<3xf32>
  memref.store %part, %C[%c2] : memref<3xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%c37, %c53) step (%c1, %c1) {
    %x = memref.load %A[%i, %j] : memref<37x53xf32>
    %d = arith.subf %x, %mean : f32
    memref.store %d, %B[%i, %j] : memref<37x53xf32>
  }
  scf.parallel (%i) = (%c0) to (%c37) step (%c1) {
    %row = scf.parallel (%j) = (%c1) to (%c53) step (%c2) init(%ten) -> f32 {
      %x = memref.load %A[%i, %j] : memref<37x53xf32>
      scf.reduce(%x : f32) {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scf.reduce.return %s : f32
      }
    }
    %y = arith.mulf %row, %row : f32
    memref.store %y, %R[%i] : memref<37xf32>
  }
  return
}
