// Nests that are not mapped kernels, and kernels that no GPU could run.
//
// RUN: tc-opt %s --convert-tc-to-gpu --split-input-file --verify-diagnostics

func.func @unmapped() {
  // expected-error @+1 {{'tc.par' op expected a mapping to threads; run tc-map first}}
  tc.par grid (%i) = (0) to (8) {
  }
  return
}

// -----

func.func @unmapped_block() {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    // expected-error @+1 {{'tc.par' op expected a mapping to threads; run tc-map first}}
    tc.par block (%t) = (0) to (8) {
    }
  }
  return
}

// -----

func.func @four_axes() {
  // expected-error @+1 {{expected a mapping to at most 3 axes}}
  tc.par grid (%i, %j, %k, %l) = (0, 0, 0, 0) to (2, 2, 2, 2) map #tc.map<shift_lb> {
  }
  return
}

// -----

func.func @mapping() {
  // expected-error @+1 {{cannot be mapped: fold_last2 at place 1: expected an index space of rank at least 2, got rank 1}}
  tc.par grid (%i) = (0) to (8) map #tc.map<fold_last2> {
  }
  return
}

// -----

func.func @contraction(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      // expected-error @+1 {{'tc.contract' op expected no contraction in a mapped nest: of threads it needs tc-lower-microkernel, and otherwise a tc.par that tc-distribute can take it out of (--remarks)}}
      tc.contract (a = 8) ins(%A[a] : memref<8xf32>) outs(%C[a] : memref<8xf32>)
    }
  }
  return
}

// -----

// What no kernel has taken: a contraction of the host, a nest, a linalg op.
func.func @left_contraction(%A: memref<8xf32>, %C: memref<8xf32>) {
  // expected-error @+1 {{expected every operation to be part of a kernel by now, got 'tc.contract'}}
  tc.contract (a = 8) ins(%A[a] : memref<8xf32>) outs(%C[a] : memref<8xf32>)
  return
}

// -----

func.func @left_block(%A: memref<8xf32>, %x: f32) {
  // expected-error @+1 {{expected level 'grid' or 'device' outside of any other tc.par, got 'block'}}
  tc.par block (%i) = (0) to (8) map #tc.map<> {
    memref.store %x, %A[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @left_view(%A: memref<8xf32>) -> memref<4xf32> {
  // expected-error @+1 {{expected every operation to be part of a kernel by now, got 'tc.view'}}
  %v = tc.view %A <offset = 0, sizes = [4], strides = [1]> : memref<8xf32> to memref<4xf32>
  return %v : memref<4xf32>
}

// -----

func.func @left_linalg(%A: memref<8xf32>, %x: f32) {
  // expected-error @+1 {{expected every operation to be part of a kernel by now, got 'linalg.fill'}}
  linalg.fill ins(%x : f32) outs(%A : memref<8xf32>)
  return
}

// -----

func.func @grid_in_launch() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1)
             threads(%g, %h, %j) in (%k = %c1, %l = %c1, %m = %c1) {
    // expected-error @+1 {{expected tc.par grid outside of other nests and kernels}}
    tc.par grid (%i) = (0) to (8) map #tc.map<> {
    }
    gpu.terminator
  }
  return
}

// -----

func.func @level_inside() {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    // expected-error @+1 {{expected a level inside of tc.par grid; run tc-bind first}}
    tc.par (%j) = (0) to (8) {
    }
  }
  return
}

// -----

// Each fits; the block that holds both does not.
func.func @block_of_blocks() {
  // expected-error @+1 {{expected at most 1024 threads in a block, got 64 x 32 x 1 for all tc.par block together}}
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    tc.par block (%t) = (0) to (64) map #tc.map<> {
    }
    tc.par block (%t, %u) = (0, 0) to (32, 2) map #tc.map<> {
    }
  }
  return
}

// -----

func.func @unplaced() {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    // expected-error @+1 {{'tc.new' op expected workgroup, private or global memory in a kernel; run tc-promote first}}
    %n = tc.new : memref<8xf32>
  }
  return
}

// -----

// The part of thread 1, whoever asks.
func.func @part_of_another(%A: memref<8xf32>) {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    %n = tc.new threads(1) : memref<8x2xf32, #gpu.address_space<private>>
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      // expected-error @+1 {{'memref.subview' op expected each thread to view its own part of the buffer}}
      %v = memref.subview %n[1, 0] [1, 2] [1, 1]
          : memref<8x2xf32, #gpu.address_space<private>> to memref<2xf32, strided<[1], offset: 2>, #gpu.address_space<private>>
    }
  }
  return
}

// -----

