// Two kernels wait for each other on streams of their own; a third that both come
// before, by events, sees what they left.
//
// RUN: mlir-opt %s -gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx70 cubin-format=isa" \
// RUN: | env TC_DRIVER=emulator TC_MGPU_REPORT=stderr TC_EMU_CHECKS=all mlir-runner \
// RUN:     --entry-point-result=i32 --shared-libs=%tc_libs/libtc-mgpu-runtime.so 2>&1 \
// RUN: | FileCheck %s

// CHECK-NOT: {{deadlock|timeout|mgpu}}
// CHECK: {{^}}20{{$}}
// CHECK-NOT: {{deadlock|timeout|mgpu}}
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @meet(%count: memref<i32>) kernel {
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %both = arith.constant 2 : i32
      %before = memref.atomic_rmw addi %one, %count[] : (i32, memref<i32>) -> i32
      scf.while : () -> () {
        %now = memref.atomic_rmw addi %none, %count[] : (i32, memref<i32>) -> i32
        %waits = arith.cmpi slt, %now, %both : i32
        scf.condition(%waits)
      } do {
        scf.yield
      }
      gpu.return
    }
    gpu.func @scale(%count: memref<i32>) kernel {
      %ten = arith.constant 10 : i32
      %value = memref.load %count[] : memref<i32>
      %scaled = arith.muli %value, %ten : i32
      memref.store %scaled, %count[] : memref<i32>
      gpu.return
    }
  }

  func.func @main() -> i32 {
    %zero = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %count = gpu.alloc host_shared () : memref<i32>
    memref.store %zero, %count[] : memref<i32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.launch_func async [%s0] @kernels::@meet
        blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%count : memref<i32>)
    %t1 = gpu.launch_func async [%s1] @kernels::@meet
        blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%count : memref<i32>)
    %t2 = gpu.wait async [%t0, %t1]
    %t3 = gpu.launch_func async [%t2] @kernels::@scale
        blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%count : memref<i32>)
    gpu.wait [%t3]
    %result = memref.load %count[] : memref<i32>
    %s4 = gpu.wait async
    %t4 = gpu.dealloc async [%s4] %count : memref<i32>
    gpu.wait [%t4]
    return %result : i32
  }
}
