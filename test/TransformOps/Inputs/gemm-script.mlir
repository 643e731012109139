!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op) {
    %functions = transform.structured.match ops{["func.func"]} in %m : (!op) -> !op
    %contracts = transform.apply_registered_pass "convert-linalg-to-tc" to %functions : (!op) -> !op
    %normal = transform.apply_registered_pass "tc-normalize" to %contracts : (!op) -> !op
    %gemm = transform.structured.match ops{["tc.contract"]} in %normal : (!op) -> !op
    %schedule = transform.param.constant SCHEDULE -> !transform.any_param
    transform.annotate %gemm "schedule" = %schedule : !op, !transform.any_param
    transform.yield
  }
}
