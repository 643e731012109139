// RUN: tc-opt %s --tc-choose-knobs='knobs=rows=1' | FileCheck %s
// RUN: tc-opt %s --tc-choose-knobs='list=true' --verify-diagnostics -o %t

// The second of three sizes.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
transform.named_sequence @tiles(%nest: !op {transform.consumed}) {
  // expected-remark @below {{knob 'rows', option 0: 8}}
  // expected-remark @below {{knob 'rows', option 1: 16}}
  // expected-remark @below {{knob 'rows', option 2: 32}}
  %rows = transform.tune.knob<"rows"> options = [8, 16, 32] -> !transform.any_param
  %outer, %inner = transform.tc.tile %nest sizes [%rows, 16] : (!op, !transform.any_param) -> (!op, !op)
  transform.yield
}
}

// CHECK: transform.tune.knob<"rows"> = 16 : i64 from options = [8, 16, 32]
