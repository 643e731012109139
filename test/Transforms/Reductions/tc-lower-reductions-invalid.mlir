// What no level suits, and what no buffer holds.
//
// RUN: tc-opt %s --tc-lower-reductions --split-input-file --verify-diagnostics

func.func @device_in_a_nest(%x: f32) {
  tc.par grid (%i) = (0) to (4) {
    tc.par block (%k) = (0) to (4) {
      // expected-error@+1 {{expected level 'device' outside of any tc.par, tc.reduce and tc.scan, or alone in an outermost tc.par and over as many terms in each iteration}}
      tc.reduce device (%j) = (0) to (4) init(%x : f32) {
        tc.yield %x : f32
      } combine (%a: f32, %b: f32) {
        tc.yield %a : f32
      } finish (%s: f32) {
      }
    }
  }
  return
}

// -----

func.func @segments_beside_a_store(%x: f32, %m: memref<4xf32>) {
  tc.par (%i) = (0) to (4) {
    memref.store %x, %m[%i] : memref<4xf32>
    // expected-error@+1 {{expected level 'device' outside of any tc.par, tc.reduce and tc.scan, or alone in an outermost tc.par and over as many terms in each iteration}}
    tc.reduce device (%j) = (0) to (4) init(%x : f32) {
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %a : f32
    } finish (%s: f32) {
    }
  }
  return
}

// -----

func.func @segments_of_different_lengths(%x: f32) {
  tc.par (%i) = (0) to (4) {
    // expected-error@+1 {{expected level 'device' outside of any tc.par, tc.reduce and tc.scan, or alone in an outermost tc.par and over as many terms in each iteration}}
    tc.reduce device (%j) = (0) to (%i) init(%x : f32) {
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %a : f32
    } finish (%s: f32) {
    }
  }
  return
}

// -----

func.func @segments_of_a_block(%x: f32) {
  tc.par block (%i) = (0) to (4) {
    // expected-error@+1 {{expected level 'device' outside of any tc.par, tc.reduce and tc.scan, or alone in an outermost tc.par and over as many terms in each iteration}}
    tc.reduce device (%j) = (0) to (4) init(%x : f32) {
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %a : f32
    } finish (%s: f32) {
    }
  }
  return
}

// -----

func.func @block_without_a_grid(%x: f32) {
  // expected-error@+1 {{expected level 'block' in a tc.par grid or cluster, and in no other tc.par, tc.reduce or tc.scan but a tc.par block that it is alone in, over as many terms in each iteration}}
  tc.scan block (%j) = (0) to (4) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%j: index, %s: f32) {
  }
  return
}

// -----

func.func @block_in_a_thread(%x: f32) {
  tc.par grid (%i) = (0) to (4) {
    tc.par thread (%k) = (0) to (4) {
      // expected-error@+1 {{expected level 'block' in a tc.par grid or cluster, and in no other tc.par, tc.reduce or tc.scan but a tc.par block that it is alone in, over as many terms in each iteration}}
      tc.reduce block (%j) = (0) to (4) init(%x : f32) {
        tc.yield %x : f32
      } combine (%a: f32, %b: f32) {
        tc.yield %a : f32
      } finish (%s: f32) {
      }
    }
  }
  return
}

// -----

func.func @block_of_rows_of_different_lengths(%x: f32) {
  tc.par grid (%i) = (0) to (4) {
    tc.par block (%k) = (0) to (4) {
      // expected-error@+1 {{expected level 'block' in a tc.par grid or cluster, and in no other tc.par, tc.reduce or tc.scan but a tc.par block that it is alone in, over as many terms in each iteration}}
      tc.reduce block (%j) = (0) to (%k) init(%x : f32) {
        tc.yield %x : f32
      } combine (%a: f32, %b: f32) {
        tc.yield %a : f32
      } finish (%s: f32) {
      }
    }
  }
  return
}

// -----

func.func @block_beside_another(%x: f32) {
  tc.par grid (%i) = (0) to (4) {
    tc.par block (%k) = (0) to (4) {
      // expected-error@+1 {{expected level 'block' in a tc.par grid or cluster, and in no other tc.par, tc.reduce or tc.scan but a tc.par block that it is alone in, over as many terms in each iteration}}
      tc.reduce block (%j) = (0) to (4) init(%x : f32) {
        tc.yield %x : f32
      } combine (%a: f32, %b: f32) {
        tc.yield %a : f32
      } finish (%s: f32) {
      }
      gpu.barrier
    }
  }
  return
}

// -----

func.func @thread_on_the_host(%x: f32) {
  // expected-error@+1 {{expected level 'thread' in a tc.par, tc.reduce or tc.scan}}
  tc.reduce thread (%j) = (0) to (4) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%s: f32) {
  }
  return
}

// -----

func.func @warp_of_a_grid(%x: f32) {
  tc.par grid (%i) = (0) to (4) {
    // expected-error@+1 {{expected level 'warp' in a tc.par block, whose iterations then are teams, and in no tc.reduce or tc.scan}}
    tc.reduce warp (%j) = (0) to (4) init(%x : f32) {
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %a : f32
    } finish (%s: f32) {
    }
  }
  return
}

// -----

func.func @grid(%x: f32) {
  // expected-error@+1 {{expected level 'device' where all blocks take part, got 'grid'}}
  tc.reduce grid (%j) = (0) to (4) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %a : f32
  } finish (%s: f32) {
  }
  return
}

// -----

func.func @types(%x: vector<4xf32>) {
  // expected-error@+1 {{expected integers, floats, complex numbers or indices between threads, got 'vector<4xf32>'}}
  tc.reduce (%j) = (0) to (4) init(%x : vector<4xf32>) {
    tc.yield %x : vector<4xf32>
  } combine (%a: vector<4xf32>, %b: vector<4xf32>) {
    tc.yield %a : vector<4xf32>
  } finish (%s: vector<4xf32>) {
  }
  return
}
