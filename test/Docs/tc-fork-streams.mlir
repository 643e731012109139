// RUN: tc-opt %s --tc-fork-streams | FileCheck %s

// The second copy goes on with the stream of the first; the third, which waits for the first,
// too, gets a stream of its own; and the fourth one that both are joined to.
func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>) {
  %0 = gpu.memcpy async %a, %d : memref<8xf32>, memref<8xf32>
  %1 = gpu.memcpy async [%0] %b, %a : memref<8xf32>, memref<8xf32>
  %2 = gpu.memcpy async [%0] %c, %a : memref<8xf32>, memref<8xf32>
  %3 = gpu.memcpy async [%1, %2] %a, %d : memref<8xf32>, memref<8xf32>
  gpu.wait [%3]
  return
}

// CHECK-LABEL: func.func @f
// CHECK: %[[S:.*]] = gpu.wait async
// CHECK: %[[T0:.*]] = gpu.memcpy async [%[[S]]]
// CHECK: %[[FORK:.*]] = gpu.wait async [%[[T0]]]
// CHECK: %[[T1:.*]] = gpu.memcpy async [%[[T0]]]
// CHECK: %[[T2:.*]] = gpu.memcpy async [%[[FORK]]]
// CHECK: %[[JOIN:.*]] = gpu.wait async [%[[T1]], %[[T2]]]
// CHECK: %[[T3:.*]] = gpu.memcpy async [%[[JOIN]]]
// CHECK: gpu.wait [%[[T3]]]
// CHECK: gpu.wait [%[[T1]], %[[T2]]]
// CHECK: return