// The parts of neighbours, a thread's own part and one more, and a place that the loop says.
func.func @part_of_neighbour(%A: memref<8xf32>) {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    %n = tc.new threads(1) : memref<8x2xf32, #gpu.address_space<private>>
    tc.par block (%t) = (0) to (7) map #tc.map<> {
      %o = affine.apply affine_map<(d0) -> (d0 + 1)>(%t)
      // expected-error @+1 {{expected each thread to view its own part of the buffer}}
      %v = memref.subview %n[%o, 0] [1, 2] [1, 1]
          : memref<8x2xf32, #gpu.address_space<private>> to memref<2xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
    }
  }
  return
}

// -----

// A part of two threads.
func.func @part_of_two(%A: memref<8xf32>) {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    %n = tc.new threads(1) : memref<8x2xf32, #gpu.address_space<private>>
    tc.par block (%t) = (0) to (7) map #tc.map<> {
      // expected-error @+1 {{expected each thread to view its own part of the buffer}}
      %v = memref.subview %n[%t, 0] [2, 2] [1, 1]
          : memref<8x2xf32, #gpu.address_space<private>> to memref<2x2xf32, strided<[2, 1], offset: ?>, #gpu.address_space<private>>
    }
  }
  return
}

// -----

func.func @part_by_stride(%A: memref<8xf32>) {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    %n = tc.new threads(1) : memref<8x2xf32, #gpu.address_space<private>>
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      // expected-error @+1 {{'tc.view' op expected each use of a buffer of threads to stay in the part of its thread: a load, a store, a memref.subview or a static tc.view at the indices of the tc.par block}}
      %v = tc.view %n(%t) <offset = ?, sizes = [2], strides = [1]>
          : memref<8x2xf32, #gpu.address_space<private>> to memref<2xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
    }
  }
  return
}

// -----

func.func @part_by_loop(%A: memref<8xf32>) {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    %n = tc.new threads(1) : memref<8x1xf32, #gpu.address_space<private>>
    tc.seq (%s) = (0) to (8) {
      tc.par block (%t) = (0) to (8) map #tc.map<> {
        // expected-error @+1 {{expected each thread to view its own part of the buffer}}
        %v = memref.subview %n[%s, 0] [1, 1] [1, 1]
            : memref<8x1xf32, #gpu.address_space<private>> to memref<1xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
      }
    }
  }
  return
}

// -----

func.func @loaded_directly(%A: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    %n = tc.new threads(1) : memref<8x2xf32, #gpu.address_space<private>>
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      // expected-error @+1 {{'memref.load' op expected each use of a buffer of threads to stay in the part of its thread: a load, a store, a memref.subview or a static tc.view at the indices of the tc.par block}}
      %x = memref.load %n[%t, %c0] : memref<8x2xf32, #gpu.address_space<private>>
    }
  }
  return
}

// -----

func.func @large_private() {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    // expected-error @+1 {{'tc.new' op expected at most 524288 bytes of private memory for a thread}}
    %n = tc.new init(0.0 : f32) : memref<1048576x1048576x1048576x1048576xf32, #gpu.address_space<private>>
  }
  return
}

// -----

func.func @private_layout() {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    // expected-error @+1 {{'tc.new' op expected private memory without a layout, got 'memref<4x4xf32, strided<[1, 4]>, #gpu.address_space<private>>'}}
    %n = tc.new : memref<4x4xf32, strided<[1, 4]>, #gpu.address_space<private>>
  }
  return
}

// -----

// Two buffers that fit alone.
func.func @large_shared(%A: memref<32768xf32>) {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    %a = tc.stage %A pad(0.0 : f32) : memref<32768xf32> to memref<32768xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'tc.stage' op expected at most 232448 bytes of shared memory on sm_90a, got 262144}}
    %b = tc.stage %A pad(0.0 : f32) : memref<32768xf32> to memref<32768xf32, #gpu.address_space<workgroup>>
  }
  return
}

// -----

// A byte more than the chip has, which makes 16.
func.func @byte_more() {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    // expected-error @+1 {{'tc.new' op expected at most 232448 bytes of shared memory on sm_90a, got 232464}}
    %n = tc.new : memref<232449xi8, #gpu.address_space<workgroup>>
  }
  return
}

// -----

func.func @huge_shared() {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    // expected-error @+1 {{'tc.new' op expected at most 232448 bytes of shared memory on sm_90a, got 9223372036854775807}}
    %n = tc.new : memref<4611686018427387904x8xf32, #gpu.address_space<workgroup>>
  }
  return
}

// -----

