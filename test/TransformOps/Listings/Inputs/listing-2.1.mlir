// Listing 2.1: C.tile, B.then(C), B.store_in(C.get_buffer()).
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %B = transform.structured.match ops{["tc.new"]} in %m : (!op) -> !op
    %store = transform.structured.match attributes{C} in %m : (!op) -> !op
    %C = transform.get_operand %store[1] : (!op) -> !transform.any_value
    transform.tc.store_in %B in %C discard : !op, !transform.any_value
    %nests = transform.structured.match ops{["tc.seq", "tc.par"]} in %m : (!op) -> !op
    %roots, %averages = transform.split_handle %nests : (!op) -> (!op, !op)
    %tiles, %tile = transform.tc.tile %averages sizes [16, 16] : (!op) -> (!op, !op)
    transform.yield
  }
}
