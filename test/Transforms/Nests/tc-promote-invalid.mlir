// Buffers that cannot be where they are said to be.
//
// RUN: tc-opt %s --tc-promote --split-input-file --verify-diagnostics

func.func @shared_outside() {
  // expected-error @+1 {{'tc.new' op expected global memory outside of any tc.par, got 'memref<8xf32, #gpu.address_space<workgroup>>'}}
  %n = tc.new : memref<8xf32, #gpu.address_space<workgroup>>
  return
}
