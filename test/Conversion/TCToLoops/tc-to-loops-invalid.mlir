// RUN: tc-opt %s --convert-tc-to-loops --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected memrefs, got tensors: bufferize first}}
  %r = tc.contract (a = 4) ins(%x[a] : tensor<4xf32>) outs(%z[a] : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @layout() {
  // expected-error@+1 {{expected a result with a static offset and static strides of at least 0, got 'memref<4xf32, strided<[-1], offset: 3>>'}}
  %b = tc.new : memref<4xf32, strided<[-1], offset: 3>>
  return
}

// -----

func.func @barrier(%x: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par block (%i) = (0) to (4) {
    memref.store %zero, %x[%i] : memref<4xf32>
    // expected-error@+1 {{expected no barrier between the ops of a 'tc.par block', which runs as a loop}}
    gpu.barrier
    %v = memref.load %x[%i] : memref<4xf32>
  }
  return
}
