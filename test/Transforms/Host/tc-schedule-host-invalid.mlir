// RUN: not tc-opt %s --tc-schedule-host=vector-bits=100 2>&1 | FileCheck %s
// RUN: not tc-opt %s --tc-schedule-host=vector-registers=2 2>&1 | FileCheck %s --check-prefix=FEW

// CHECK: error: expected vectors of a multiple of 64 bits and at least 8 registers, got 100 bits and 16 registers
// FEW: error: expected vectors of a multiple of 64 bits and at least 8 registers, got 128 bits and 2 registers
func.func @f() {
  return
}
