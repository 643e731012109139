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
