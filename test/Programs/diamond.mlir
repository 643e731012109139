// A diamond of four kernels: two do not wait for each other, and have streams of their own.
//
// RUN: %run_program %s
//
// RUN: tc-run %s --count | FileCheck %s --check-prefix=COUNT
// COUNT-COUNT-4: counted: kernel 'diamond
// COUNT: counted time of the program: [[ALL:[0-9.]+]] us one after the other, at least {{[0-9.]+}} us side by side
// RUN: tc-run %s --count --serial | FileCheck %s --check-prefix=SERIAL
// SERIAL-NOT: side by side
//
// RUN: rm -rf %t && tc-compile %s --emit=package --chips=sm_80 -o %t
// RUN: objdump -r %t/lib/tc_diamond.o | grep -oE 'tcPackage(Launch|Record|Wait|Select)' | FileCheck %s
// CHECK:      tcPackageLaunch
// CHECK-NEXT: tcPackageRecord
// CHECK-NEXT: tcPackageLaunch
// CHECK-NEXT: tcPackageWait
// CHECK-NEXT: tcPackageSelect
// CHECK-NEXT: tcPackageLaunch
// CHECK-NEXT: tcPackageRecord
// CHECK-NEXT: tcPackageWait
// CHECK-NEXT: tcPackageSelect
// CHECK-NEXT: tcPackageLaunch
// CHECK-NOT:  tcPackage
func.func @diamond(%x: memref<4096xf32>, %y: memref<4096xf32>) {
  %two = arith.constant 2.0 : f32
  %a = memref.alloc() : memref<4096xf32>
  %b = memref.alloc() : memref<4096xf32>
  %c = memref.alloc() : memref<4096xf32>
  tc.par device (%i) = (0) to (4096) {
    %0 = memref.load %x[%i] : memref<4096xf32>
    %1 = arith.addf %0, %two : f32
    memref.store %1, %a[%i] : memref<4096xf32>
  }
  tc.par device (%i) = (0) to (4096) {
    %0 = memref.load %a[%i] : memref<4096xf32>
    %1 = arith.mulf %0, %two : f32
    memref.store %1, %b[%i] : memref<4096xf32>
  }
  tc.par device (%i) = (0) to (4096) {
    %0 = memref.load %a[%i] : memref<4096xf32>
    %1 = arith.mulf %0, %0 : f32
    memref.store %1, %c[%i] : memref<4096xf32>
  }
  tc.par device (%i) = (0) to (4096) {
    %0 = memref.load %b[%i] : memref<4096xf32>
    %1 = memref.load %c[%i] : memref<4096xf32>
    %2 = arith.subf %0, %1 : f32
    memref.store %2, %y[%i] : memref<4096xf32>
  }
  return
}
