// More shared memory than a block can have is an error where it is asked for.
//
// RUN: tc-opt %s --tc-to-nvvm=chip=sm_80 --split-input-file --verify-diagnostics

// A copy of a row.
func.func @cached(%A: memref<4x50000xf32>, %B: memref<4x50000xf32>) {
  tc.par grid (%g) = (0) to (4) {
    // expected-error @+1 {{expected at most 166912 bytes of shared memory on sm_80, got 200000}}
    tc.cache %A : memref<4x50000xf32>
    tc.par block (%t) = (0) to (50000) {
      %u = affine.apply affine_map<(t) -> (49999 - t)>(%t)
      %x = memref.load %A[%g, %u] : memref<4x50000xf32>
      memref.store %x, %B[%g, %t] : memref<4x50000xf32>
    }
  }
  return
}

// -----

// A copy that fits, but not twice.
func.func @cached_ahead(%A: memref<4x30000xf32>, %B: memref<4x30000xf32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.seq (%q) = (0) to (4) stages(2) {
      // expected-error @+1 {{expected at most 166912 bytes of shared memory on sm_80, got 240000}}
      tc.cache %A : memref<4x30000xf32>
      tc.par block (%t) = (0) to (30000) {
        %u = affine.apply affine_map<(t) -> (29999 - t)>(%t)
        %x = memref.load %A[%q, %u] : memref<4x30000xf32>
        memref.store %x, %B[%q, %t] : memref<4x30000xf32>
      }
    }
  }
  return
}

// -----

// Two buffers that fit alone, in the memory that the program says.
func.func @placed(%A: memref<4xf64>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.new init(0.0 : f64) : memref<12800xf64, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'tc.new' op expected at most 166912 bytes of shared memory on sm_80, got 204800}}
    %b = tc.new init(0.0 : f64) : memref<12800xf64, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (1) {
      %x = memref.load %a[%t] : memref<12800xf64, #gpu.address_space<workgroup>>
      %y = memref.load %b[%t] : memref<12800xf64, #gpu.address_space<workgroup>>
      %z = arith.addf %x, %y : f64
      memref.store %z, %A[%g] : memref<4xf64>
    }
  }
  return
}

// -----

// Tiles of a schedule written by hand.
func.func @scheduled(%A: memref<256x128xf64>, %B: memref<128x256xf64>, %C: memref<256x256xf64>) {
  // expected-error @+1 {{has an illegal schedule: expected at most 166912 bytes of shared memory on sm_80, got 199680}}
  tc.contract (i = 256, j = 256, q = 128)
      ins(%A[i, q] : memref<256x128xf64>, %B[q, j] : memref<128x256xf64>)
      outs(%C[i, j] : memref<256x256xf64>)
      {schedule = #tc.schedule<thread = [i = 16, j = 16], register = [i = 8, j = 8], step = [q = 32], stages = 3, kernel = fma>}
  return
}
