// Loops as parts of a graph: a chain of launches carries one token, and independent iterations carry
// four, of which each goes on with the oldest.
//
// RUN: tc-opt %s --tc-async | FileCheck %s
// RUN: tc-opt %s --tc-async --remarks-filter=tc-async 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --tc-async --tc-fork-streams | FileCheck %s --check-prefix=STREAMS

// What does not conflict with the loop goes beside it; what does comes after its last iteration.
//
// CHECK-LABEL: func.func @chain
// CHECK: %[[START:.*]] = gpu.memcpy async %{{.*}}, %
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[START]]) -> (!gpu.async.token) {
// CHECK:   %[[A:.*]] = gpu.memcpy async [%[[T]]]
// CHECK:   %[[B:.*]] = gpu.memcpy async [%[[A]]]
// CHECK:   scf.yield %[[B]]
// CHECK: }
// CHECK: %[[BESIDE:.*]] = gpu.memcpy async %{{.*}}, %
// CHECK: %[[LATER:.*]] = gpu.memcpy async [%[[LOOP]]]
// CHECK: gpu.wait [%[[BESIDE]], %[[LATER]]]
//
// STREAMS-LABEL: func.func @chain
// STREAMS: %[[S:.*]] = gpu.wait async
// STREAMS: %[[START:.*]] = gpu.memcpy async [%[[S]]]
// STREAMS: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[START]])
// STREAMS:   gpu.memcpy async [%[[T]]]
// STREAMS: %[[LATER:.*]] = gpu.memcpy async [%[[LOOP]]]
func.func @chain(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>,
                 %e: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.memcpy %a, %c : memref<8xf32>, memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    gpu.memcpy %b, %a : memref<8xf32>, memref<8xf32>
    gpu.memcpy %a, %b : memref<8xf32>, memref<8xf32>
  }
  gpu.memcpy %d, %c : memref<8xf32>, memref<8xf32>
  gpu.memcpy %e, %b : memref<8xf32>, memref<8xf32>
  return
}

// Each stream is made before the loop, and given back after it.
//
// CHECK-LABEL: func.func @independent
// CHECK: %[[START:.*]] = gpu.wait async
// CHECK-NOT: gpu.wait
// CHECK: %[[R:.*]]:4 = scf.for {{.*}} iter_args(%[[T0:.*]] = %[[START]], %[[T1:.*]] = %[[START]], %[[T2:.*]] = %[[START]], %[[T3:.*]] = %[[START]])
// CHECK:   %[[A:.*]] = gpu.memcpy async [%[[T0]]]
// CHECK:   %[[B:.*]] = gpu.memcpy async [%[[A]]]
// CHECK:   scf.yield %[[T1]], %[[T2]], %[[T3]], %[[B]]
// CHECK: } {tc.independent}
// CHECK: gpu.wait [%[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3]
//
// REMARK: Dealt{{.*}}the iterations are dealt out to 4 streams
//
// STREAMS-LABEL: func.func @independent
// STREAMS: %[[S0:.*]] = gpu.wait async
// STREAMS: %[[S1:.*]] = gpu.wait async [%[[S0]]]
// STREAMS: %[[S2:.*]] = gpu.wait async [%[[S0]]]
// STREAMS: %[[S3:.*]] = gpu.wait async [%[[S0]]]
// STREAMS: %[[R:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %[[S0]], %{{.*}} = %[[S1]], %{{.*}} = %[[S2]], %{{.*}} = %[[S3]])
// STREAMS-NOT: gpu.wait
// STREAMS: gpu.wait [%[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[S0]], %[[S1]], %[[S2]], %[[S3]]]
func.func @independent(%x: memref<16x8xf32>, %y: memref<16x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1]
      : memref<16x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1]
      : memref<16x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    gpu.memcpy %a, %b : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32, strided<[1], offset: ?>>
    gpu.memcpy %b, %a : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32, strided<[1], offset: ?>>
  } {tc.independent}
  return
}

