// RUN: tc-opt %s | tc-opt | FileCheck %s

// The largest element and where it is, by the threads of a block for each row.
func.func @argmax(%A: memref<?x?xf32>, %where: memref<?xindex>, %m: index, %n: index) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : index
  tc.par grid (%i) = (0) to (%m) {
    // CHECK: tc.reduce block (%{{.*}}) = (0) to (%{{.*}}) init(%{{.*}} : f32, %{{.*}} : index) {
    tc.reduce block (%j) = (0) to (%n) init(%low : f32, %none : index) {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      tc.yield %x, %j : f32, index
    // CHECK: } combine (%{{.*}}: f32, %{{.*}}: index, %{{.*}}: f32, %{{.*}}: index) {
    } combine (%x: f32, %j: index, %y: f32, %k: index) {
      %less = arith.cmpf olt, %x, %y : f32
      %z = arith.select %less, %y, %x : f32
      %l = arith.select %less, %k, %j : index
      tc.yield %z, %l : f32, index
    // CHECK: } finish (%{{.*}}: f32, %{{.*}}: index) {
    } finish (%x: f32, %j: index) {
      memref.store %j, %where[%i] : memref<?xindex>
    }
  }
  return
}

// Where each piece begins, from the sizes of the pieces.
func.func @offsets(%sizes: memref<?xi32>, %begins: memref<?xi32>, %n: index) {
  %zero = arith.constant 0 : i32
  // CHECK: tc.scan (%{{.*}}) = (0) to (%{{.*}}) init(%{{.*}} : i32) exclusive {
  tc.scan (%i) = (0) to (%n) init(%zero : i32) exclusive {
    %x = memref.load %sizes[%i] : memref<?xi32>
    tc.yield %x : i32
  } combine (%a: i32, %b: i32) {
    %s = arith.addi %a, %b : i32
    tc.yield %s : i32
  // CHECK: } finish (%{{.*}}: index, %{{.*}}: i32) {
  } finish (%i: index, %prefix: i32) {
    memref.store %prefix, %begins[%i] : memref<?xi32>
  }
  return
}
