// Stock MLIR host code on the emulator: allocation, copies, a launch and a fill
// in one chain of asynchronous tokens.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=isa" \
// RUN: | env TC_DRIVER=emulator TC_MGPU_REPORT=stderr mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%tc_libs/libtc-mgpu-runtime.so,%mlir_libs/libmlir_runner_utils.so \
// RUN: | FileCheck %s

// 10 elements in blocks of 4: the last block is cut.
// CHECK: rank = 1 offset = 0 sizes = [10] strides = [1]
// CHECK-NEXT: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
// CHECK: rank = 1 offset = 0 sizes = [10] strides = [1]
// CHECK-NEXT: [2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %one = arith.constant 1.0 : f32
  %fill = arith.constant 2.5 : f32
  %host = memref.alloc() : memref<10xf32>
  scf.for %i = %c0 to %c10 step %c1 {
    %int = arith.index_cast %i : index to i32
    %value = arith.sitofp %int : i32 to f32
    memref.store %value, %host[%i] : memref<10xf32>
  }
  %t0 = gpu.wait async
  %device, %t1 = gpu.alloc async [%t0] () : memref<10xf32>
  %t2 = gpu.memcpy async [%t1] %device, %host : memref<10xf32>, memref<10xf32>
  %t3 = gpu.launch async [%t2]
      blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %base = arith.muli %bx, %c4 : index
    %i = arith.addi %base, %tx : index
    %inside = arith.cmpi ult, %i, %c10 : index
    scf.if %inside {
      %value = memref.load %device[%i] : memref<10xf32>
      %double = arith.addf %value, %value : f32
      %result = arith.addf %double, %one : f32
      memref.store %result, %device[%i] : memref<10xf32>
    }
    gpu.terminator
  }
  %t4 = gpu.memcpy async [%t3] %host, %device : memref<10xf32>, memref<10xf32>
  gpu.wait [%t4]
  %unranked = memref.cast %host : memref<10xf32> to memref<*xf32>
  call @printMemrefF32(%unranked) : (memref<*xf32>) -> ()

  %t5 = gpu.wait async
  %t6 = gpu.memset async [%t5] %device, %fill : memref<10xf32>, f32
  %t7 = gpu.memcpy async [%t6] %host, %device : memref<10xf32>, memref<10xf32>
  %t8 = gpu.dealloc async [%t7] %device : memref<10xf32>
  gpu.wait [%t8]
  call @printMemrefF32(%unranked) : (memref<*xf32>) -> ()
  memref.dealloc %host : memref<10xf32>
  return
}

func.func private @printMemrefF32(memref<*xf32>)
