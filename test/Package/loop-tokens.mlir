// Loops that carry tokens. Where each iteration goes on with the first one, and gives on the other,
// they have a stream each, which the loop selects. Where two chains go round, all is on one stream.
//
// RUN: sed 's/OWN, OTHER/%other, %next/' %s > %t-ring.mlir
// RUN: rm -rf %t && tc-compile %t-ring.mlir --emit=package --chips=sm_80 -o %t
// RUN: objdump -r %t/lib/tc_loop.o | grep -oE 'tcPackage(Copy|Record|Wait|Select)' | FileCheck %s --check-prefix=RING
//
// RUN: sed 's/%first\] %y/%other] %y/; s/OWN, OTHER/%first, %next/' %s > %t-two.mlir
// RUN: rm -rf %t && tc-compile %t-two.mlir --emit=package --chips=sm_80 -o %t
// RUN: objdump -r %t/lib/tc_loop.o | grep -oE 'tcPackage(Copy|Record|Wait|Select)' | FileCheck %s --check-prefix=ONE
//
// RING: tcPackageWait
// RING: tcPackageSelect
// RING: tcPackageCopy
// RING: tcPackageWait
//
// ONE-NOT: {{Wait|Select}}
// ONE: tcPackageCopy
// ONE-NOT: {{Wait|Select}}
module attributes {gpu.container_module} {
  func.func @loop(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %start = gpu.wait async
    %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%first = %start, %other = %start)
        -> (!gpu.async.token, !gpu.async.token) {
      %next = gpu.memcpy async [%first] %y, %x : memref<8xf32>, memref<8xf32>
      scf.yield OWN, OTHER : !gpu.async.token, !gpu.async.token
    }
    gpu.wait [%a, %b]
    return
  }
}
