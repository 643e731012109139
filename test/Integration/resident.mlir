// Of dynamic strides the model takes others than what is legal depends on: the tile of
// this input is smaller with them, so that two more blocks would fit.
//
// RUN: tc-compile %s --emit=tc | FileCheck %s --check-prefix=TC
// TC: resident = 16, kernel = fma

func.func @program(%A: memref<?xf32>, %B: memref<?x?xf32>, %Z: memref<?xf32>, %k0: index, %k1: index, %k2: index, %k3: index, %k4: index, %k5: index, %k6: index, %k7: index, %k8: index, %k9: index, %k10: index, %k11: index, %k12: index, %k13: index) {
  %A_view = memref.reinterpret_cast %A to offset: [%k0], sizes: [%k1, %k2, %k3], strides: [%k4, %k5, %k6] : memref<?xf32> to memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
  %Z_view = memref.reinterpret_cast %Z to offset: [%k7], sizes: [%k8, %k9, %k10], strides: [%k11, %k12, %k13] : memref<?xf32> to memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
  linalg.depthwise_conv_1d_nwc_wc {dilations = dense<[2]> : vector<1xi64>, strides = dense<[1]> : vector<1xi64>} ins(%A_view, %B : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, memref<?x?xf32>) outs(%Z_view : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>)
  return
}
