// RUN: tc-opt %s --tc-join-sums | FileCheck %s

// Two of the triples of coupled cluster: one kernel writes t3.
func.func @triples(%t: memref<8x8x8x4xf32>, %v: memref<4x8x8x8xf32>, %w: memref<4x8x8x8xf32>,
                   %t3: memref<8x8x8x8x8x8xf32>) {
  tc.contract (f = 8, e = 8, d = 8, c = 8, b = 8, a = 8, g = 4)
    ins(%t[c, e, f, g] : memref<8x8x8x4xf32>, %v[g, d, b, a] : memref<4x8x8x8xf32>)
    outs(%t3[f, e, d, c, b, a] : memref<8x8x8x8x8x8xf32>)
  tc.contract (f = 8, e = 8, d = 8, c = 8, b = 8, a = 8, g = 4)
    ins(%t[c, e, f, g] : memref<8x8x8x4xf32>, %w[g, d, b, a] : memref<4x8x8x8xf32>)
    outs(%t3[d, f, e, c, b, a] : memref<8x8x8x8x8x8xf32>)
  return
}

// The second takes the names that the first has for the places in t3.
// CHECK-LABEL: @triples
// CHECK: tc.sum {
// CHECK-NEXT: tc.contract (f = 8, e = 8, d = 8, c = 8, b = 8, a = 8, g = 4) ins(%{{.*}}[c, e, f, g]
// CHECK-NEXT: tc.contract (e = 8, d = 8, f = 8, c = 8, b = 8, a = 8, g = 4) ins(%{{.*}}[c, d, e, g]
// CHECK-SAME: outs(%{{.*}}[f, e, d, c, b, a]
