// Steps on where values lie, and vectors, that are refused.
//
// RUN: tc-opt %s --split-input-file --transform-interpreter --verify-diagnostics

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @changed(%A: memref<10xi32>, %C: memref<10xi32>) {
  %T = tc.new : memref<10xi32>
  // expected-error @below {{computing later would change the order of two iterations that depend on each other}}
  tc.par (%i) = (0) to (10) {
    // expected-note-re @below {{iteration ({{.*}}) reads here first}}
    %x = memref.load %A[%i] : memref<10xi32>
    memref.store %x, %T[%i] : memref<10xi32>
  }
  tc.par (%i) = (0) to (10) {
    %c = arith.constant 1 : i32
    // expected-note @below {{writes the same element here}}
    memref.store %c, %A[%i] : memref<10xi32>
  }
  tc.par (%i) = (0) to (10) {
    %x = memref.load %T[%i] : memref<10xi32>
    memref.store %x, %C[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %nests = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
  %p, %w, %c = transform.split_handle %nests : (!op) -> (!op, !op, !op)
  %b = transform.tc.compute_at %p in %c : (!op, !op) -> !op
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @whole(%A: memref<10xi32>, %C: memref<10xi32>, %n: index) {
  %T = tc.new : memref<10xi32>
  // expected-error @below {{expected the consumer to read a box, found subscript 0 not linear in indices of constant extents}}
  tc.par (%i) = (0) to (10) {
    %x = memref.load %A[%i] : memref<10xi32>
    memref.store %x, %T[%i] : memref<10xi32>
  }
  tc.par (%i) = (0) to (10) {
    tc.seq (%j) = (0) to (%n) {
      %x = memref.load %T[%j] : memref<10xi32>
      memref.store %x, %C[%i] : memref<10xi32>
    }
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %nests = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
  %p, %c = transform.split_handle %nests : (!op) -> (!op, !op)
  %b = transform.tc.compute_at %p in %c : (!op, !op) -> !op
  transform.yield
}
}

// -----

// A row too few is kept.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @rows(%A: memref<10x4xi32>) {
  // expected-error @below {{two elements of one place would be needed at one time}}
  %T = tc.new init(0 : i32) : memref<10x4xi32>
  tc.seq (%i, %j) = (1, 0) to (10, 4) {
    %above = affine.apply affine_map<(d) -> (d - 1)>(%i)
    %next = affine.apply affine_map<(d) -> ((d + 1) mod 4)>(%j)
    // expected-note-re @below {{iteration ({{.*}}) reads the value here}}
    %x = memref.load %T[%above, %next] : memref<10x4xi32>
    memref.store %x, %A[%i, %j] : memref<10x4xi32>
    // expected-note-re @below {{iteration ({{.*}}) writes a value here}}
    // expected-note-re @below {{iteration ({{.*}}) writes another one to its place here}}
    memref.store %x, %T[%i, %j] : memref<10x4xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %T = transform.structured.match ops{["tc.new"]} in %m : (!op) -> !op
  transform.tc.store_in %T layout = affine_map<(i, j) -> (0, j)> : !op
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @race(%A: memref<10xi32>) {
  // expected-error @below {{iterations that are independent would write to one place}}
  %T = tc.new : memref<10xi32>
  tc.par (%i) = (0) to (10) {
    %x = memref.load %A[%i] : memref<10xi32>
    // expected-note-re @below {{iteration ({{.*}}) writes a value here}}
    // expected-note-re @below {{iteration ({{.*}}) writes another one to its place here}}
    memref.store %x, %T[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %T = transform.structured.match ops{["tc.new"]} in %m : (!op) -> !op
  transform.tc.store_in %T layout = affine_map<(i) -> (i mod 2)> : !op
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @places(%A: memref<10xi32>) {
  // expected-error @below {{expected subscripts from 0 on, by result 0 of the layout}}
  %T = tc.new : memref<10xi32>
  tc.par (%i) = (0) to (10) {
    %x = memref.load %A[%i] : memref<10xi32>
    memref.store %x, %T[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %T = transform.structured.match ops{["tc.new"]} in %m : (!op) -> !op
  transform.tc.store_in %T layout = affine_map<(i) -> (i - 1)> : !op
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @carried(%A: memref<10x4xi32>) {
  // expected-error @below {{a buffer for each iteration would change the order of two iterations that depend on each other}}
  %T = tc.new init(0 : i32) : memref<4xi32>
  tc.seq (%i) = (0) to (10) {
    tc.seq (%j) = (0) to (4) {
      // expected-note @below {{reads the same element here}}
      %x = memref.load %T[%j] : memref<4xi32>
      %y = memref.load %A[%i, %j] : memref<10x4xi32>
      %z = arith.addi %x, %y : i32
      // expected-note @below {{writes here first}}
      memref.store %z, %T[%j] : memref<4xi32>
    }
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %T = transform.structured.match ops{["tc.new"]} in %m : (!op) -> !op
  %loops = transform.structured.match ops{["tc.seq"]} in %m : (!op) -> !op
  %inner, %outer = transform.split_handle %loops : (!op) -> (!op, !op)
  %part = transform.tc.store_at %T in %outer : (!op, !op) -> !op
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @sums(%A: memref<10xi32>) {
  // expected-error @below {{running by vectors would change the order}}
  tc.seq (%i) = (1) to (10) {
    %before = affine.apply affine_map<(d) -> (d - 1)>(%i)
    // expected-note-re @below {{iteration ({{.*}}) reads the same element here}}
    %x = memref.load %A[%before] : memref<10xi32>
    // expected-note-re @below {{iteration ({{.*}}) writes here first}}
    memref.store %x, %A[%i] : memref<10xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %m : (!op) -> !op
  %v, %r = transform.tc.vectorize %nest dim = 0 width = 4 : (!op) -> (!op, !op)
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @columns(%A: memref<12x4xi32>, %B: memref<12xi32>) {
  // expected-error @below {{expected 'memref.load' of neighbours or of one element, found elements apart along dimension 0}}
  tc.par (%i) = (0) to (12) {
    %zero = arith.constant 0 : index
    %x = memref.load %A[%i, %zero] : memref<12x4xi32>
    memref.store %x, %B[%i] : memref<12xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
  %v, %r = transform.tc.vectorize %nest dim = 0 width = 4 : (!op) -> (!op, !op)
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @bits(%A: memref<12xi1>, %B: memref<12xi1>) {
  // expected-error @below {{expected 'memref.load' of neighbours or of one element, found elements that are no whole bytes}}
  tc.par (%i) = (0) to (12) {
    %x = memref.load %A[%i] : memref<12xi1>
    memref.store %x, %B[%i] : memref<12xi1>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
  %v, %r = transform.tc.vectorize %nest dim = 0 width = 4 : (!op) -> (!op, !op)
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @wide(%A: memref<12xi32>) {
  // expected-error @below {{expected a width from 2 to 256, found 1}}
  tc.par (%i) = (0) to (12) {
    %x = memref.load %A[%i] : memref<12xi32>
    memref.store %x, %A[%i] : memref<12xi32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
  %v, %r = transform.tc.vectorize %nest dim = 0 width = 1 : (!op) -> (!op, !op)
  transform.yield
}
}

// -----

!op = !transform.any_op
module attributes {transform.with_named_sequence} {
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %T = transform.structured.match ops{["tc.new"]} in %m : (!op) -> !op
  // expected-error @below {{expected another buffer, a layout, or both}}
  transform.tc.store_in %T : !op
  transform.yield
}
}
