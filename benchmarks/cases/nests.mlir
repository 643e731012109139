// Nests whose mapping tc-map chooses, at the sizes of real programs. Each function
// has one tc.par without a mapping; benchmarks/nests.py compares mappings of it.

func.func @copy_inner_first(%A: memref<2048x2048xf32>, %B: memref<2048x2048xf32>) {
  tc.par device (%j, %i) = (0, 0) to (2048, 2048) {
    %a = memref.load %A[%i, %j] : memref<2048x2048xf32>
    memref.store %a, %B[%i, %j] : memref<2048x2048xf32>
  }
  return
}

func.func @transpose(%A: memref<2048x2048xf32>, %B: memref<2048x2048xf32>) {
  tc.par device (%i, %j) = (0, 0) to (2048, 2048) {
    %a = memref.load %A[%i, %j] : memref<2048x2048xf32>
    memref.store %a, %B[%j, %i] : memref<2048x2048xf32>
  }
  return
}

func.func @transpose_f64(%A: memref<1000x1500xf64>, %B: memref<1500x1000xf64>) {
  tc.par device (%i, %j) = (0, 0) to (1000, 1500) {
    %a = memref.load %A[%i, %j] : memref<1000x1500xf64>
    memref.store %a, %B[%j, %i] : memref<1500x1000xf64>
  }
  return
}

func.func @reverse_modes(%A: memref<96x104x112xf32>, %B: memref<112x104x96xf32>) {
  tc.par device (%i, %j, %k) = (0, 0, 0) to (96, 104, 112) {
    %a = memref.load %A[%i, %j, %k] : memref<96x104x112xf32>
    memref.store %a, %B[%k, %j, %i] : memref<112x104x96xf32>
  }
  return
}

func.func @channels_last(%A: memref<16x24x56x56xf32>, %B: memref<16x56x56x24xf32>) {
  tc.par device (%n, %c, %h, %w) = (0, 0, 0, 0) to (16, 24, 56, 56) {
    %a = memref.load %A[%n, %c, %h, %w] : memref<16x24x56x56xf32>
    memref.store %a, %B[%n, %h, %w, %c] : memref<16x56x56x24xf32>
  }
  return
}

func.func @sums_of_rows(%A: memref<16384x500xf32>, %B: memref<16384xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i) = (0) to (16384) {
    %s = tc.seq (%k) = (0) to (500) init(%c = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<16384x500xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%i] : memref<16384xf32>
  }
  return
}

func.func @sums_of_the_middle(%A: memref<256x64x300xf32>, %B: memref<256x300xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%k, %i) = (0, 0) to (300, 256) {
    %s = tc.seq (%j) = (0) to (64) init(%c = %zero : f32) {
      %a = memref.load %A[%i, %j, %k] : memref<256x64x300xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%i, %k] : memref<256x300xf32>
  }
  return
}

func.func @matmul(%A: memref<512x512xf32>, %B: memref<512x512xf32>, %C: memref<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%i, %j) = (0, 0) to (512, 512) {
    %s = tc.seq (%k) = (0) to (512) init(%c = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<512x512xf32>
      %b = memref.load %B[%k, %j] : memref<512x512xf32>
      %p = arith.mulf %a, %b : f32
      %n = arith.addf %p, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %C[%i, %j] : memref<512x512xf32>
  }
  return
}

func.func @pairs_of_rows(%A: memref<512x96xf64>, %C: memref<512x512xf64>) {
  %zero = arith.constant 0.0 : f64
  tc.par device (%i, %j) = (0, 0) to (512, 512) {
    %s = tc.seq (%k) = (0) to (96) init(%c = %zero : f64) {
      %a = memref.load %A[%i, %k] : memref<512x96xf64>
      %b = memref.load %A[%j, %k] : memref<512x96xf64>
      %d = arith.subf %a, %b : f64
      %m = arith.mulf %d, %d : f64
      %n = arith.addf %m, %c : f64
      tc.yield %n : f64
    }
    memref.store %s, %C[%i, %j] : memref<512x512xf64>
  }
  return
}

