// Each op in loops. test/Phases/ops.mlir executes them.
//
// RUN: tc-opt %s --convert-tc-to-loops --canonicalize | FileCheck %s --implicit-check-not="tc."

// Result iterators outside, contracted ones inside with the sum carried; the old result
// comes last where terms may be reordered.
// CHECK-LABEL: @contract
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %[[A:.*]] = %[[C0]] to %[[C3]] step %[[C1]] {
// CHECK-NEXT: %[[SUM:.*]] = scf.for %[[Q:.*]] = %[[C0]] to %[[C5]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[A]], %[[Q]]]
// CHECK-NEXT: %[[Y:.*]] = memref.load %arg1[%[[Q]]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[P]] : f32
// CHECK-NEXT: scf.yield %[[S]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[OLD:.*]] = memref.load %arg2[%[[A]]]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[SUM]] : f32
// CHECK-NEXT: memref.store %[[NEW]], %arg2[%[[A]]]
func.func @contract(%A: memref<3x5xf32>, %x: memref<5xf32>, %y: memref<3xf32>) {
  tc.contract (a = 3, q = 5) ins(%A[a, q] : memref<3x5xf32>, %x[q] : memref<5xf32>) outs(%y[a] : memref<3xf32>)
  return
}

// The result is not read, whether or not there is anything to add.
// CHECK-LABEL: @overwrite
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for %[[A:.*]] =
// CHECK-NEXT: %[[SUM:.*]] = scf.for %{{.*}} = %{{.*}} to %arg2 step %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: memref.store %[[SUM]], %arg1[%[[A]]]
func.func @overwrite(%A: memref<3x?xf32>, %y: memref<3xf32>, %n: index) {
  tc.contract (a = 3, q = %n) ins(%A[a, q] : memref<3x?xf32>) outs(%y[a] : memref<3xf32>) overwrite
  return
}

// CHECK-LABEL: @par
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %arg1 step %[[C3]] {
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[C2]] : index
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[NEXT]], %arg1 : index
// CHECK-NEXT: scf.for %[[I:.*]] = %[[FIRST]] to %[[END]] step %[[C1]] {
// CHECK-NEXT: memref.store %{{.*}}, %arg0[%[[I]]]
func.func @par(%x: memref<?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tc.par full block (%i) = (0) to (%n) step (3) width (2) map #tc.map<shift_lb> {
    memref.store %zero, %x[%i] : memref<?xf32>
  }
  return
}

