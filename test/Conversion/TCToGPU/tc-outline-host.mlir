// tc-outline-host: which nests are the host's, and what their functions take.
//
// RUN: tc-opt %s --tc-outline-host | FileCheck %s

func.func private @ext(f32) -> f32
func.func private @of_memref(memref<8xf32>)
func.func private @__nv_erff(f32) -> f32
func.func private @malloc(i64) -> i64
func.func private @inner(%x: f32) -> f32 {
  %y = call @ext(%x) : (f32) -> f32
  return %y : f32
}

// Functions of libdevice and of the driver are in every kernel.
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT: tc.par
// CHECK-NOT: _host
func.func @stays(%A: memref<8xf32>, %n: i64) {
  tc.par (%i) = (0) to (8) {
    %x = memref.load %A[%i] : memref<8xf32>
    %y = func.call @__nv_erff(%x) : (f32) -> f32
    %m = func.call @malloc(%n) : (i64) -> i64
    memref.store %y, %A[%i] : memref<8xf32>
  }
  return
}

// Views and constants are the function's own, so that a buffer is copied once. Numbers
// are passed. A function that is called may write what it gets.
// CHECK-LABEL: func.func @captures(
// CHECK: tc.par
// CHECK: call @captures_host(%{{.*}}, %{{.*}}, %{{.*}}) : (index, f32, memref<16xf32>) -> ()
// CHECK: call @captures_host_0(%{{.*}}) : (memref<16xf32>) -> ()
// CHECK: func.func private @captures_host_0
// CHECK: func.func private @captures_host(
// CHECK-COUNT-1: gpu.memcpy
// CHECK: memref.subview
// CHECK: scf.for
// CHECK: call @inner
// CHECK-COUNT-1: gpu.memcpy
// CHECK-NOT: gpu.memcpy
// CHECK: return
func.func @captures(%A: memref<16xf32>, %x: f32, %n: index) {
  %c2 = arith.constant 2 : index
  tc.par (%i) = (0) to (16) {
    memref.store %x, %A[%i] : memref<16xf32>
  }
  %s = memref.subview %A[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %d = memref.cast %s : memref<8xf32, strided<[1]>> to memref<8xf32>
  tc.par (%i) = (0) to (%n) {
    %v = memref.load %d[%c2] : memref<8xf32>
    %y = func.call @inner(%v) : (f32) -> f32
    %z = arith.addf %x, %y : f32
    memref.store %z, %A[%i] : memref<16xf32>
  }
  tc.par (%i) = (0) to (1) {
    func.call @of_memref(%d) : (memref<8xf32>) -> ()
  }
  return
}

// The space of a buffer is the device's.
// CHECK-LABEL: func.func private @space_host(
// CHECK-SAME: %[[A:.*]]: memref<8xf32, 1>)
// CHECK: %[[H:.*]] = memref.alloc() : memref<8xf32>
// CHECK: gpu.memcpy async [%{{.*}}] %[[H]], %[[A]] : memref<8xf32>, memref<8xf32, 1>
func.func @space(%A: memref<8xf32, 1>) {
  tc.par (%i) = (0) to (8) {
    %x = memref.load %A[%i] : memref<8xf32, 1>
    %y = func.call @ext(%x) : (f32) -> f32
    memref.store %y, %A[%i] : memref<8xf32, 1>
  }
  return
}

// What may be another name of a buffer may be written.
// CHECK-LABEL: func.func private @select_host(
// CHECK-COUNT-2: gpu.memcpy
// CHECK: arith.select
// CHECK-COUNT-2: gpu.memcpy
func.func @select(%A: memref<8xf32>, %B: memref<8xf32>, %c: i1) {
  tc.par (%i) = (0) to (8) {
    %s = arith.select %c, %A, %B : memref<8xf32>
    %x = memref.load %s[%i] : memref<8xf32>
    %y = func.call @ext(%x) : (f32) -> f32
    memref.store %y, %s[%i] : memref<8xf32>
  }
  return
}
