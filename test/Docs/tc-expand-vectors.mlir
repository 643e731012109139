// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-expand-vectors))" | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @add
  gpu.func @add(%x: memref<2x4xf32>, %y: memref<4xf32>) kernel {
    %zero = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    // CHECK: %[[FIRST:.*]] = vector.load %{{.*}}[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
    // CHECK: %[[SECOND:.*]] = vector.load %{{.*}}[%c1, %c0] : memref<2x4xf32>, vector<4xf32>
    %rows = vector.transfer_read %x[%zero, %zero], %pad {in_bounds = [true, true]}
      : memref<2x4xf32>, vector<2x4xf32>
    // CHECK: %[[START:.*]] = arith.addf %[[FIRST]], %{{.*}} : vector<4xf32>
    // CHECK: %[[SUM:.*]] = arith.addf %[[SECOND]], %[[START]] : vector<4xf32>
    %zeros = arith.constant dense<0.0> : vector<4xf32>
    %sum = vector.multi_reduction <add>, %rows, %zeros [0] : vector<2x4xf32> to vector<4xf32>
    // CHECK: vector.store %[[SUM]], %{{.*}}[%c0] : memref<4xf32>, vector<4xf32>
    vector.transfer_write %sum, %y[%zero] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
    gpu.return
  }
}
