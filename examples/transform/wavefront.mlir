// Runs layers and steps of a recurrent network along diagonals, whose cells are independent:
// the wavefront of Tiramisu's thesis (listing 3.4). The cells of a diagonal
// are counted from 0, so that tc-distribute may make one contraction of theirs.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %block = transform.structured.match ops{["tc.seq"]} in %m : (!op) -> !op
    %l, %s = transform.tc.skew %block dim = 1 by = 0 : (!op) -> (!op, !op)
    %diagonals, %cells = transform.tc.interchange %l order = [1, 0] : (!op) -> (!op, !op)
    %parallel = transform.tc.parallelize %cells : (!op) -> !op
    transform.tc.normalize %parallel : !op
    transform.yield
  }
}
