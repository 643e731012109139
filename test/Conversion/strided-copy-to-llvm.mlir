// gpu-to-llvm calls the runtime for a copy from or to a view, with where it begins, extents, and
// strides of both; a dense copy stays upstream's.
//
// RUN: mlir-opt %s --load-dialect-plugin=%tc_libs/TCPlugin.so --load-pass-plugin=%tc_libs/TCPlugin.so \
// RUN:   --pass-pipeline="builtin.module(tc-drop-host-space,func.func(tc-fork-streams),convert-func-to-llvm,gpu-to-llvm)" \
// RUN:   | FileCheck %s

// CHECK-LABEL: llvm.func @view
// CHECK: llvm.alloca
// CHECK: llvm.getelementptr
// CHECK: llvm.call @tcMgpuCopy(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NOT: mgpuMemcpy
// CHECK-LABEL: llvm.func @dense
// CHECK-NOT: tcMgpuCopy
// CHECK: llvm.call @mgpuMemcpy
func.func @view(%a: memref<4x8xf32>, %b: memref<4x8xf32, strided<[16, 1], offset: 3>>) {
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %b, %a : memref<4x8xf32, strided<[16, 1], offset: 3>>, memref<4x8xf32>
  gpu.wait [%1]
  return
}
func.func @dense(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %b, %a : memref<4x8xf32>, memref<4x8xf32>
  gpu.wait [%1]
  return
}
