// Memory that is never freed is in the report, and on standard error when all
// checks are on.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=isa" > %t.mlir
// RUN: env TC_DRIVER=emulator TC_EMU_CHECKS=all TC_EMU_REPORT=%t.json mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=REPORT %s < %t.json
// RUN: env TC_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so %t.mlir 2>&1 | count 0

// CHECK-NOT: allocation 1
// CHECK: leak: allocation 2, 24 bytes at 0x{{[0-9a-f]+}}, was never freed
// CHECK-NOT: leak

// REPORT: "class": "leak"
// REPORT: "launch": null
func.func @main() {
  %t0 = gpu.wait async
  %freed, %t1 = gpu.alloc async [%t0] () : memref<4xi32>
  %lost, %t2 = gpu.alloc async [%t1] () : memref<6xi32>
  %t3 = gpu.dealloc async [%t2] %freed : memref<4xi32>
  gpu.wait [%t3]
  return
}
