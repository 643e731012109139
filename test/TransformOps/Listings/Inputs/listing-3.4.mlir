// Listing 3.4: lstm_block.skew, interchange, parallelize.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @wavefront(%block: !op {transform.consumed}) {
    %l, %s = transform.tc.skew %block dim = 1 by = 0 factor = 1 : (!op) -> (!op, !op)
    %diagonals, %cells = transform.tc.interchange %l order = [1, 0] : (!op) -> (!op, !op)
    %parallel = transform.tc.parallelize %cells : (!op) -> !op
    transform.yield
  }
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %block = transform.structured.match ops{["tc.seq"]} in %m : (!op) -> !op
    transform.include @wavefront failures(propagate) (%block) : (!op) -> ()
    transform.yield
  }
}
