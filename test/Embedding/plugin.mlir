// Stock mlir-opt with the plugin: the dialect, one pass, the pipelines; each of the two
// kinds of plugin without the other.
//
// DEFINE: %{dialects} = mlir-opt --load-dialect-plugin=%tc_libs/TCPlugin.so
// DEFINE: %{both} = %{dialects} --load-pass-plugin=%tc_libs/TCPlugin.so
//
// RUN: %{dialects} --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: {{[ ,]}}tc,
//
// Round trip, pretty and generic.
// RUN: %{dialects} %s | %{dialects} | FileCheck %s --check-prefix=ROUND
// RUN: %{dialects} %s --mlir-print-op-generic | %{dialects} | FileCheck %s --check-prefix=ROUND
// ROUND-LABEL: @tensors
// ROUND: tc.contract (i = 32, j = 48, k = 64) ins(%{{.*}}[i, k] : tensor<32x64xf32>
//
// The interfaces of the ops come with the dialect: upstream's passes use them.
// RUN: %{dialects} %s --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s --check-prefix=BUFFERS
// BUFFERS-LABEL: @tensors
// BUFFERS: tc.contract {{.*}} outs(%{{.*}}[i, j] : memref<32x48xf32
//
// RUN: %{dialects} %s --transform-preload-library=transform-library-paths=%S/../IR/Inputs/tile.mlir \
// RUN:   --transform-interpreter | FileCheck %s --check-prefix=TILES
// TILES-LABEL: @tensors
// TILES-COUNT-2: scf.for
// TILES: tc.contract (i = 4, j = 48, k = %
//
// So do the steps of transform scripts.
// RUN: %{dialects} %S/../Docs/step-wavefront.mlir --transform-interpreter \
// RUN:   | FileCheck %S/../Docs/step-wavefront.mlir
//
// One pass, and all of them.
// RUN: %{both} %s --pass-pipeline='builtin.module(func.func(convert-linalg-to-tc))' \
// RUN:   | FileCheck %s --check-prefix=PASS
// PASS-LABEL: @named
// PASS: tc.contract
//
// RUN: %{both} %s --pass-pipeline='builtin.module(tc-to-nvvm{chip=sm_90a})' \
// RUN:   | FileCheck %s --check-prefix=NVVM
// NVVM: llvm.func @tensors
// NVVM: gpu.binary @tensors_kernels
// NVVM-SAME: .target sm_90a
// NVVM: gpu.binary @named_kernels
//
// Passes alone bring the dialect that they make ops of.
// RUN: sed -n '/^func.func @named/,$p' %s \
// RUN:   | mlir-opt --load-pass-plugin=%tc_libs/TCPlugin.so --pass-pipeline='builtin.module(tc-to-nvvm)' \
// RUN:   | FileCheck %s --check-prefix=ALONE
// ALONE: gpu.binary @named_kernels
// ALONE-SAME: .target sm_90a
//
// The same as what tc-opt makes, to the letter.
// RUN: %{both} %s --pass-pipeline='builtin.module(tc-to-nvvm)' > %t.plugin
// RUN: tc-opt %s --tc-to-nvvm > %t.own
// RUN: sed -i 's/LLVMIRToISATimeInMs = [0-9]*//' %t.plugin %t.own
// RUN: diff %t.plugin %t.own

func.func @tensors(%A: tensor<32x64xf32>, %B: tensor<64x48xf32>, %C: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %r = tc.contract (i = 32, j = 48, k = 64) ins(%A[i, k] : tensor<32x64xf32>, %B[k, j] : tensor<64x48xf32>)
      outs(%C[i, j] : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %r : tensor<32x48xf32>
}

func.func @named(%A: tensor<32x64xf32>, %B: tensor<64x48xf32>, %C: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<32x64xf32>, tensor<64x48xf32>) outs(%C : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %r : tensor<32x48xf32>
}
