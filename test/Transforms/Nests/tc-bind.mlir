// tc-bind: bands of tc.par, levels, and writes of a team.
//
// RUN: tc-opt %s --tc-bind | FileCheck %s
//
// Twice is once.
// RUN: tc-opt %s --tc-bind > %t.once
// RUN: tc-opt %t.once --tc-bind | diff %t.once -

func.func private @work()

// A perfect nest is one space, with the arithmetic between moved inside.
// CHECK-LABEL: @band(
// CHECK: tc.par device (%[[I:.*]], %[[J:.*]], %[[K:.*]]) = (0, 1, 0) to (37, %{{.*}}, 5) step (1, 4, 1) width (1, 2, 1) {
// CHECK-NEXT: affine.apply #{{.*}}(%[[I]])
// CHECK-NEXT: func.call
func.func @band(%n: index, %A: memref<?xf32>) {
  tc.par (%i) = (0) to (37) {
    %i2 = affine.apply affine_map<(d) -> (d * 2)>(%i)
    tc.par (%j, %k) = (1, 0) to (%n, 5) step (4, 1) width (2, 1) {
      func.call @work() : () -> ()
    }
  }
  return
}

// A triangle is no box: rows are blocks.
// CHECK-LABEL: @triangle(
// CHECK: tc.par grid (%[[I:.*]]) = (0) to (37) {
// CHECK-NEXT: tc.par block (%{{.*}}) = (0) to (%[[I]]) {
func.func @triangle() {
  tc.par (%i) = (0) to (37) {
    tc.par (%j) = (0) to (%i) {
      func.call @work() : () -> ()
    }
  }
  return
}

// A few iterations are no work for several threads; unless someone says so.
// CHECK-LABEL: @few(
// CHECK: tc.par device (%{{.*}}) = (0) to (37) {
// CHECK: tc.par thread (%{{.*}}) = (0) to (16) {
// CHECK: tc.par thread (%{{.*}}) = (0) to (2) {
// CHECK: tc.par grid (%{{.*}}) = (0) to (37) {
// CHECK: tc.par full block (%{{.*}}) = (0) to (16) {
func.func @few() {
  tc.par (%i) = (0) to (37) {
    func.call @work() : () -> ()
    tc.par (%j) = (0) to (16) {
      func.call @work() : () -> ()
      tc.par (%k) = (0) to (2) {
        func.call @work() : () -> ()
      }
    }
  }
  tc.par (%i) = (0) to (37) {
    func.call @work() : () -> ()
    tc.par full (%j) = (0) to (16) {
      func.call @work() : () -> ()
    }
  }
  return
}

// Grid, block, thread from the outside in; a full one of 32 is a warp.
// CHECK-LABEL: @three(
// CHECK: tc.par grid
// CHECK: tc.par block (%{{.*}}) = (0) to (100) {
// CHECK: tc.par thread (%{{.*}}) = (0) to (100) {
// CHECK: tc.par block (%{{.*}}) = (0) to (4) {
// CHECK: tc.par full align(32) warp (%{{.*}}) = (0) to (32) {
func.func @three() {
  tc.par (%i) = (0) to (37) {
    tc.par (%j) = (0) to (100) {
      func.call @work() : () -> ()
      tc.par (%k) = (0) to (100) {
        func.call @work() : () -> ()
      }
    }
    tc.par (%w) = (0) to (4) {
      tc.par full align(32) (%l) = (0) to (32) {
        func.call @work() : () -> ()
      }
    }
  }
  return
}

// Levels that are there stay, and say what is round them.
// CHECK-LABEL: @by_hand(
// CHECK: tc.par grid
// CHECK: tc.par thread (%{{.*}}) = (0) to (100) {
func.func @by_hand() {
  tc.par grid (%i) = (0) to (37) {
    tc.par thread (%j) = (0) to (100) {
      func.call @work() : () -> ()
    }
  }
  return
}

