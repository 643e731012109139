// RUN: tc-opt %s --tc-map-host=vector-bits=48 --verify-diagnostics

// expected-error @below {{expected vectors of a multiple of 64 bits, got 48 bits}}
func.func @f() {
  return
}
