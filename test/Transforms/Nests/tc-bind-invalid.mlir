// What no level suits.
//
// RUN: tc-opt %s --tc-bind --split-input-file --verify-diagnostics

func.func private @work()

func.func @full_of_a_thread() {
  tc.par (%i) = (0) to (37) {
    func.call @work() : () -> ()
    tc.par (%j) = (0) to (100) {
      // expected-error @+1 {{expected threads for 'full', but iterations of a tc.par round it are threads already}}
      tc.par full (%k) = (0) to (64) {
        func.call @work() : () -> ()
      }
      func.call @work() : () -> ()
    }
  }
  return
}

// -----

func.func @index_of_a_write(%A: memref<37xi32>, %B: memref<37xi32>, %c: i1) {
  tc.par (%i) = (0) to (37) {
    %one = arith.constant 1 : i32
    // expected-error @+1 {{expected numbers of an op with effects outside of tc.par in a 'block', where one thread runs it, got 'index'}}
    %k = scf.if %c -> index {
      memref.store %one, %A[%i] : memref<37xi32>
      scf.yield %i : index
    } else {
      %c0 = arith.constant 0 : index
      scf.yield %c0 : index
    }
    tc.par (%j) = (0) to (100) {
      memref.store %one, %B[%k] : memref<37xi32>
    }
  }
  return
}

// -----

// A level that is written has to fit those that are chosen round it.
func.func @warp_beside_a_cluster(%A: memref<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%g) = (0) to (4) {
    // expected-error @+1 {{expected a tc.par cluster round it, as there is another one in the grid, got 'warp' directly in it}}
    tc.par warp (%w) = (0) to (2) {
      memref.store %zero, %A[%g, %w] : memref<8x64xf32>
    }
    tc.par cluster (%c) = (0) to (2) {
      tc.par (%i) = (0) to (64) {
        memref.store %zero, %A[%c, %i] : memref<8x64xf32>
      }
    }
  }
  return
}
