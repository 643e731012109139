module attributes {transform.with_named_sequence} {
transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
  %all = transform.structured.match ops{["tc.contract", "tc.reduce", "tc.scan"]} in %m : (!transform.any_op) -> !transform.any_op
  %nests, %loops = transform.tc.expand %all : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}
