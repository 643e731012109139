// Contractions that cannot be unrolled for one thread.
//
// RUN: tc-opt %s --tc-lower-microkernel --split-input-file --verify-diagnostics

func.func @unbounded(%A: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  tc.par block (%t) = (0) to (1) {
    // expected-error @+1 {{'tc.contract' op expected 'i' to have a static extent, or to index an operand of static size}}
    tc.contract (i = %n) ins(%A[i] : memref<?xf32>) outs(%C[i] : memref<?xf32>)
  }
  return
}

// -----

func.func @many(%A: memref<64x65xf32>, %C: memref<64x65xf32>) {
  tc.par block (%t) = (0) to (1) {
    // expected-error @+1 {{expected at most 4096 results of one thread}}
    tc.contract (i = 64, j = 65) ins(%A[i, j] : memref<64x65xf32>) outs(%C[i, j] : memref<64x65xf32>)
  }
  return
}

// -----

func.func @tensors(%A: tensor<8xf32>, %C: tensor<8xf32>) {
  tc.par block (%t) = (0) to (1) {
    // expected-error @+1 {{expected memrefs, got 'tensor<8xf32>'; bufferize first}}
    %r = tc.contract (i = 8) ins(%A[i] : tensor<8xf32>) outs(%C[i] : tensor<8xf32>) -> tensor<8xf32>
  }
  return
}
