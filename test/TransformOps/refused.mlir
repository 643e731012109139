// Steps that are refused: the error, the two iterations, and what would help.
//
// RUN: tc-opt %s --split-input-file --transform-interpreter --verify-diagnostics

// An interchange that a skew makes legal.
module attributes {transform.with_named_sequence} {
func.func @interchange(%A: memref<10x10xi32>) {
  // expected-error @below {{interchange would change the order of two iterations that depend on each other}}
  // expected-note @below {{legal after a skew of dimension 1 by 1 times dimension 0}}
  tc.seq (%i, %j) = (0, 1) to (9, 10) {
    %next = affine.apply affine_map<(d) -> (d + 1)>(%i)
    %before = affine.apply affine_map<(d) -> (d - 1)>(%j)
    // expected-note-re @below {{iteration ({{.*}}) reads here first}}
    %x = memref.load %A[%next, %before] : memref<10x10xi32>
    // expected-note-re @below {{iteration ({{.*}}) writes the same element here}}
    memref.store %x, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.interchange %nest order = [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// A reduction into one element: no dimension is parallel.
module attributes {transform.with_named_sequence} {
func.func @sum(%A: memref<10xi32>, %B: memref<1xi32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{running in parallel would change the order of two iterations that depend on each other}}
  tc.seq (%i) = (0) to (10) {
    %x = memref.load %A[%i] : memref<10xi32>
    // expected-note @below {{reads here first}}
    %y = memref.load %B[%zero] : memref<1xi32>
    %z = arith.addi %x, %y : i32
    // expected-note @below {{writes the same element here}}
    memref.store %z, %B[%zero] : memref<1xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  %p = transform.tc.parallelize %nest : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// Rows are parallel, elements of a row are not.
module attributes {transform.with_named_sequence} {
func.func @rows(%A: memref<4x10xi32>) {
  // expected-error @below {{running in parallel would change the order}}
  // expected-note @below {{legal for dimension 0 alone, as the innermost}}
  tc.seq (%i, %j) = (0, 1) to (4, 10) {
    %before = affine.apply affine_map<(d) -> (d - 1)>(%j)
    // expected-note @below {{reads the same element here}}
    %x = memref.load %A[%i, %before] : memref<4x10xi32>
    // expected-note @below {{writes here first}}
    memref.store %x, %A[%i, %j] : memref<4x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  %p = transform.tc.parallelize %nest : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// A subscript that is loaded: nothing excludes it, nothing shows it.
module attributes {transform.with_named_sequence} {
func.func @scatter(%A: memref<10xindex>, %B: memref<10xi32>, %v: i32) {
  // expected-error @below {{not proven: running in parallel may change the order of iterations that depend on each other}}
  tc.seq (%i) = (0) to (10) {
    %at = memref.load %A[%i] : memref<10xindex>
    // expected-note @below {{writes here first}}
    // expected-note @below {{writes what may be the same element here}}
    memref.store %v, %B[%at] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  %p = transform.tc.parallelize %nest : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// A call may do anything.
module attributes {transform.with_named_sequence} {
func.func private @print(i32)
func.func @calls(%v: i32) {
  // expected-error @below {{not proven: it is not known what 'func.call' in the nest does}}
  tc.seq (%i) = (0) to (10) {
    func.call @print(%v) : (i32) -> ()
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  %p = transform.tc.parallelize %nest : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// Sums of floats depend on their order.
module attributes {transform.with_named_sequence} {
func.func @floats(%B: memref<1xf32>, %v: f32) {
  %zero = arith.constant 0 : index
  // expected-error @below {{reversing would change the order of two iterations that depend on each other}}
  tc.seq (%i) = (0) to (10) {
    // expected-note @below {{writes here first}}
    // expected-note @below {{writes the same element here}}
    %old = memref.atomic_rmw addf %v, %B[%zero] : (f32, memref<1xf32>) -> f32
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  %p = transform.tc.reverse %nest dim = 0 : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// Values that are carried.
module attributes {transform.with_named_sequence} {
func.func @carried(%v: i32) -> i32 {
  // expected-error @below {{expected a tc.seq that carries no values}}
  %r = tc.seq (%i) = (0) to (10) init(%x = %v : i32) {
    tc.yield %x : i32
  }
  return %r : i32
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  %p = transform.tc.reverse %nest dim = 0 : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// A level is given last.
module attributes {transform.with_named_sequence} {
func.func @bound(%A: memref<10xi32>, %v: i32) {
  // expected-error @below {{expected a tc.par without a level, before it is dealt out}}
  tc.par grid (%i) = (0) to (10) {
    memref.store %v, %A[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.tile %nest sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// As many sizes as dimensions.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a size for each of 2 dimensions, found 1}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.tile %nest sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// Sizes out of range.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a size of less than 2^31, found 9223372036854775807}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.tile %nest sizes [9223372036854775807, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// Factors out of range.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a factor of less than 2^31, found -2147483648}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.skew %nest dim = 1 by = 0 factor = -2147483648 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// Distances out of range.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a distance of less than 2^31, found 2147483648}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a = transform.tc.shift %nest dim = 1 distance = 2147483648 : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// Sizes that are none.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected sizes of at least 0, found -1}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.tile %nest sizes [-1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// No tile.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a size other than 0}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.tile %nest sizes [0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// Numbers of dimensions.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a dimension from 0 to 1, found 2}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a = transform.tc.reverse %nest dim = 2 : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// The order of a skew.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a skew by a dimension before 0, found 1}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.skew %nest dim = 0 by = 1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// No permutation.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected each number from 0 to 1 once}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.interchange %nest order = [1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// More dimensions than there are.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected 3 dimensions of nests in each other and nothing else between them, found 2}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.interchange %nest order = [1, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// The wrong kind.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a tc.seq, found 'tc.par'}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a = transform.tc.parallelize %nest : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// The wrong kind of unroll.
module attributes {transform.with_named_sequence} {
func.func @plain(%A: memref<10x10xi32>, %v: i32) {
  // expected-error @below {{expected a tc.seq, found 'tc.par'}}
  tc.par (%i, %j) = (0, 0) to (10, 10) {
    memref.store %v, %A[%i, %j] : memref<10x10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  transform.tc.unroll %nest factor [2] : !transform.any_op
  transform.yield
}
}

// -----

// Two nests that depend on each other.
module attributes {transform.with_named_sequence} {
func.func @fuse(%A: memref<11xi32>, %B: memref<10xi32>, %v: i32) {
  // expected-error @below {{fusing would change the order of two iterations that depend on each other}}
  tc.par (%i) = (0) to (10) {
    // expected-note @below {{writes here first}}
    memref.store %v, %A[%i] : memref<11xi32>
  }
  tc.par (%i) = (0) to (10) {
    %next = affine.apply affine_map<(d) -> (d + 1)>(%i)
    // expected-note @below {{reads the same element here}}
    %x = memref.load %A[%next] : memref<11xi32>
    memref.store %x, %B[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.split_handle %nest : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %c = transform.tc.fuse %a, %b : (!transform.any_op, !transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// Two spaces.
module attributes {transform.with_named_sequence} {
func.func @spaces(%A: memref<11xi32>, %v: i32) {
  // expected-error @below {{expected nests over one space}}
  tc.par (%i) = (0) to (10) {
    memref.store %v, %A[%i] : memref<11xi32>
  }
  tc.par (%i) = (0) to (11) {
    memref.store %v, %A[%i] : memref<11xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.split_handle %nest : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %c = transform.tc.fuse %a, %b : (!transform.any_op, !transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// Memory between the nests.
module attributes {transform.with_named_sequence} {
func.func @between(%A: memref<10xi32>, %v: i32) {
  %zero = arith.constant 0 : index
  // expected-error @below {{expected nothing that touches memory between the nests, found 'memref.store'}}
  tc.par (%i) = (0) to (10) {
    memref.store %v, %A[%i] : memref<10xi32>
  }
  memref.store %v, %A[%zero] : memref<10xi32>
  tc.par (%i) = (0) to (10) {
    memref.store %v, %A[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.split_handle %nest : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %c = transform.tc.fuse %a, %b : (!transform.any_op, !transform.any_op) -> !transform.any_op
  transform.yield
}
}

// -----

// An earlier iteration of the second part is needed.
module attributes {transform.with_named_sequence} {
func.func @cut(%A: memref<11xi32>, %B: memref<11xi32>) {
  tc.seq (%i) = (1) to (11) {
    %before = affine.apply affine_map<(d) -> (d - 1)>(%i)
    // expected-note @below {{reads the same element here}}
    %x = memref.load %B[%before] : memref<11xi32>
    memref.store %x, %A[%i] : memref<11xi32>
    // expected-error @below {{distributing would change the order of two iterations that depend on each other}}
    %y = memref.load %A[%i] {cut} : memref<11xi32>
    // expected-note @below {{writes here first}}
    memref.store %y, %B[%i] : memref<11xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %cut = transform.structured.match attributes{cut} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.distribute before %cut : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// A value of one part that the other needs.
module attributes {transform.with_named_sequence} {
func.func @crossing(%A: memref<11xi32>, %B: memref<11xi32>) {
  tc.par (%i) = (0) to (11) {
    %x = memref.load %A[%i] : memref<11xi32>
    // expected-error @below {{expected no value but arithmetic that both parts need, found one of 'memref.load'}}
    memref.store %x, %B[%i] {cut} : memref<11xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %cut = transform.structured.match attributes{cut} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.distribute before %cut : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// A loop inside of a nest goes before it as a whole.
module attributes {transform.with_named_sequence} {
func.func @loops(%A: memref<10xi32>, %n: memref<10xindex>) {
  // expected-error @below {{expected all dimensions of the tc.seq before all of the tc.par}}
  tc.par (%i) = (0) to (10) {
    tc.seq (%k) = (0) to (4) {
      %x = memref.load %A[%i] : memref<10xi32>
      memref.store %x, %A[%i] : memref<10xi32>
    }
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.interchange %nest order = [0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// Memory beside the loop.
module attributes {transform.with_named_sequence} {
func.func @loops(%A: memref<10xi32>, %n: memref<10xindex>) {
  // expected-error @below {{expected 2 dimensions of nests in each other and nothing else between them, found 1}}
  tc.par (%i) = (0) to (10) {
    %end = memref.load %n[%i] : memref<10xindex>
    tc.seq (%k) = (0) to (%end) {
      %x = memref.load %A[%i] : memref<10xi32>
      memref.store %x, %A[%i] : memref<10xi32>
    }
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.interchange %nest order = [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// Loops of as many lengths as iterations.
module attributes {transform.with_named_sequence} {
func.func @loops(%A: memref<10xi32>, %n: memref<10xindex>) {
  // expected-error @below {{expected a tc.seq with the same bounds in all iterations}}
  tc.par (%i) = (0) to (10) {
    tc.seq (%k) = (0) to (%i) {
      %x = memref.load %A[%i] : memref<10xi32>
      memref.store %x, %A[%i] : memref<10xi32>
    }
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %a, %b = transform.tc.interchange %nest order = [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// -----

// A cache of what is no load.
module attributes {transform.with_named_sequence} {
func.func @store(%A: memref<10xi32>, %v: i32) {
  tc.par (%i) = (0) to (10) {
    // expected-error @below {{expected a memref.load inside of the nest, found 'memref.store'}}
    memref.store %v, %A[%i] {load} : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %l = transform.structured.match attributes{load} in %m : (!transform.any_op) -> !transform.any_op
  transform.tc.cache %l in %nest : !transform.any_op, !transform.any_op
  transform.yield
}
}

// -----

// An order of other dimensions.
module attributes {transform.with_named_sequence} {
func.func @order(%A: memref<10xi32>, %B: memref<10xi32>) {
  tc.par (%i) = (0) to (10) {
    // expected-error @below {{expected the order of 1 dimensions, got [1, 0]}}
    %x = memref.load %A[%i] {load} : memref<10xi32>
    memref.store %x, %B[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!transform.any_op) -> !transform.any_op
  %l = transform.structured.match attributes{load} in %m : (!transform.any_op) -> !transform.any_op
  transform.tc.cache %l in %nest order = [1, 0] : !transform.any_op, !transform.any_op
  transform.yield
}
}

// -----

// Stages of a loop that stages nothing.
module attributes {transform.with_named_sequence} {
func.func @stages(%A: memref<11xi32>) {
  // expected-error @below {{expected at least 1 stage, got 0}}
  tc.seq (%i) = (0) to (11) {
    %x = memref.load %A[%i] : memref<11xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!transform.any_op) -> !transform.any_op
  transform.tc.pipeline %nest stages = 0 : !transform.any_op
  transform.yield
}
}
