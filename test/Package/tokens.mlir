// A launch that waits for a token, and gives one: a package launches in order without.
//
// RUN: rm -rf %t && tc-compile %s --emit=package -o %t --name=sum 2>&1 | FileCheck %s
// RUN: grep sum_kernel %t/manifest.json
//
// CHECK: the package is without a version for the CPU of 'sum'
// CHECK-SAME: expected no token of another op in a package
func.func @sum() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %host = memref.alloc() : memref<6xi32>
  %t0 = gpu.wait async
  %device, %t1 = gpu.alloc async [%t0] () : memref<6xi32>
  %t2 = gpu.launch async [%t1]
      blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  %t3 = gpu.memcpy async [%t2] %host, %device : memref<6xi32>, memref<6xi32>
  %first = memref.load %host[%c0] : memref<6xi32>
  return %first : i32
}
