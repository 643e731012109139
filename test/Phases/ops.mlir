// The meaning of each op on its own, against Inputs/ops.mlir, which says the same
// in upstream ops.
//
// RUN: %check_phases %s --reference=%S/Inputs/ops.mlir canonicalize

// Indices 1, 2, 4, 5, 7, 8, 10: two of every three, from 1, below 11.
func.func @par_width(%x: memref<12xf32>) {
  %one = arith.constant 1.0 : f32
  tc.par (%i) = (1) to (11) step (3) width (2) {
    %v = memref.load %x[%i] : memref<12xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %x[%i] : memref<12xf32>
  }
  return
}

// The last width reaches over the upper bound, which is given at run time.
func.func @par_bounds(%x: memref<12x12xf32>) {
  %lower = arith.constant 2 : index
  %upper = arith.constant 10 : index
  %one = arith.constant 1.0 : f32
  tc.par full block (%i, %j) = (%lower, 0) to (%upper, 11) step (4, 5) width (3, 5) {
    %v = memref.load %x[%i, %j] : memref<12x12xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %x[%i, %j] : memref<12x12xf32>
  }
  return
}

// Order matters: x = -x + A[i, j].
func.func @seq_carried(%A: memref<3x6xf32>, %z: memref<f32>) {
  %start = arith.constant 1.0 : f32
  %x = tc.seq (%i, %j) = (0, 1) to (3, 6) step (1, 3) width (1, 2) init(%c = %start : f32) {
    %v = memref.load %A[%i, %j] : memref<3x6xf32>
    %next = arith.subf %v, %c : f32
    tc.yield %next : f32
  }
  memref.store %x, %z[] : memref<f32>
  return
}

func.func @no_iterations(%x: memref<4xf32>) {
  %upper = arith.constant -2 : index
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (%upper) {
    memref.store %zero, %x[%i] : memref<4xf32>
  }
  tc.contract (a = %upper) ins(%x[a] : memref<4xf32>) outs(%x[a] : memref<4xf32>)
  return
}

// z[a] = A[a, a]
func.func @view_diagonal(%A: memref<4x4xf32>, %z: memref<4xf32>) {
  %d = tc.view %A <offset = 0, sizes = [4], strides = [5]>
      : memref<4x4xf32> to memref<4xf32, strided<[5]>>
  tc.contract (a = 4) ins(%d[a] : memref<4xf32, strided<[5]>>) outs(%z[a] : memref<4xf32>) overwrite
  return
}

// z[a] = x[5 - a], a view of a view: offsets add.
func.func @view_reversed(%x: memref<8xf32>, %z: memref<4xf32>) {
  %n = arith.constant 4 : index
  %t = tc.view %x <offset = 2, sizes = [4], strides = [1]>
      : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  %r = tc.view %t (%n) <offset = 3, sizes = [?], strides = [-1]>
      : memref<4xf32, strided<[1], offset: 2>> to memref<?xf32, strided<[-1], offset: 5>>
  tc.contract (a = 4) ins(%r[a] : memref<?xf32, strided<[-1], offset: 5>>)
      outs(%z[a] : memref<4xf32>) overwrite
  return
}

// z[a, w] = x[a + w], and the rows a of the result twice.
func.func @view_window(%x: memref<8xf32>, %z: memref<6x3xf32>) {
  %v = tc.view %x <offset = 0, sizes = [2, 6, 3], strides = [0, 1, 1]>
      : memref<8xf32> to memref<2x6x3xf32, strided<[0, 1, 1]>>
  tc.contract (a = 6, w = 3, q = 2) ins(%v[q, a, w] : memref<2x6x3xf32, strided<[0, 1, 1]>>)
      outs(%z[a, w] : memref<6x3xf32>) overwrite
  return
}