// Memory spaces go away, in signatures too; buffers are freed where their region
// ends; barriers between nests go away.
// CHECK-LABEL: @memory(
// CHECK-SAME: %arg0: memref<8xf32>
// CHECK: scf.for
// CHECK: %[[S:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<22xf32>
// CHECK: %[[R:.*]] = memref.reinterpret_cast %[[B]] to offset: [0], sizes: [4, 4], strides: [6, 1]
// CHECK-NOT: gpu.barrier
// CHECK: memref.dealloc %[[S]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[B]] : memref<22xf32>
// CHECK-NEXT: }
// CHECK: call @callee(%arg0) : (memref<8xf32>) -> ()
func.func private @callee(memref<8xf32, #gpu.address_space<global>>)
func.func @memory(%x: memref<8xf32, #gpu.address_space<global>>) {
  tc.par grid (%i) = (0) to (2) {
    %v = tc.view %x <offset = 4, sizes = [4], strides = [1]>
        : memref<8xf32, #gpu.address_space<global>> to memref<4xf32, strided<[1], offset: 4>, #gpu.address_space<global>>
    %s = tc.stage %v pad(0.0 : f32) : memref<4xf32, strided<[1], offset: 4>, #gpu.address_space<global>>
        to memref<4xf32, #gpu.address_space<workgroup>>
    %b = tc.new : memref<4x4xf32, strided<[6, 1]>, #gpu.address_space<workgroup>>
    gpu.barrier
    tc.par block (%j) = (0) to (4) {
      %y = memref.load %s[%j] : memref<4xf32, #gpu.address_space<workgroup>>
      memref.store %y, %b[%j, %j] : memref<4x4xf32, strided<[6, 1]>, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    tc.par block (%j) = (0) to (4) {
      %y = memref.load %b[%j, %j] : memref<4x4xf32, strided<[6, 1]>, #gpu.address_space<workgroup>>
      memref.store %y, %x[%j] : memref<8xf32, #gpu.address_space<global>>
    }
  }
  call @callee(%x) : (memref<8xf32, #gpu.address_space<global>>) -> ()
  return
}

// The offset of the source is added, at run time where the type does not have it. A
// view that begins beyond its source is empty.
// CHECK-LABEL: @view
// CHECK: %{{.*}}, %[[O:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %arg0
// CHECK: %[[N:.*]] = arith.maxsi %arg1, %{{.*}} : index
// CHECK: %[[P:.*]] = affine.apply #{{.*}}()[%[[O]], %arg1]
// CHECK: memref.reinterpret_cast %arg0 to offset: [%[[P]]], sizes: [%[[N]]], strides: [-2]
func.func @view(%x: memref<8xf32, strided<[1], offset: ?>>, %n: index) -> memref<?xf32, strided<[-2], offset: ?>> {
  %v = tc.view %x (%n, %n) <offset = ?, sizes = [?], strides = [-2]>
      : memref<8xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[-2], offset: ?>>
  return %v : memref<?xf32, strided<[-2], offset: ?>>
}

// A buffer that leaves its region is not freed there.
// CHECK-LABEL: @leaves
// CHECK: memref.alloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @leaves() -> memref<4xf32> {
  %b = tc.new init(1.0 : f32) : memref<4xf32>
  return %b : memref<4xf32>
}

// CHECK: func private @machine(){{$}}
func.func private @machine() attributes {tc.machine = #tc.machine<chip = "sm_90a",
    multiprocessors = 132, warp_size = 32, max_block_threads = 1024, max_thread_registers = 255,
    block_registers = 65536, block_shared_bytes = 49152>}

// Terms in order; without any there is the neutral element.
// CHECK-LABEL: @reduce
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %arg1 step %{{.*}} iter_args(%[[S:.*]] = %[[ZERO:.*]]) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[I]]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[S]], %[[X]] : f32
// CHECK-NEXT: scf.yield %[[NEXT]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[SUM]], %arg2[]
func.func @reduce(%x: memref<?xf32>, %n: index, %y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  tc.reduce (%i) = (0) to (%n) init(%zero : f32) commutative {
    %a = memref.load %x[%i] : memref<?xf32>
    tc.yield %a : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %y[] : memref<f32>
  }
  return
}

// CHECK-LABEL: @scans
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %arg1 step %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[I]]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[S]], %[[X]] : f32
// CHECK-NEXT: memref.store %[[NEXT]], %arg2[%[[I]]]
// CHECK-NEXT: scf.yield %[[NEXT]] : f32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %arg1 step %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[I]]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[S]], %[[X]] : f32
// CHECK-NEXT: memref.store %[[S]], %arg2[%[[I]]]
// CHECK-NEXT: scf.yield %[[NEXT]] : f32
func.func @scans(%x: memref<?xf32>, %n: index, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.scan (%i) = (0) to (%n) init(%zero : f32) {
    %a = memref.load %x[%i] : memref<?xf32>
    tc.yield %a : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%i: index, %s: f32) {
    memref.store %s, %y[%i] : memref<?xf32>
  }
  tc.scan (%i) = (0) to (%n) init(%zero : f32) exclusive {
    %a = memref.load %x[%i] : memref<?xf32>
    tc.yield %a : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%i: index, %s: f32) {
    memref.store %s, %y[%i] : memref<?xf32>
  }
  return
}