func.func @stencil(%A: memref<160x160x160xf32>, %B: memref<160x160x160xf32>) {
  %one = arith.constant 1 : index
  tc.par device (%k, %i, %j) = (1, 1, 1) to (159, 159, 159) {
    %w = arith.subi %k, %one : index
    %e = arith.addi %k, %one : index
    %s = arith.subi %j, %one : index
    %n = arith.addi %j, %one : index
    %d = arith.subi %i, %one : index
    %u = arith.addi %i, %one : index
    %a0 = memref.load %A[%i, %j, %w] : memref<160x160x160xf32>
    %a1 = memref.load %A[%i, %j, %e] : memref<160x160x160xf32>
    %a2 = memref.load %A[%i, %s, %k] : memref<160x160x160xf32>
    %a3 = memref.load %A[%i, %n, %k] : memref<160x160x160xf32>
    %a4 = memref.load %A[%d, %j, %k] : memref<160x160x160xf32>
    %a5 = memref.load %A[%u, %j, %k] : memref<160x160x160xf32>
    %s1 = arith.addf %a0, %a1 : f32
    %s2 = arith.addf %a2, %a3 : f32
    %s3 = arith.addf %a4, %a5 : f32
    %s4 = arith.addf %s1, %s2 : f32
    %s5 = arith.addf %s4, %s3 : f32
    memref.store %s5, %B[%i, %j, %k] : memref<160x160x160xf32>
  }
  return
}

func.func @gather(%A: memref<4096x192xf32>, %I: memref<20000xi64>, %B: memref<20000x192xf32>) {
  tc.par device (%j, %i) = (0, 0) to (192, 20000) {
    %n = memref.load %I[%i] : memref<20000xi64>
    %r = arith.index_cast %n : i64 to index
    %a = memref.load %A[%r, %j] : memref<4096x192xf32>
    memref.store %a, %B[%i, %j] : memref<20000x192xf32>
  }
  return
}

func.func @broadcast(%A: memref<3000x700xf32>, %V: memref<3000xf32>, %B: memref<3000x700xf32>) {
  tc.par device (%j, %i) = (0, 0) to (700, 3000) {
    %a = memref.load %A[%i, %j] : memref<3000x700xf32>
    %v = memref.load %V[%i] : memref<3000xf32>
    %p = arith.mulf %a, %v : f32
    memref.store %p, %B[%i, %j] : memref<3000x700xf32>
  }
  return
}

func.func @triangle(%A: memref<4000x64x64xf32>, %B: memref<4000x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par device (%b, %i) = (0, 0) to (4000, 64) {
    %s = tc.seq (%k) = (0) to (%i) init(%c = %zero : f32) {
      %a = memref.load %A[%b, %i, %k] : memref<4000x64x64xf32>
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%b, %i] : memref<4000x64xf32>
  }
  return
}

// The threads of a block, through shared memory.
func.func @blocks_of_a_transposition(%A: memref<2048x2048xf32>, %B: memref<2048x2048xf32>) {
  tc.par grid (%bi, %bj) = (0, 0) to (64, 64) {
    %T = tc.new : memref<32x32xf32, #gpu.address_space<workgroup>>
    tc.par block (%i, %j) = (0, 0) to (32, 32) map #tc.map<fold_last2> {
      %r = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1)>(%bi, %i)
      %c = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1)>(%bj, %j)
      %a = memref.load %A[%r, %c] : memref<2048x2048xf32>
      memref.store %a, %T[%i, %j] : memref<32x32xf32, #gpu.address_space<workgroup>>
    }
    tc.par block (%i, %j) = (0, 0) to (32, 32) {
      %r = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1)>(%bi, %i)
      %c = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1)>(%bj, %j)
      %a = memref.load %T[%i, %j] : memref<32x32xf32, #gpu.address_space<workgroup>>
      memref.store %a, %B[%c, %r] : memref<2048x2048xf32>
    }
  }
  return
}
