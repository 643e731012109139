// Tiles the first iterator by 4 and the third by 3 in every tc.contract.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiles, %loops:2 = transform.structured.tile_using_for %ops tile_sizes [4, 0, 3]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
