// Lanes of a warp exchange values (`gpu.shuffle`), in each way, in loops and under conditions: the
// reference evaluates the iterations of a `tc.par full` 32 at a time.
//
// RUN: tc-run %s --name=sums --verify
// RUN: tc-run %s --name=prefixes --verify
// RUN: tc-run %s --name=rotated --verify
// RUN: tc-run %s --name=halves --verify

// Of two warps of each row, by xor.
func.func @sums(%A: memref<5x64xf32>, %B: memref<5x64xf32>) {
  %c32 = arith.constant 32 : i32
  tc.par (%i) = (0) to (5) {
    tc.par full align(32) block (%w) = (0) to (64) {
      %x = memref.load %A[%i, %w] : memref<5x64xf32>
      %sum = tc.seq (%r) = (0) to (5) init(%s = %x : f32) {
        %one = arith.constant 1 : i32
        %shift = arith.index_cast %r : index to i32
        %offset = arith.shli %one, %shift : i32
        %other, %valid = gpu.shuffle xor %s, %offset, %c32 : f32
        %n = arith.addf %s, %other : f32
        tc.yield %n : f32
      }
      memref.store %sum, %B[%i, %w] : memref<5x64xf32>
    }
  }
  return
}

// From the lanes before, as far as there are any.
func.func @prefixes(%A: memref<3x32xi32>, %B: memref<3x32xi32>) {
  %c32 = arith.constant 32 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (3) {
    tc.par full align(32) block (%w) = (0) to (32) {
      %x = memref.load %A[%i, %w] : memref<3x32xi32>
      %sum = scf.for %r = %c0 to %c5 step %c1 iter_args(%s = %x) -> (i32) {
        %one = arith.constant 1 : i32
        %shift = arith.index_cast %r : index to i32
        %offset = arith.shli %one, %shift : i32
        %other, %valid = gpu.shuffle up %s, %offset, %c32 : i32
        %term = arith.select %valid, %other, %zero : i32
        %n = arith.addi %s, %term : i32
        scf.yield %n : i32
      }
      memref.store %sum, %B[%i, %w] : memref<3x32xi32>
    }
  }
  return
}

// By a number that each lane computes, under a condition that all share.
func.func @rotated(%A: memref<6x32xf32>, %B: memref<6x32xf32>) {
  %c32 = arith.constant 32 : i32
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  tc.par (%i) = (0) to (6) {
    tc.par full align(32) block (%w) = (0) to (32) {
      %x = memref.load %A[%i, %w] : memref<6x32xf32>
      %next = affine.apply affine_map<(w)[i] -> ((w + 1 + 3 * i) mod 32)>(%w)[%i]
      %source = arith.index_cast %next : index to i32
      %odd = arith.remui %i, %c2 : index
      %is_even = arith.cmpi eq, %odd, %c0 : index
      %y = scf.if %is_even -> (f32) {
        %other, %valid = gpu.shuffle idx %x, %source, %c32 : f32
        scf.yield %other : f32
      } else {
        scf.yield %x : f32
      }
      memref.store %y, %B[%i, %w] : memref<6x32xf32>
    }
  }
  return
}

// Of 16 lanes, by down.
func.func @halves(%A: memref<2x32xf32>, %B: memref<2x32xf32>) {
  %c16 = arith.constant 16 : i32
  %three = arith.constant 3 : i32
  tc.par (%i) = (0) to (2) {
    tc.par full align(32) block (%w) = (0) to (16) {
      %x = memref.load %A[%i, %w] : memref<2x32xf32>
      %other, %valid = gpu.shuffle down %x, %three, %c16 : f32
      %y = arith.select %valid, %other, %x : f32
      memref.store %y, %B[%i, %w] : memref<2x32xf32>
    }
  }
  return
}
