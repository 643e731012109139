// tc-inline: what stays a call.
//
// RUN: tc-opt %s --tc-inline=host | FileCheck %s
//
// Host code goes on calling.
// RUN: tc-opt %s --tc-inline | FileCheck %s --check-prefix=HOST

// CHECK: func.func private @extern(f32) -> f32
func.func private @extern(f32) -> f32

// Two functions that call each other.
// CHECK: func.func private @even
// CHECK: call @odd
// CHECK: func.func private @odd
func.func private @even(%n: i32) -> i32 {
  %y = func.call @odd(%n) : (i32) -> i32
  return %y : i32
}
func.func private @odd(%n: i32) -> i32 {
  %y = func.call @even(%n) : (i32) -> i32
  return %y : i32
}

// CHECK: func.func private @branch
// HOST-LABEL: @branch
// HOST: call @twice
func.func private @branch(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : f32
^b:
  %y = func.call @twice(%x) : (f32) -> f32
  return %y : f32
}

func.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}

// A function that others may call stays.
// CHECK: func.func @public
// HOST-LABEL: func.func @public
// HOST: call @twice
func.func @public(%x: f32) -> f32 {
  %y = func.call @twice(%x) : (f32) -> f32
  return %y : f32
}

// CHECK: func.func @f
// CHECK: tc.par
// CHECK: call @extern
// CHECK: call @even
// CHECK: call @branch
//
// HOST-LABEL: func.func @f
// HOST: call @branch
// HOST-NOT: call @twice
//
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK-NOT: call
func.func @f(%A: memref<8xf32>, %B: memref<8xi32>, %c: i1) {
  tc.par (%i) = (0) to (8) {
    %x = memref.load %A[%i] : memref<8xf32>
    %n = memref.load %B[%i] : memref<8xi32>
    %0 = func.call @extern(%x) : (f32) -> f32
    %1 = func.call @even(%n) : (i32) -> i32
    %2 = func.call @branch(%c, %0) : (i1, f32) -> f32
    %3 = func.call @twice(%2) : (f32) -> f32
    %4 = func.call @public(%3) : (f32) -> f32
    memref.store %4, %A[%i] : memref<8xf32>
    memref.store %1, %B[%i] : memref<8xi32>
  }
  return
}
