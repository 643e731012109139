// Tiles the op marked `consumer` and fuses the one marked `producer` into it.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %consumer = transform.structured.match attributes {consumer} in %root : (!transform.any_op) -> !transform.any_op
    %producer = transform.structured.match attributes {producer} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %consumer tile_sizes [2]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused, %new = transform.structured.fuse_into_containing_op %producer into %loop
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
