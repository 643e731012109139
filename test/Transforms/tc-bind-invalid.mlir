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

func.func @result_of_a_write(%A: memref<37xi32>, %B: memref<37xi32>) {
  tc.par (%i) = (0) to (37) {
    %one = arith.constant 1 : i32
    // expected-error @+1 {{expected no use of what an op with effects gives outside of tc.par in a 'block': one thread runs it}}
    %old = memref.atomic_rmw addi %one, %A[%i] : (i32, memref<37xi32>) -> i32
    tc.par (%j) = (0) to (100) {
      memref.store %old, %B[%j] : memref<37xi32>
    }
  }
  return
}
