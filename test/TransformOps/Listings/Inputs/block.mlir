// Section 4.3: stencils.tile, stencils.parallelize, stencils.vectorize.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %stencils = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
    %tiles, %tile = transform.tc.tile %stencils sizes [16, 12] : (!op) -> (!op, !op)
    transform.tc.bind %tiles grid : !op
    %vectors, %rest = transform.tc.vectorize %tile dim = 1 width = 4 : (!op) -> (!op, !op)
    transform.tc.bind %vectors block : !op
    transform.tc.bind %rest block : !op
    transform.yield
  }
}
