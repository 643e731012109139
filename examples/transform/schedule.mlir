// Schedules one contraction by hand: 16 x 16 threads of 2 x 4 results, 16 terms of a sum
// at a time, copies one step ahead. tc-schedule checks what is written here, and would
// choose where nothing is.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %function = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %contract = transform.apply_registered_pass "convert-linalg-to-tc" to %function : (!transform.any_op) -> !transform.any_op
    %normal = transform.apply_registered_pass "tc-normalize" to %contract : (!transform.any_op) -> !transform.any_op

    %op = transform.structured.match ops{["tc.contract"]} in %normal : (!transform.any_op) -> !transform.any_op
    %schedule = transform.param.constant #tc.schedule<thread = [a = 16, b = 16], register = [a = 2, b = 4],
        step = [q = 16], stages = 2, kernel = fma> -> !transform.any_param
    transform.annotate %op "schedule" = %schedule : !transform.any_op, !transform.any_param

    %checked = transform.apply_registered_pass "tc-schedule" with options = {"chip" = "sm_90a"} to %normal
        : (!transform.any_op) -> !transform.any_op
    %tiled = transform.apply_registered_pass "tc-tile" with options = {"chip" = "sm_90a"} to %checked
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
