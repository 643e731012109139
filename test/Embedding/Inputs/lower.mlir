// A pipeline, by its name, on the whole program.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %lowered = transform.apply_registered_pass "tc-to-nvvm" with options = {"chip" = "sm_90a"} to %root
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
