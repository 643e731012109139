// convert-tc-to-gpu: shared memory of more than 48 KiB is dynamic, each launch with its own size.
//
// RUN: tc-opt %s --convert-tc-to-gpu --mlir-print-local-scope | FileCheck %s
//
// A kernel that is right at the limit declares its memory; with a byte more, which makes 16, the
// launch asks for all of it.
// CHECK-LABEL: @declared(
// CHECK: gpu.launch
// CHECK-NOT: dynamic_shared_memory_size
// CHECK-SAME: workgroup(%{{.*}} : memref<49152xi8, #gpu.address_space<workgroup>>)
// CHECK: %[[SIZE:.*]] = arith.constant 49168 : i32
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %[[SIZE]]
// CHECK-NOT: workgroup(
// CHECK: %[[ALL:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK: memref.view %[[ALL]][%{{.*}}][] : {{.*}} to memref<49168xi8, #gpu.address_space<workgroup>>
func.func @declared(%A: memref<1xi8>) {
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    %a = tc.new init(0 : i8) : memref<49152xi8, #gpu.address_space<workgroup>>
  }
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    %a = tc.new init(0 : i8) : memref<49153xi8, #gpu.address_space<workgroup>>
  }
  return
}

// Buffers lie one after the other, each of a multiple of 16 bytes, small ones and large ones. Where
// that takes them past 48 KiB, their memory is dynamic, too.
// CHECK-LABEL: @mixed(
// CHECK: %[[SIZE:.*]] = arith.constant 102432 : i32
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %[[SIZE]]
// CHECK: %[[ALL:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[ALL]][%[[FIRST]]][] : {{.*}} to memref<16xi8,
// CHECK: %[[SECOND:.*]] = arith.constant 16 : index
// CHECK: memref.view %[[ALL]][%[[SECOND]]][] : {{.*}} to memref<12800xf64,
// CHECK: %[[THIRD:.*]] = arith.constant 102416 : index
// CHECK: memref.view %[[ALL]][%[[THIRD]]][] : {{.*}} to memref<4xf32,
// CHECK: %[[PADDED:.*]] = arith.constant 49168 : i32
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %[[PADDED]]
func.func @mixed(%A: memref<1xi8>) {
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    %a = tc.new init(0 : i8) : memref<3xi8, #gpu.address_space<workgroup>>
    %b = tc.new init(0.0 : f64) : memref<12800xf64, #gpu.address_space<workgroup>>
    %c = tc.new init(0.0 : f32) : memref<2xf32, #gpu.address_space<workgroup>>
  }
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    %a = tc.new init(0 : i8) : memref<1xi8, #gpu.address_space<workgroup>>
    %b = tc.new init(0 : i8) : memref<49137xi8, #gpu.address_space<workgroup>>
  }
  return
}

// All that sm_90a, the chip where nobody says another, has.
// CHECK-LABEL: @limit(
// CHECK: %[[SIZE:.*]] = arith.constant 232448 : i32
// CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %[[SIZE]]
func.func @limit(%A: memref<1xi8>) {
  tc.par grid (%g) = (0) to (1) map #tc.map<> {
    %a = tc.new init(0 : i8) : memref<232448xi8, #gpu.address_space<workgroup>>
  }
  return
}
