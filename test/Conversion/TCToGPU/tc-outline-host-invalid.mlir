// Nests that can be neither a kernel's nor the host's.
//
// RUN: tc-opt %s --tc-outline-host --split-input-file --verify-diagnostics
// RUN: not tc-opt %s --tc-outline-host=refuse=true --split-input-file 2>&1 | FileCheck %s
// CHECK: :[[#@LINE+8]]:10: error: expected a function with a body, or of libdevice, got 'ext'
// CHECK: :[[#@LINE+5]]:3: note: the nest

func.func private @ext(f32) -> f32
func.func @strided(%A: memref<8xf32, strided<[2]>>) {
  // expected-error @+1 {{expected buffers of a nest on the host to be dense, since they are copied, got 'memref<8xf32, strided<[2]>>'}}
  tc.par (%i) = (0) to (8) {
    %x = memref.load %A[%i] : memref<8xf32, strided<[2]>>
    %y = func.call @ext(%x) : (f32) -> f32
    memref.store %y, %A[%i] : memref<8xf32, strided<[2]>>
  }
  return
}

// -----

func.func private @ext(f32) -> f32
func.func @ptx(%A: memref<8xf32>) {
  tc.par (%i) = (0) to (8) {
    %x = memref.load %A[%i] : memref<8xf32>
    // expected-error @+1 {{expected no PTX in a program for the CPU}}
    %z = tc.ptx "neg.f32 $0, $1;" (%x) : (f32) -> f32
    %y = func.call @ext(%z) : (f32) -> f32
    memref.store %y, %A[%i] : memref<8xf32>
  }
  return
}
