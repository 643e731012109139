// Loops of kernels on the host whose iterations are independent: one of two kernels and a buffer
// between them, one of two dimensions, and one with a condition. Iterations are dealt out to four
// streams, and each in flight has a buffer of its own.
//
// RUN: %run_program %s
// RUN: tc-compile %s --emit=gpu --remarks -o - 2>&1 | FileCheck %s
// RUN: tc-run %s --count | FileCheck %s --check-prefix=COUNT
//
// COUNT: counted time of the program: {{1[0-9][0-9].*}} us one after the other, at least {{1[0-9]\..*}} us side by side
//
// CHECK: remark: {{.*}}Dealt{{.*}}the iterations are dealt out to 4 streams
// CHECK: func.func @loops
// CHECK-COUNT-4: gpu.alloc
// CHECK: scf.for
// CHECK-NOT: gpu.alloc
// CHECK-NOT: gpu.wait
// CHECK: gpu.launch_func async
// CHECK: gpu.launch_func async
// CHECK: {tc.independent}
// CHECK-COUNT-4: gpu.dealloc
func.func @loops(%A: memref<6x100xf32>, %B: memref<6x100xf32>, %C: memref<3x5x40xf32>,
                 %D: memref<3x5x40xf32>, %E: memref<9x40xf32>, %F: memref<9x40xf32>) {
  %c4 = arith.constant 4 : index
  tc.par host (%i) = (0) to (6) {
    %sums = tc.new : memref<100xf32>
    tc.par device (%j) = (0) to (99) {
      %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
      %x = memref.load %A[%i, %j] : memref<6x100xf32>
      %y = memref.load %A[%i, %right] : memref<6x100xf32>
      %s = arith.addf %x, %y : f32
      memref.store %s, %sums[%j] : memref<100xf32>
    }
    tc.par device (%j) = (0) to (98) {
      %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
      %x = memref.load %sums[%j] : memref<100xf32>
      %y = memref.load %sums[%right] : memref<100xf32>
      %s = arith.addf %x, %y : f32
      memref.store %s, %B[%i, %j] : memref<6x100xf32>
    }
  }
  tc.par host (%i, %j) = (0, 0) to (3, 5) {
    tc.par device (%k) = (0) to (40) {
      %x = memref.load %C[%i, %j, %k] : memref<3x5x40xf32>
      %y = math.sqrt %x : f32
      memref.store %y, %D[%i, %j, %k] : memref<3x5x40xf32>
    }
  }
  tc.par host (%i) = (0) to (9) step (2) {
    tc.par device (%k) = (0) to (40) {
      %x = memref.load %E[%i, %k] : memref<9x40xf32>
      memref.store %x, %F[%i, %k] : memref<9x40xf32>
    }
    %isLow = arith.cmpi ult, %i, %c4 : index
    scf.if %isLow {
      tc.par device (%k) = (0) to (40) {
        %x = memref.load %F[%i, %k] : memref<9x40xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %F[%i, %k] : memref<9x40xf32>
      }
    }
  }
  tc.par device (%i, %k) = (0, 0) to (9, 40) {
    %x = memref.load %F[%i, %k] : memref<9x40xf32>
    %y = arith.mulf %x, %x : f32
    memref.store %y, %E[%i, %k] : memref<9x40xf32>
  }
  return
}
