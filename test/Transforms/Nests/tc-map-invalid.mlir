// Index spaces that no thread space is large enough for, and mappings that do not apply.
//
// RUN: tc-opt %s --tc-map --split-input-file --verify-diagnostics

func.func @dynamic(%n: index) {
  tc.par grid (%i) = (0) to (%n) {
    // expected-error @+1 {{expected axis x of the block to be at most 1024, got a dynamic one}}
    tc.par block (%t) = (0) to (%n) map #tc.map<permute(0)> {
    }
  }
  return
}

// -----

func.func @threads() {
  tc.par grid (%i) = (0) to (1) {
    // expected-error @+1 {{expected axis x of the block to be at most 1024, got 1056}}
    tc.par block (%a, %b) = (0, 0) to (33, 32) map #tc.map<fold_last2> {
    }
  }
  return
}

// -----

func.func @threads_of_axes() {
  tc.par grid (%i) = (0) to (1) {
    // expected-error @+1 {{expected at most 1024 threads in a block, got 2048}}
    tc.par block (%a, %b) = (0, 0) to (32, 64) map #tc.map<permute(0, 1)> {
    }
  }
  return
}

// -----

func.func @axis_z() {
  tc.par grid (%i) = (0) to (1) {
    // expected-error @+1 {{expected axis z of the block to be at most 64, got 65}}
    tc.par block (%a, %b, %c) = (0, 0, 0) to (65, 1, 1) map #tc.map<permute(0, 1, 2)> {
    }
  }
  return
}

// -----

func.func @axis_y() {
  // expected-error @+1 {{expected axis y of the grid to be at most 65535, got 65536}}
  tc.par grid (%i, %j) = (0, 0) to (65536, 1) map #tc.map<permute(0, 1)> {
  }
  return
}

// -----

func.func @four_axes() {
  // expected-error @+1 {{expected a mapping to at most 3 axes, got 4}}
  tc.par grid (%i, %j, %k, %l) = (0, 0, 0, 0) to (2, 2, 2, 2) map #tc.map<shift_lb> {
  }
  return
}

// -----

func.func @fold_of_one() {
  // expected-error @+1 {{cannot be mapped: fold_last2 at place 1: expected an index space of rank at least 2, got rank 1}}
  tc.par grid (%i) = (0) to (8) map #tc.map<fold_last2> {
  }
  return
}

// -----

func.func @permutation() {
  // expected-error @+1 {{cannot be mapped: permute}}
  tc.par grid (%i, %j) = (0, 0) to (8, 8) map #tc.map<permute(0, 1, 2)> {
  }
  return
}

// -----

func.func @too_many_points() {
  // expected-error @+1 {{cannot be mapped: expected at most 2^63-1 indices after fold_last2, got 4294967296 x 4294967296}}
  tc.par grid (%i, %j) = (0, 0) to (4294967296, 4294967296) {
  }
  return
}

// -----

func.func @too_many_blocks() {
  // expected-error @+1 {{cannot be mapped: expected at most 65535 for grid z, got}}
  tc.par grid (%i) = (0) to (9223372036854775807) {
  }
  return
}

// -----

func.func @full() {
  tc.par grid (%i) = (0) to (1) {
    // expected-error @+1 {{expected a thread for each iteration of 'full', at most 1024}}
    tc.par full block (%a) = (0) to (1025) {
    }
  }
  return
}

// -----

func.func @full_warp() {
  tc.par grid (%i) = (0) to (1) {
    // expected-error @+1 {{expected a thread for each iteration of 'full', at most 32}}
    tc.par full warp (%a) = (0) to (33) {
    }
  }
  return
}

// -----

func.func @alignment() {
  tc.par grid (%i) = (0) to (1) {
    // expected-error @+1 {{expected an alignment that divides 32 on level 'warp', got 64}}
    tc.par full align(64) warp (%a) = (0) to (32) {
    }
  }
  return
}

// -----

func.func @many_warps() {
  tc.par grid (%i) = (0) to (1) {
    // expected-error @+1 {{expected axis x of the block to be at most 32, got 33}}
    tc.par block (%w) = (0) to (33) map #tc.map<> {
      tc.par warp (%a) = (0) to (32) {
      }
    }
  }
  return
}

// -----

func.func @serial_grid() {
  // expected-error @+1 {{expected no serial dimensions of a grid}}
  tc.par grid (%i, %j) = (0, 0) to (8, 8) map #tc.map<serial(1)> {
  }
  return
}

// -----

func.func @grid_block() {
  // expected-error @+1 {{expected no grid_block in a mapping to the grid}}
  tc.par grid (%i, %j) = (0, 0) to (8, 8) map #tc.map<grid_block(1)> {
  }
  return
}

// -----

func.func @device_by_hand() {
  // expected-error @+1 {{expected a mapping that ends in grid_block}}
  tc.par device (%i) = (0) to (8) map #tc.map<> {
  }
  return
}

// -----

// Lanes would take turns, and those of one lane would meet in its part of the buffer.
func.func @parts(%A: memref<8x8xf32>) {
  tc.par block (%b) = (0) to (1) {
    // expected-note @+1 {{that buffer}}
    %own = tc.new threads(2) : memref<8x8xf32, #gpu.address_space<private>>
    // expected-error @+1 {{expected a thread for each iteration, at most 32, where a buffer has a part for each thread}}
    tc.par warp (%i, %j) = (0, 0) to (8, 8) {
      %x = memref.load %A[%i, %j] : memref<8x8xf32>
      memref.store %x, %own[%i, %j] : memref<8x8xf32, #gpu.address_space<private>>
    }
  }
  return
}
