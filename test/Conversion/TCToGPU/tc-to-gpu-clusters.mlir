// Clusters of blocks in a kernel: the launch, the numbers of blocks, the barrier, and
// memory of other blocks.
//
// RUN: tc-opt %s --tc-bind --tc-promote --tc-map --tc-sync --convert-tc-to-gpu="chip=sm_90a" | FileCheck %s
// RUN: tc-compile %s --chip=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: not tc-compile %s --chip=sm_80 --emit=ptx 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: 'tc.par' op expected a chip with clusters for a tc.par cluster, sm_90 or later, got sm_80

// The grid counts blocks, the mapping of the grid clusters.
// CHECK-LABEL: @exchange(
// CHECK-DAG: %[[six:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[two:.*]] = arith.constant 2 : index
// CHECK: gpu.launch clusters(%[[g:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[two]], {{.*}}) blocks({{.*}}) in (%{{.*}} = %[[six]], {{.*}})
// CHECK: gpu.cluster_block_id x
// The own row is memory of the block as any other.
// CHECK: memref.store
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: nvvm.mapa
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr<7> -> f32
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
//
// PTX: .entry exchange(
// PTX: %clusterid.x
// PTX: st.shared.b32
// PTX: barrier.cluster.arrive.aligned
// PTX-NEXT: barrier.cluster.wait.aligned
// PTX: mapa.shared::cluster.u32
// PTX: ld.shared::cluster.b32
// PTX: barrier.cluster.arrive.aligned
func.func @exchange(%A: memref<3x2x64xf32>, %B: memref<3x2x64xf32>) {
  tc.par grid (%g) = (0) to (3) {
    %rows = tc.new : memref<2x64xf32>
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %A[%g, %c, %t] : memref<3x2x64xf32>
        memref.store %a, %rows[%c, %t] : memref<2x64xf32>
      }
    }
    tc.par cluster (%c) = (0) to (2) {
      %d = affine.apply affine_map<(c) -> (1 - c)>(%c)
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %rows[%d, %t] : memref<2x64xf32>
        memref.store %a, %B[%g, %c, %t] : memref<3x2x64xf32>
      }
    }
  }
  return
}
