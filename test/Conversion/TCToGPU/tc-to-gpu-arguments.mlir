// convert-tc-to-gpu: what host and kernel agree on, whatever an index is to either.
//
// RUN: tc-opt %s --convert-tc-to-gpu --cse | FileCheck %s
// RUN: tc-opt %s --tc-to-nvvm | FileCheck %s --check-prefix=PTX

// An index is passed as 32 bits to a kernel of such indices, cut off by the host; the data
// layout of its module says the same to convert-gpu-to-nvvm.
// CHECK-LABEL: @narrow(
// CHECK: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[PASSED:.*]] = arith.trunci %[[WIDE]] : i64 to i32
// CHECK: gpu.launch {{.*}}module(@narrow_kernels) function(@narrow_few)
// CHECK: %[[I:.*]] = arith.index_cast %[[PASSED]] : i32 to index
// CHECK: memref.load %{{.*}}[%[[I]]]
// PTX: .entry narrow_few(
// PTX-SAME: .param .u32 narrow_few_param_0
// PTX-SAME: .param .u64 .ptr .align 1 narrow_few_param_1
func.func @narrow(%A: memref<8xf32>, %n: index) {
  tc.par grid (%i) = (0) to (4) map #tc.map<> attributes {tc.variant = #tc.variant<name = "few", index = 32>} {
    tc.par block (%t) = (0) to (1) map #tc.map<> {
      %x = memref.load %A[%n] : memref<8xf32>
      memref.store %x, %A[%i] : memref<8xf32>
    }
  }
  return
}

// A memref of run-time layout is passed as its buffer, its offset and its strides; two widths
// in one function are two modules.
// CHECK-LABEL: @wide(
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata
// CHECK: %[[O:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK: gpu.launch {{.*}}module(@wide_kernels) function(@wide)
// CHECK: %[[IN:.*]] = arith.index_cast %[[O]] : i64 to index
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[IN]]]
// CHECK: gpu.launch {{.*}}module(@wide_kernels_i32) function(@wide_1)
// CHECK: gpu.module @narrow_kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
// CHECK: gpu.module @wide_kernels {
// CHECK: gpu.module @wide_kernels_i32 attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
func.func @wide(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) {
  tc.par grid (%i) = (0) to (4) map #tc.map<> {
    tc.par block (%t) = (0) to (1) map #tc.map<> {
      %x = memref.load %A[%n, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      memref.store %x, %A[%i, %n] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  tc.par grid (%i) = (0) to (4) map #tc.map<> attributes {tc.variant = #tc.variant<index = 32>} {
    tc.par block (%t) = (0) to (1) map #tc.map<> {
      %x = memref.load %A[%n, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      memref.store %x, %A[%i, %n] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
