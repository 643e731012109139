// tc-fuse-nests: which nests become one, and why others do not.
//
// RUN: tc-opt %s --tc-fuse-nests | FileCheck %s
// RUN: tc-opt %s --tc-fuse-nests --remarks-filter=tc-fuse-nests -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
//
// Twice is once.
// RUN: tc-opt %s --tc-fuse-nests > %t.once
// RUN: tc-opt %t.once --tc-fuse-nests | diff %t.once -

// Bounds that are alike are one bound; ops without effects may stand between.
// CHECK-LABEL: @dynamic(
// CHECK: tc.par (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%{{.*}}, 8) {
// CHECK: memref.store %{{.*}}, %arg1[%[[I]], %[[J]]]
// CHECK: memref.store %{{.*}}, %arg2[%[[J]], %[[I]]]
// CHECK-NOT: tc.par
// CHECK: return
func.func @dynamic(%A: memref<?x8xf32>, %B: memref<?x8xf32>, %C: memref<8x?xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?x8xf32>
  tc.par (%i) = (0) to (%m) {
    tc.par (%j) = (0) to (8) {
      %x = memref.load %A[%i, %j] : memref<?x8xf32>
      memref.store %x, %B[%i, %j] : memref<?x8xf32>
    }
  }
  %zero = arith.constant 0 : index
  %n = memref.dim %A, %zero : memref<?x8xf32>
  tc.par (%i, %j) = (0, 0) to (%n, 8) {
    %x = memref.load %B[%i, %j] : memref<?x8xf32>
    memref.store %x, %C[%j, %i] : memref<8x?xf32>
  }
  return
}

// Values of both reductions are combined, those of the second one first.
// CHECK-LABEL: @sums(
// CHECK: tc.reduce (%{{.*}}) = (0) to (64) init(%{{.*}} : i32, %{{.*}} : f32) commutative {
// CHECK:   tc.yield %{{.*}}, %{{.*}} : i32, f32
// CHECK: } combine (%[[A:.*]]: i32, %[[X:.*]]: f32, %[[B:.*]]: i32, %[[Y:.*]]: f32) {
// CHECK:   %[[F:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK:   %[[N:.*]] = arith.addi %[[A]], %[[B]] : i32
// CHECK:   tc.yield %[[N]], %[[F]] : i32, f32
// CHECK: } finish (%[[N:.*]]: i32, %[[F:.*]]: f32) {
// CHECK:   memref.store %[[F]], %arg2[]
// CHECK:   memref.store %[[N]], %arg3[]
func.func @sums(%A: memref<64xf32>, %B: memref<64xi32>, %r: memref<f32>, %n: memref<i32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  tc.reduce (%i) = (0) to (64) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<64xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  tc.reduce (%i) = (0) to (64) init(%none : i32) commutative {
    %x = memref.load %B[%i] : memref<64xi32>
    tc.yield %x : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  } finish (%s: i32) {
    memref.store %s, %n[] : memref<i32>
  }
  return
}

// What needs the result of a reduction stays behind it.
// CHECK-LABEL: @normalise(
// CHECK: tc.reduce
// CHECK: tc.par
// REMARK: 'tc.reduce' is no part of the 'tc.par' behind it: 'memref.store' and 'memref.load' may reach one element in different iterations
func.func @normalise(%A: memref<64xf32>, %r: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  tc.reduce (%i) = (0) to (64) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<64xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  tc.par (%i) = (0) to (64) {
    %s = memref.load %r[] : memref<f32>
    %x = memref.load %A[%i] : memref<64xf32>
    %y = arith.divf %x, %s : f32
    memref.store %y, %A[%i] : memref<64xf32>
  }
  return
}

// A scan finishes an index before others have begun: what the map reads of it
// would be new already.
// CHECK-LABEL: @in_place(
// CHECK: tc.par
// CHECK: tc.scan
// REMARK: 'tc.par' is no part of the 'tc.scan' behind it: 'memref.load' and 'memref.store' may reach one element in different iterations
func.func @in_place(%A: memref<65xf32>, %t: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (64) {
    %next = affine.apply affine_map<(i) -> (i + 1)>(%i)
    %x = memref.load %A[%next] : memref<65xf32>
    memref.store %x, %t[%i] : memref<64xf32>
  }
  tc.scan (%i) = (0) to (64) init(%zero : f32) {
    %x = memref.load %t[%i] : memref<64xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%i: index, %s: f32) {
    memref.store %s, %A[%i] : memref<65xf32>
  }
  return
}