// A 3 x 2 corner in a 4 x 4 tile with rows of 5 elements; the rest is 2.0.
func.func @stage(%x: memref<5x6xf32>, %z: memref<4x4xf32>) {
  %n = arith.constant 3 : index
  %o = arith.constant 14 : index
  %v = tc.view %x (%o, %n) <offset = ?, sizes = [?, 2], strides = [6, 1]>
      : memref<5x6xf32> to memref<?x2xf32, strided<[6, 1], offset: ?>>
  %s = tc.stage %v pad(2.0 : f32) : memref<?x2xf32, strided<[6, 1], offset: ?>>
      to memref<4x4xf32, strided<[5, 1]>, #gpu.address_space<workgroup>>
  tc.contract (a = 4, b = 4)
      ins(%s[a, b] : memref<4x4xf32, strided<[5, 1]>, #gpu.address_space<workgroup>>)
      outs(%z[a, b] : memref<4x4xf32>) overwrite
  return
}

// A source that is empty, or larger than the tile, at run time.
func.func @stage_sizes(%x: memref<6xf32>, %z: memref<3x4xf32>) {
  %less = arith.constant -1 : index
  %more = arith.constant 6 : index
  %empty = tc.view %x (%less) <offset = 0, sizes = [?], strides = [1]>
      : memref<6xf32> to memref<?xf32, strided<[1]>>
  %large = tc.view %x (%more) <offset = 0, sizes = [?], strides = [1]>
      : memref<6xf32> to memref<?xf32, strided<[1]>>
  %s0 = tc.stage %empty pad(1.0 : f32) : memref<?xf32, strided<[1]>> to memref<4xf32>
  %s1 = tc.stage %large pad(1.0 : f32) : memref<?xf32, strided<[1]>> to memref<4xf32>
  tc.contract (a = 3, b = 4) ins(%s0[b] : memref<4xf32>, %s1[b] : memref<4xf32>)
      outs(%z[a, b] : memref<3x4xf32>) overwrite
  return
}

func.func @new(%z: memref<2x3xf32>) {
  tc.par (%i) = (0) to (2) {
    %acc = tc.new init(3.0 : f32) : memref<3xf32, #gpu.address_space<private>>
    tc.seq (%q) = (0) to (4) {
      tc.contract (a = 3, k = 1) ins(%acc[a] : memref<3xf32, #gpu.address_space<private>>)
          outs(%acc[a] : memref<3xf32, #gpu.address_space<private>>)
    }
    %o = arith.constant 3 : index
    %p = arith.muli %i, %o : index
    %row = tc.view %z (%p) <offset = ?, sizes = [3], strides = [1]>
        : memref<2x3xf32> to memref<3xf32, strided<[1], offset: ?>>
    tc.contract (a = 3) ins(%acc[a] : memref<3xf32, #gpu.address_space<private>>)
        outs(%row[a] : memref<3xf32, strided<[1], offset: ?>>)
  }
  return
}

// An overwriting maximum of sums, over two contracted iterators.
func.func @regions(%A: memref<3x4xf32>, %B: memref<4x2x5xf32>, %z: memref<5x3xf32>) {
  tc.contract (a = 3, b = 5, q = 4, r = 2)
      ins(%A[a, q] : memref<3x4xf32>, %B[q, r, b] : memref<4x2x5xf32>)
      outs(%z[b, a] : memref<5x3xf32>) overwrite neutral(0xFF800000 : f32)
      map (%x: f32, %y: f32) {
        %s = arith.addf %x, %y : f32
        tc.yield %s : f32
      } combine associative commutative (%x: f32, %y: f32) {
        %m = arith.maximumf %x, %y : f32
        tc.yield %m : f32
      }
  return
}

// Linear subscripts: a stride of 2, a window, a reversal, a constant, an offset.
func.func @subscripts(%x: memref<14x2xi32>, %z: memref<9x2xi32>) {
  tc.contract (a = 4, w = 3) ins(%x[2 * a + w + 3, 1] : memref<14x2xi32>, %x[13 - a, 0] : memref<14x2xi32>)
      outs(%z[2 * a + 1, 0] : memref<9x2xi32>)
  return
}

func.func @machine(%x: memref<2xi64>, %z: memref<i64>) attributes {tc.machine = #tc.machine<
    chip = "sm_90a", multiprocessors = 132, warp_size = 32, max_block_threads = 1024,
    max_thread_registers = 255, block_registers = 65536, block_shared_bytes = 49152>} {
  tc.contract (q = 2) ins(%x[q] : memref<2xi64>, %x[q] : memref<2xi64>) outs(%z[] : memref<i64>)
  return
}
