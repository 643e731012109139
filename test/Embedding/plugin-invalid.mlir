// What is wrong is reported by the tool that loaded the plugin.
//
// DEFINE: %{opt} = mlir-opt --load-dialect-plugin=%tc_libs/TCPlugin.so --load-pass-plugin=%tc_libs/TCPlugin.so
// RUN: not %{opt} %s 2>&1 | FileCheck %s --check-prefix=OP
// OP: error: 'tc.contract' op expected 2 subscripts for 'memref<8x4xf32>', got 1
//
// RUN: sed -n '/^func.func @fine/,$p' %s > %t.mlir
// RUN: not %{opt} %t.mlir --pass-pipeline='builtin.module(tc-to-nvvm{chip=sm_1})' 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected one of sm_75, sm_80, {{.*}}, got 'sm_1'
//
// RUN: not %{opt} %t.mlir --pass-pipeline='builtin.module(func.func(tc-tile{size=4}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option size

func.func @ranks(%A: memref<8x4xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, k = 4) ins(%A[i] : memref<8x4xf32>) outs(%C[i] : memref<8xf32>)
  return
}

func.func @fine(%A: memref<8x4xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, k = 4) ins(%A[i, k] : memref<8x4xf32>) outs(%C[i] : memref<8xf32>)
  return
}
