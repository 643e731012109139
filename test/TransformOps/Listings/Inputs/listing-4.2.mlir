// Listing 4.2: C.gpu_tile(j, k, 16, 16), C.parallelize(i). Nobody need say when the
// kernels of an iteration are waited for.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %C = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
    %blocks, %threads = transform.tc.tile %C sizes [16, 16] : (!op) -> (!op, !op)
    %i = transform.structured.match ops{["tc.seq"]} in %m : (!op) -> !op
    %launches = transform.tc.parallelize %i : (!op) -> !op
    transform.tc.bind %launches host : !op
    transform.yield
  }
}
