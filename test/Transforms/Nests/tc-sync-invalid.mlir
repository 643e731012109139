// Nests in which a barrier would have no place, or a conflict could not be seen.
//
// RUN: tc-opt %s --tc-sync --split-input-file --verify-diagnostics

!shared = memref<8xf32, #gpu.address_space<workgroup>>
func.func @argument(%s: !shared, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.par block (%t) = (0) to (8) {
      // expected-error @+1 {{'memref.load' op expected workgroup memory to come from tc.new or tc.stage, got 'memref<8xf32, #gpu.address_space<workgroup>>' from elsewhere}}
      %x = memref.load %s[%t] : !shared
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// -----

// Two names for two buffers that change places at each step.
!shared = memref<8xf32, #gpu.address_space<workgroup>>
func.func @carried(%A: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
    %b = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
    %r:2 = tc.seq (%q) = (0) to (3) init(%x = %a : !shared, %y = %b : !shared) {
      tc.par block (%t) = (0) to (8) {
        // expected-error @+1 {{expected workgroup memory to come from tc.new or tc.stage}}
        %v = memref.load %x[%t] : !shared
        memref.store %v, %y[%t] : !shared
      }
      tc.yield %y, %x : !shared, !shared
    }
  }
  return
}

// -----

// A copy together with all threads, by each of some threads.
!shared = memref<8xf32, #gpu.address_space<workgroup>>
func.func @stage_of_a_thread(%A: memref<8xf32>, %C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.par block (%t) = (0) to (8) {
      // expected-error @+1 {{'tc.stage' op expected workgroup memory to be filled by all threads, outside of tc.par block}}
      %a = tc.stage %A pad(0.0 : f32) : memref<8xf32> to !shared
      %x = memref.load %a[%t] : !shared
      memref.store %x, %C[%t] : memref<8xf32>
    }
  }
  return
}

// -----

// Threads without work in the nest would not come by.
func.func @barrier_of_a_thread(%A: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    tc.par block (%t) = (0) to (8) {
      %x = memref.load %A[%g] : memref<8xf32>
      // expected-error @+1 {{'gpu.barrier' op expected no barrier between the independent iterations of a tc.par block}}
      gpu.barrier
      memref.store %x, %A[%t] : memref<8xf32>
    }
  }
  return
}

// -----

// What the threads of a block run together must be the same for all.
func.func @thread_number(%C: memref<8xf32>) {
  tc.par grid (%g) = (0) to (4) {
    // expected-error @+1 {{'gpu.thread_id' op expected indices of tc.par instead of thread numbers}}
    %t = gpu.thread_id x
    tc.par block (%i) = (0) to (8) {
      %x = memref.load %C[%t] : memref<8xf32>
      memref.store %x, %C[%i] : memref<8xf32>
    }
  }
  return
}