// Two iterations want two streams; and a ring goes through loops that are one in the other.
//
// CHECK-LABEL: func.func @both
// CHECK: %[[R:.*]]:4 = scf.for {{.*}} iter_args(%[[T0:.*]] = %{{.*}}, %[[T1:.*]] = %{{.*}}, %[[T2:.*]] = %{{.*}}, %[[T3:.*]] = %{{.*}})
// CHECK:   %[[S:.*]]:4 = scf.for {{.*}} iter_args(%[[U0:.*]] = %[[T0]], %[[U1:.*]] = %[[T1]], %[[U2:.*]] = %[[T2]], %[[U3:.*]] = %[[T3]])
// CHECK:     %[[A:.*]] = gpu.memcpy async [%[[U0]]]
// CHECK:     scf.yield %[[U1]], %[[U2]], %[[U3]], %[[A]]
// CHECK:   scf.yield %[[S]]#0, %[[S]]#1, %[[S]]#2, %[[S]]#3
// CHECK: %[[P:.*]]:2 = scf.for
// CHECK: gpu.wait [%[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[P]]#0, %[[P]]#1]
func.func @both(%x: memref<4x4x8xf32>, %y: memref<8xf32>, %z: memref<4x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %a = memref.subview %x[%i, %j, 0] [1, 1, 8] [1, 1, 1]
        : memref<4x4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      gpu.memcpy %a, %y : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32>
    } {tc.independent}
  } {tc.independent}
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.subview %z[%i, 0, 0] [1, 1, 8] [1, 1, 1]
      : memref<4x4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    gpu.memcpy %a, %y : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32>
  } {tc.independent}
  return
}

// Buffers go round with the tokens, and others may be written meanwhile.
//
// CHECK-LABEL: func.func @buffers
// CHECK-COUNT-4: gpu.alloc async
// CHECK: %[[R:.*]]:8 = scf.for {{.*}} iter_args(%[[B0:[^ ]*]] = {{.*}} -> (memref<8xf32>, memref<8xf32>, memref<8xf32>, memref<8xf32>, !gpu.async.token,
// CHECK-NOT: gpu.alloc
// CHECK:   gpu.memcpy async [%{{.*}}] %[[B0]], %
// CHECK-NOT: gpu.dealloc
// CHECK: } {tc.independent}
// CHECK-COUNT-4: gpu.dealloc async [%[[R]]#4, %[[R]]#5, %[[R]]#6, %[[R]]#7]
// CHECK: gpu.memcpy async %{{.*}}, %
func.func @buffers(%x: memref<16x8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %start = gpu.wait async
    %b, %made = gpu.alloc async [%start] () : memref<8xf32>
    gpu.wait [%made]
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1]
      : memref<16x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    gpu.memcpy %b, %y : memref<8xf32>, memref<8xf32>
    gpu.memcpy %a, %b : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32>
    gpu.dealloc %b : memref<8xf32>
  } {tc.independent}
  gpu.memcpy %z, %y : memref<8xf32>, memref<8xf32>
  return
}

// An iteration that the host has to wait for is not dealt out.
//
// CHECK-LABEL: func.func @host
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: gpu.wait
// CHECK: memref.load
// REMARK: NotDealt{{.*}}an iteration has more than launches, copies, and buffers of sizes that are known outside
func.func @host(%x: memref<16xf32>, %y: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %x[%i] [1] [1] : memref<16xf32> to memref<1xf32, strided<[1], offset: ?>>
    %b = memref.subview %y[%i] [1] [1] : memref<16xf32> to memref<1xf32, strided<[1], offset: ?>>
    gpu.memcpy %a, %b : memref<1xf32, strided<[1], offset: ?>>, memref<1xf32, strided<[1], offset: ?>>
    %v = memref.load %x[%i] : memref<16xf32>
    memref.store %v, %y[%i] : memref<16xf32>
  } {tc.independent}
  return
}
