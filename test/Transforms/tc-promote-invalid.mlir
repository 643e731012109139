// Nests with a scheduled contraction that tc-tile would not have made.
//
// RUN: tc-opt %s --tc-promote --split-input-file --verify-diagnostics

func.func @not_a_view(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%t) = (0) to (8) {
      // expected-error @+1 {{'tc.contract' op expected input 0 to be a thread's view of a block tile}}
      tc.contract (i = 8) ins(%A[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
          {schedule = #tc.schedule<thread = [i = 8], kernel = fma>}
    }
  }
  return
}

// -----

func.func @block_tile_inside(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%t) = (0) to (8) {
      %a = tc.view %A <offset = 0, sizes = [8], strides = [1]> : memref<8xf32> to memref<8xf32>
      %x = tc.view %a <offset = 0, sizes = [8], strides = [1]> : memref<8xf32> to memref<8xf32>
      // expected-error @+1 {{expected input 0 to be a thread's view of a block tile}}
      tc.contract (i = 8) ins(%x[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
          {schedule = #tc.schedule<thread = [i = 8], kernel = fma>}
    }
  }
  return
}

// -----

func.func @rank(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.view %A <offset = 0, sizes = [2, 4], strides = [4, 1]> : memref<8xf32> to memref<2x4xf32>
    tc.par block (%t) = (0) to (8) {
      %x = tc.view %a <offset = 0, sizes = [8], strides = [1]> : memref<2x4xf32> to memref<8xf32>
      // expected-error @+1 {{expected the block tile of input 0 to be of rank 1, got 'memref<2x4xf32>'}}
      tc.contract (i = 8) ins(%x[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
          {schedule = #tc.schedule<thread = [i = 8], kernel = fma>}
    }
  }
  return
}

// -----

func.func @threads(%A: memref<8x8xf32>, %C: memref<8x8xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.view %A <offset = 0, sizes = [8, 8], strides = [8, 1]> : memref<8x8xf32> to memref<8x8xf32>
    tc.par block (%t) = (0) to (8) {
      %x = tc.view %a <offset = 0, sizes = [8, 8], strides = [8, 1]> : memref<8x8xf32> to memref<8x8xf32>
      // expected-error @+1 {{expected a tc.par block of 4, 2 threads, as the schedule says, got (0) to (8)}}
      tc.contract (i = 8, j = 8) ins(%x[i, j] : memref<8x8xf32>) outs(%C[i, j] : memref<8x8xf32>)
          {schedule = #tc.schedule<thread = [i = 4, j = 2], kernel = fma>}
    }
  }
  return
}

// -----

func.func @window(%A: memref<16xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (1) {
    %a = tc.view %A <offset = 0, sizes = [16], strides = [1]> : memref<16xf32> to memref<16xf32>
    tc.par block (%t) = (0) to (8) {
      %x = tc.view %a <offset = 0, sizes = [16], strides = [1]> : memref<16xf32> to memref<16xf32>
      // expected-error @+1 {{expected a register tile whose subscripts are single iterators}}
      tc.contract (i = 8, w = 3) ins(%x[i + w] : memref<16xf32>) outs(%C[i] : memref<8xf32>)
          {schedule = #tc.schedule<thread = [i = 8], kernel = fma>}
    }
  }
  return
}


// -----

func.func @shared_outside() {
  // expected-error @+1 {{'tc.new' op expected global memory outside of any tc.par, got 'memref<8xf32, #gpu.address_space<workgroup>>'}}
  %n = tc.new : memref<8xf32, #gpu.address_space<workgroup>>
  return
}
