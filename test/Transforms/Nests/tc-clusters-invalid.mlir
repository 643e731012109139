// Clusters that cannot be.
//
// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-bind --tc-promote --tc-map --tc-sync --convert-tc-to-gpu="chip=sm_90a"

func.func @large(%x: memref<4x9xf32>, %v: f32) {
  tc.par grid (%g) = (0) to (4) {
    // expected-error @+1 {{'tc.par' op expected axis x of the cluster to be at most 8, got 9}}
    tc.par cluster (%c) = (0) to (9) {
      memref.store %v, %x[%g, %c] : memref<4x9xf32>
    }
  }
  return
}

// -----

func.func @dynamic(%x: memref<4x?xf32>, %n: index, %v: f32) {
  tc.par grid (%g) = (0) to (4) {
    // expected-error @+1 {{expected axis x of the cluster to be at most 8, got a dynamic one}}
    tc.par cluster (%c) = (0) to (%n) {
      memref.store %v, %x[%g, %c] : memref<4x?xf32>
    }
  }
  return
}

// -----

func.func @rows(%x: memref<4x2x64xf32>) {
  tc.par grid (%g) = (0) to (4) {
    // expected-error @+1 {{expected the first dimension of a buffer of a cluster in shared memory to number its 2 blocks, each of which has a row, got 'memref<64xf32, #gpu.address_space<workgroup>>'; a buffer of each block belongs into the tc.par cluster}}
    %all = tc.new : memref<64xf32, #gpu.address_space<workgroup>>
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (32) {
        %u = affine.apply affine_map<(c, t) -> (c * 32 + t)>(%c, %t)
        %a = memref.load %x[%g, %c, %t] : memref<4x2x64xf32>
        memref.store %a, %all[%u] : memref<64xf32, #gpu.address_space<workgroup>>
      }
    }
  }
  return
}

// -----

func.func @reduced(%A: memref<4x2x64xf32>, %B: memref<4x2xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%g) = (0) to (4) {
    tc.par cluster (%c) = (0) to (2) {
      tc.par cluster (%d) = (0) to (1) {}
      // expected-error @-1 {{expected a level inside of 'cluster', got 'cluster'}}
    }
  }
  return
}

// -----

func.func @vectors(%x: memref<4x2xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %all = tc.new : memref<2x64xf32, #gpu.address_space<workgroup>>
    tc.par cluster (%c) = (0) to (2) {
      %row = memref.subview %all[%c, 0] [1, 64] [1, 1] : memref<2x64xf32, #gpu.address_space<workgroup>> to memref<64xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
      tc.par block (%t) = (0) to (1) {
        // expected-error @+1 {{'vector.load' op expected a buffer of a cluster in shared memory to be used by memref.load, memref.store, memref.atomic_rmw and tc.ptx alone}}
        %v = vector.load %row[%t] : memref<64xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>, vector<4xf32>
        %a = vector.extract %v[0] : f32 from vector<4xf32>
        memref.store %a, %x[%g, %c] : memref<4x2xf32>
      }
    }
  }
  return
}