// CHECK-LABEL: @apart(
// CHECK-COUNT-5: tc.par
// REMARK: 'tc.par' is no part of the 'tc.par' behind it: their index spaces differ
// REMARK: 'tc.par' is no part of the 'tc.par' behind it: 'memref.copy' stands between them
// REMARK: 'tc.par' is no part of the 'tc.par' behind it: it is written who runs them
// REMARK: 'tc.par' is no part of the 'tc.par' behind it: 'func.call' is in one of them
func.func private @work(index)
func.func @apart(%A: memref<64xf32>, %B: memref<64xf32>) {
  %x = arith.constant 1.0 : f32
  tc.par (%i) = (0) to (63) {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  tc.par (%i) = (0) to (64) {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  memref.copy %A, %B : memref<64xf32> to memref<64xf32>
  tc.par (%i) = (0) to (64) {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  tc.par device (%i) = (0) to (64) {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  return
}

func.func @calls(%A: memref<64xf32>) {
  %x = arith.constant 1.0 : f32
  tc.par (%i) = (0) to (64) {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  tc.par (%i) = (0) to (64) {
    func.call @work(%i) : (index) -> ()
  }
  return
}

// Loops inside would no longer be parallel with those round them.
// CHECK-LABEL: @triangles(
// CHECK: tc.par (%{{.*}}) = (0) to (64) {
// CHECK: tc.par (%{{.*}}) = (0) to (64) {
func.func @triangles(%A: memref<64x64xf32>) {
  %x = arith.constant 1.0 : f32
  tc.par (%i) = (0) to (64) {
    tc.par (%j) = (0) to (%i) {
      memref.store %x, %A[%i, %j] : memref<64x64xf32>
    }
  }
  tc.par (%i) = (0) to (64) {
    tc.par (%j) = (0) to (%i) {
      memref.store %x, %A[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// A reduction of few values is for one thread, which is too few for a map.
// CHECK-LABEL: @few(
// CHECK: tc.par
// CHECK: tc.reduce
// REMARK: 'tc.par' is no part of the 'tc.reduce' behind it: one thread combines so few values
func.func @few(%A: memref<16xf32>, %r: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (16) {
    memref.store %zero, %A[%i] : memref<16xf32>
  }
  tc.reduce (%i) = (0) to (16) init(%zero : f32) commutative {
    %x = memref.load %A[%i] : memref<16xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  return
}

// Which buffer it is changes from one round of a loop to the next.
// CHECK-LABEL: @swapped(
// CHECK-COUNT-2: tc.par
func.func @swapped(%A: memref<64xf32>, %B: memref<64xf32>) {
  %x = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tc.par (%i) = (0) to (64) {
    %a, %b = scf.for %k = %c0 to %c1 step %c1 iter_args(%p = %A, %q = %B) -> (memref<64xf32>, memref<64xf32>) {
      memref.store %x, %p[%i] : memref<64xf32>
      scf.yield %q, %p : memref<64xf32>, memref<64xf32>
    }
  }
  tc.par (%i) = (0) to (64) {
    %other = affine.apply affine_map<(i) -> (63 - i)>(%i)
    %y = memref.load %A[%other] : memref<64xf32>
    memref.store %y, %B[%i] : memref<64xf32>
  }
  return
}

// More than registers hold stays outside.
// CHECK-LABEL: @long(
// CHECK: tc.new : memref<65x100xf32>
// CHECK: tc.par
// CHECK: tc.new : memref<64xf32>
func.func @long(%A: memref<100x65xf32>) {
  %t = tc.new : memref<65x100xf32>
  %u = tc.new : memref<64x100xf32>
  tc.par (%i) = (0) to (100) {
    tc.seq (%k) = (0) to (64) {
      %y = memref.load %A[%i, %k] : memref<100x65xf32>
      memref.store %y, %t[%k, %i] : memref<65x100xf32>
      memref.store %y, %u[%k, %i] : memref<64x100xf32>
    }
  }
  tc.par (%i) = (0) to (100) {
    tc.seq (%k) = (0) to (64) {
      %last = affine.apply affine_map<(k) -> (63 - k)>(%k)
      %y = memref.load %t[%last, %i] : memref<65x100xf32>
      %z = memref.load %u[%last, %i] : memref<64x100xf32>
      %s = arith.addf %y, %z : f32
      memref.store %s, %A[%i, %k] : memref<100x65xf32>
    }
  }
  return
}

// Neighbours in rows become one space with these.
// CHECK-LABEL: @band(
// CHECK: tc.par (%{{.*}}, %{{.*}}) = (0, 0) to (9, 32) {
// CHECK-NOT: tc.par
// CHECK: return
func.func @band(%A: memref<9x32xf32>, %B: memref<9x32xf32>) {
  tc.par (%i) = (0) to (9) {
    tc.par (%j) = (0) to (32) {
      %y = memref.load %A[%i, %j] : memref<9x32xf32>
      memref.store %y, %B[%i, %j] : memref<9x32xf32>
    }
    tc.par (%j) = (0) to (32) {
      %y = memref.load %B[%i, %j] : memref<9x32xf32>
      memref.store %y, %A[%i, %j] : memref<9x32xf32>
    }
  }
  return
}

// Inside of rows of their own they are neighbours, too. A buffer of which
// iterations share elements stays where it is.
// CHECK-LABEL: @rows(
// CHECK: tc.par (%[[I:.*]]) = (0) to (9) {
// CHECK:   tc.new : memref<32xf32>
// CHECK:   tc.par (%[[J:.*]]) = (0) to (%[[I]]) {
// CHECK:     %[[T:.*]] = tc.new : memref<f32>
// CHECK:     memref.store %{{.*}}, %[[T]][]
// CHECK:     memref.load %[[T]][]
// CHECK-NOT: tc.par
// CHECK: return
func.func @rows(%A: memref<9x32xf32>, %B: memref<9x32xf32>) {
  %x = arith.constant 1.0 : f32
  tc.par (%i) = (0) to (9) {
    %t = tc.new : memref<32xf32>
    %u = tc.new : memref<32xf32>
    tc.par (%j) = (0) to (%i) {
      %y = memref.load %A[%i, %j] : memref<9x32xf32>
      memref.store %y, %t[%j] : memref<32xf32>
      memref.store %y, %u[%j] : memref<32xf32>
    }
    tc.par (%j) = (0) to (%i) {
      %y = memref.load %t[%j] : memref<32xf32>
      memref.store %y, %B[%i, %j] : memref<9x32xf32>
    }
    %c3 = arith.constant 3 : index
    %y = memref.load %u[%c3] : memref<32xf32>
    scf.execute_region {
      memref.store %y, %B[%i, %c3] : memref<9x32xf32>
      scf.yield
    }
  }
  return
}

// So does what the program allocates, of however many iterations.
// CHECK-LABEL: @allocated(
// CHECK-NOT: memref.alloc
// CHECK: tc.par (%[[I:.*]]) =
// CHECK:   %[[T:.*]] = tc.new : memref<2xf32>
// CHECK:   memref.store %{{.*}}, %[[T]][%{{.*}}]
// CHECK:   memref.load %[[T]][%{{.*}}]
// CHECK-NOT: tc.par
// CHECK: return
func.func @allocated(%A: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %t = memref.alloc(%n) : memref<?x2xf32>
  tc.par (%i) = (0) to (%n) {
    %y = memref.load %A[%i] : memref<?xf32>
    memref.store %y, %t[%i, %c1] : memref<?x2xf32>
  }
  tc.par (%i) = (0) to (%n) {
    %y = memref.load %t[%i, %c1] : memref<?x2xf32>
    %s = arith.addf %y, %y : f32
    memref.store %s, %A[%i] : memref<?xf32>
  }
  return
}