func.func @shared_layout() {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    // expected-error @+1 {{'tc.new' op expected a buffer of numbers, from offset 0 on, of static strides of at least 0, got}}
    %n = tc.new : memref<8xf32, strided<[-1], offset: 7>, #gpu.address_space<workgroup>>
  }
  return
}

// -----

func.func @stage_elsewhere(%A: memref<8xf32>) {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    // expected-error @+1 {{'tc.stage' op expected a result in workgroup memory, got 'memref<8xf32, #gpu.address_space<private>>'}}
    %s = tc.stage %A pad(0.0 : f32) : memref<8xf32> to memref<8xf32, #gpu.address_space<private>>
  }
  return
}

// -----

func.func @quad(%A: memref<8xf128>) {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    // expected-error @+1 {{'memref.load' op expected f8E4M3FN, f8E5M2, f16, bf16, f32 or f64 in a kernel, got 'f128'}}
    %x = memref.load %A[%i] : memref<8xf128>
    memref.store %x, %A[%i] : memref<8xf128>
  }
  return
}

// -----

func.func @device_without_block() {
  // expected-error @+1 {{'tc.par' op expected a mapping that ends in grid_block}}
  tc.par device (%i) = (0) to (8) map #tc.map<split_last(4)> {
  }
  return
}

// -----

func.func @warps_of_two_axes() {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    // expected-error @+1 {{'tc.par' op expected a mapping to one axis}}
    tc.par block (%w, %v) = (0, 0) to (2, 2) map #tc.map<permute(0, 1)> {
      tc.par warp (%l) = (0) to (32) map #tc.map<> {
      }
    }
  }
  return
}

// -----

func.func @threads_of_two_axes_beside_warps() {
  // expected-error @+1 {{expected the threads of a block along one axis, since there are warps in it}}
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    tc.par block (%t, %u) = (0, 0) to (8, 8) map #tc.map<permute(0, 1)> {
    }
    tc.par warp (%l) = (0) to (32) map #tc.map<> {
    }
  }
  return
}

// -----

// Without tc-sync, which says so before.
func.func @barrier_of_a_thread(%A: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) map #tc.map<> {
    tc.par block (%t) = (0) to (8) map #tc.map<> {
      %x = memref.load %A[%g] : memref<8xf32>
      // expected-error @+1 {{expected no barrier between the iterations of a tc.par that single threads run}}
      gpu.barrier
      memref.store %x, %A[%t] : memref<8xf32>
    }
  }
  return
}

// -----

// A pointer of the device, to the host.
func.func @host_access(%A: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'memref.load' op expected accesses of buffers in a tc.par, since the host does not reach the memory of the device}}
  %x = memref.load %A[%c0] : memref<8xf32>
  tc.par device (%i) = (0) to (8) map #tc.map<pad_last(32), split_last(32), grid_block(1)> {
    memref.store %x, %A[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @host_access_of_a_vector(%A: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'vector.load' op expected accesses of buffers in a tc.par, since the host does not reach the memory of the device}}
  %v = vector.load %A[%c0] : memref<8xf32>, vector<4xf32>
  %x = vector.extract %v[0] : f32 from vector<4xf32>
  tc.par device (%i) = (0) to (8) map #tc.map<pad_last(32), split_last(32), grid_block(1)> {
    memref.store %x, %A[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @global_layout() {
  tc.par grid (%i) = (0) to (1) map #tc.map<> {
    // expected-error @+1 {{'tc.new' op expected a buffer of numbers, from offset 0 on, of static strides of at least 0, got}}
    %n = tc.new : memref<4xf32, strided<[-1]>, #gpu.address_space<global>>
  }
  return
}

// -----

// A kernel does not reach the memory of the host.
func.func @ofHost(%A: memref<8xf32, #tc.host>) {
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    // expected-error @+1 {{'memref.load' op expected buffers in the memory of the device, got 'memref<8xf32, #tc.host>'; a memref.copy outside of the nest brings it there}}
    %x = memref.load %A[%i] : memref<8xf32, #tc.host>
    memref.store %x, %A[%i] : memref<8xf32, #tc.host>
  }
  return
}

// -----

// A cast does not move a buffer.
func.func @cast(%A: memref<8xf32, #tc.host>, %B: memref<8xf32>) {
  // expected-error @+1 {{'memref.memory_space_cast' op expected buffers that are both in the memory of the host or both not, got 'memref<8xf32, #tc.host>' and 'memref<8xf32>'}}
  %C = memref.memory_space_cast %A : memref<8xf32, #tc.host> to memref<8xf32>
  tc.par grid (%i) = (0) to (8) map #tc.map<> {
    %x = memref.load %C[%i] : memref<8xf32>
    memref.store %x, %B[%i] : memref<8xf32>
  }
  return
}
