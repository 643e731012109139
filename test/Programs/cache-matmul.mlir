// A matrix product of cached tiles: the requests in a loop that permits copies to run ahead.
//
// RUN: %run_program %s
func.func @matmul(%A: memref<37x45xf32>, %B: memref<45x51xf32>, %C: memref<37x51xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %C, %c0 : memref<37x51xf32>
  %n = memref.dim %C, %c1 : memref<37x51xf32>
  %k = memref.dim %A, %c1 : memref<37x45xf32>
  tc.par (%i, %j) = (0, 0) to (%m, %n) step (16, 16) {
    %acc = tc.new init(0.0 : f32) threads(2) : memref<16x16x1xf32>
    %ni = affine.min affine_map<(i)[m] -> (16, m - i)>(%i)[%m]
    %nj = affine.min affine_map<(j)[n] -> (16, n - j)>(%j)[%n]
    tc.seq (%q) = (0) to (%k) step (8) stages(2) {
      tc.cache %A : memref<37x45xf32>
      tc.cache %B : memref<45x51xf32>
      %nq = affine.min affine_map<(q)[k] -> (8, k - q)>(%q)[%k]
      tc.par (%a, %b) = (0, 0) to (16, 16) {
        %own = memref.subview %acc[%a, %b, 0] [1, 1, 1] [1, 1, 1] : memref<16x16x1xf32> to memref<1xf32, strided<[1], offset: ?>>
        %ina = arith.cmpi slt, %a, %ni : index
        %inb = arith.cmpi slt, %b, %nj : index
        %in = arith.andi %ina, %inb : i1
        scf.if %in {
          %row = affine.apply affine_map<(i, b) -> (i + b)>(%i, %a)
          %column = affine.apply affine_map<(j, a) -> (j + a)>(%j, %b)
          %old = memref.load %own[%c0] : memref<1xf32, strided<[1], offset: ?>>
          %new = tc.seq (%t) = (0) to (%nq) init(%s = %old : f32) {
            %r = affine.apply affine_map<(q, t) -> (q + t)>(%q, %t)
            %x = memref.load %A[%row, %r] : memref<37x45xf32>
            %y = memref.load %B[%r, %column] : memref<45x51xf32>
            %p = arith.mulf %x, %y : f32
            %next = arith.addf %s, %p : f32
            tc.yield %next : f32
          }
          memref.store %new, %own[%c0] : memref<1xf32, strided<[1], offset: ?>>
        }
      }
    }
    tc.par (%a, %b) = (0, 0) to (16, 16) {
      %own = memref.subview %acc[%a, %b, 0] [1, 1, 1] [1, 1, 1] : memref<16x16x1xf32> to memref<1xf32, strided<[1], offset: ?>>
      %ina = arith.cmpi slt, %a, %ni : index
      %inb = arith.cmpi slt, %b, %nj : index
      %in = arith.andi %ina, %inb : i1
      scf.if %in {
        %row = affine.apply affine_map<(i, b) -> (i + b)>(%i, %a)
        %column = affine.apply affine_map<(j, a) -> (j + a)>(%j, %b)
        %x = memref.load %own[%c0] : memref<1xf32, strided<[1], offset: ?>>
        memref.store %x, %C[%row, %column] : memref<37x51xf32>
      }
    }
  }
  return
}
