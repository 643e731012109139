// A tc.contract is fused into the tiles of its consumer.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/fuse.mlir \
// RUN:   --transform-interpreter --canonicalize --cse > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %check_phases %t.mlir --reference=%s

// CHECK-LABEL: @producer
// CHECK: scf.for %[[B:.*]] =
// CHECK: %[[P:.*]] = tc.contract (a = 6, b = 2, q = 5) ins(%{{.*}}[a, q] : {{.*}}, %{{.*}}[q, b] : {{.*}}) outs(%{{.*}}[a, b] : {{.*}}) overwrite
// CHECK: tc.contract (b = 2, a = 6) ins(%[[P]][a, b] : {{.*}}) outs(%{{.*}}[b, a] : {{.*}})
func.func @producer(%A: tensor<6x5xf32>, %B: tensor<5x8xf32>, %C: tensor<6x8xf32>, %D: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %p = tc.contract (a = 6, b = 8, q = 5) ins(%A[a, q] : tensor<6x5xf32>, %B[q, b] : tensor<5x8xf32>)
      outs(%C[a, b] : tensor<6x8xf32>) overwrite {producer} -> tensor<6x8xf32>
  %r = tc.contract (b = 8, a = 6) ins(%p[a, b] : tensor<6x8xf32>) outs(%D[b, a] : tensor<8x6xf32>)
      {consumer} -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
