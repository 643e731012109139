// Requests that cannot be carried out.
//
// RUN: tc-opt %s --tc-bind --tc-cache --split-input-file --verify-diagnostics

func.func @of_a_thread(%A: memref<64xf32>, %B: memref<64xf32>) {
  tc.par device (%i) = (0) to (64) {
    // expected-error @+1 {{expected to be between the tc.par of a grid, where the threads of a block can copy together}}
    tc.cache %A : memref<64xf32>
    %x = memref.load %A[%i] : memref<64xf32>
    memref.store %x, %B[%i] : memref<64xf32>
  }
  return
}

// -----

func.func @written(%A: memref<64xf32>) {
  tc.par (%i) = (0) to (64) step (32) {
    tc.cache %A : memref<64xf32>
    tc.par (%t) = (0) to (32) {
      %j = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      %x = memref.load %A[%j] : memref<64xf32>
      // expected-error @+1 {{expected loads of the buffer itself after a tc.cache of it}}
      memref.store %x, %A[%j] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @unused(%A: memref<64xf32>) {
  tc.par (%i) = (0) to (64) {
    // expected-error @+1 {{expected loads of the buffer after it}}
    tc.cache %A : memref<64xf32>
  }
  return
}

// -----

func.func @a_view(%A: memref<64xf32>, %B: memref<64xf32>) {
  tc.par (%i) = (0) to (2) {
    %v = tc.view %A <offset = 32, sizes = [32], strides = [1]> : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
    // expected-error @+1 {{expected a buffer, not a view of one}}
    tc.cache %v : memref<32xf32, strided<[1], offset: 32>>
  }
  return
}

// -----

func.func @indirect(%A: memref<64xf32>, %I: memref<64xindex>, %B: memref<64xf32>) {
  tc.par (%i) = (0) to (64) step (32) {
    tc.cache %A : memref<64xf32>
    tc.par (%t) = (0) to (32) {
      %j = memref.load %I[%t] : memref<64xindex>
      // expected-error @+1 {{expected subscript 0 to be linear in indices of constant extents, for the tc.cache of the buffer}}
      %x = memref.load %A[%j] : memref<64xf32>
      memref.store %x, %B[%t] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @dynamic(%A: memref<64xf32>, %B: memref<64xf32>, %n: index) {
  tc.par (%i) = (0) to (64) step (32) {
    tc.cache %A : memref<64xf32>
    tc.par (%t) = (0) to (%n) {
      // expected-error @+1 {{expected subscript 0 to be linear in indices of constant extents}}
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %B[%t] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @far_apart(%A: memref<64xf32>, %B: memref<64xf32>) {
  tc.par (%i) = (0) to (64) step (32) {
    tc.cache %A : memref<64xf32>
    tc.par (%t) = (0) to (32) {
      %j = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      %x = memref.load %A[%t] : memref<64xf32>
      // expected-error @+1 {{expected subscript 0 to be a constant apart from that of the other loads of the buffer}}
      %y = memref.load %A[%j] : memref<64xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %B[%j] : memref<64xf32>
    }
  }
  return
}