// Neighbouring writes of a team are one thread's; reads are everyone's. In a loop and
// in a branch, too.
// CHECK-LABEL: @writes(
// CHECK: tc.par grid
// CHECK-NEXT: %[[X:.*]] = memref.load
// CHECK-NEXT: tc.par block () = () to () {
// CHECK-NEXT: memref.store %[[X]]
// CHECK-NEXT: memref.store %[[X]]
// CHECK-NEXT: }
// CHECK: tc.seq
// CHECK: tc.par block (%{{.*}}) = (0) to (100) {
// CHECK: scf.if
// CHECK-NEXT: tc.par block () = () to () {
// CHECK-NEXT: memref.store
func.func @writes(%A: memref<37xf32>, %B: memref<37xf32>, %c: i1) {
  tc.par (%i) = (0) to (37) {
    %x = memref.load %A[%i] : memref<37xf32>
    memref.store %x, %B[%i] : memref<37xf32>
    memref.store %x, %A[%i] : memref<37xf32>
    tc.seq (%k) = (0) to (3) {
      tc.par (%j) = (0) to (100) {
        func.call @work() : () -> ()
      }
      scf.if %c {
        memref.store %x, %B[%i] : memref<37xf32>
        tc.par (%j) = (0) to (100) {
          func.call @work() : () -> ()
        }
      }
    }
  }
  return
}

// A reduction of many terms is work for several threads, and stays outside of the
// tc.par of one thread; one of few is not. In a region of one there is one thread.
// CHECK-LABEL: @reductions
// CHECK: tc.par grid
// CHECK-NEXT: tc.reduce (%{{.*}}) = (0) to (17)
// CHECK: tc.par thread
// CHECK: tc.par device
// CHECK-NEXT: tc.reduce (%{{.*}}) = (0) to (16)
// CHECK: tc.par grid
// CHECK: tc.par block () = () to ()
// CHECK-NEXT: tc.reduce thread
// CHECK: tc.par block (%{{.*}}) = (0) to (100)
func.func @reductions(%A: memref<37x100xf32>, %B: memref<37xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (37) {
    tc.reduce (%j) = (0) to (17) init(%zero : f32) {
      tc.par (%k) = (0) to (100) {
        memref.store %zero, %A[%j, %k] : memref<37x100xf32>
      }
      tc.yield %zero : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %b : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<37xf32>
    }
  }
  tc.par (%i) = (0) to (37) {
    tc.reduce (%j) = (0) to (16) init(%zero : f32) {
      tc.yield %zero : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %b : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<37xf32>
    }
  }
  tc.par (%i) = (0) to (37) {
    tc.reduce thread (%j) = (0) to (1000) init(%zero : f32) {
      tc.yield %zero : f32
    } combine (%a: f32, %b: f32) {
      tc.yield %b : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<37xf32>
    }
    tc.par (%k) = (0) to (100) {
      %s = memref.load %B[%i] : memref<37xf32>
      memref.store %s, %A[%i, %k] : memref<37x100xf32>
    }
  }
  return
}

// What asks for threads that know of each other, outside of a grid, is one block or one
// cluster.
// CHECK-LABEL: @one_block(
// CHECK: tc.par grid () = () to () {
// CHECK-NEXT: tc.par block (%{{.*}}) = (0) to (20) {
// CHECK: tc.seq
// CHECK-NEXT: tc.par grid () = () to () {
// CHECK-NEXT: tc.par warpgroup (%{{.*}}) = (0) to (200) {
// CHECK: tc.par grid () = () to () {
// CHECK-NEXT: tc.par cluster (%{{.*}}) = (0) to (4) {
// CHECK-NEXT: tc.par block
// CHECK: tc.par grid () = () to () {
// CHECK-NEXT: tc.par full align(32) block (%{{.*}}) = (0) to (32) {
func.func @one_block() {
  tc.par block (%i) = (0) to (20) {
    func.call @work() : () -> ()
  }
  tc.seq (%k) = (0) to (3) {
    tc.par warpgroup (%i) = (0) to (200) {
      func.call @work() : () -> ()
    }
  }
  tc.par cluster (%q) = (0) to (4) {
    tc.par (%t) = (0) to (100) {
      func.call @work() : () -> ()
    }
  }
  tc.par full align(32) (%l) = (0) to (32) {
    func.call @work() : () -> ()
  }
  return
}

// Lanes reduce what a warp of a block runs.
// CHECK-LABEL: @reductions_of_one_block(
// CHECK: tc.par grid () = () to () {
// CHECK-NEXT: tc.reduce block
// CHECK: tc.par grid () = () to () {
// CHECK-NEXT: tc.par block () = () to () {
// CHECK-NEXT: tc.reduce warp
// CHECK: tc.par grid () = () to () {
// CHECK-NEXT: tc.par block () = () to () {
// CHECK-NEXT: tc.scan thread
func.func @reductions_of_one_block(%r: memref<f32>, %x: f32) {
  tc.reduce block (%j) = (0) to (100) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %b : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  tc.reduce warp (%j) = (0) to (100) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %b : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  tc.scan thread (%j) = (0) to (100) init(%x : f32) {
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    tc.yield %b : f32
  } finish (%j: index, %s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  return
}
