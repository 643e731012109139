// Listings 4.3 and 4.4: B.gpu_tile, B.cache_shared. Where the tile begins and how
// large it is need not be said.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %B = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
    %blocks, %threads = transform.tc.tile %B sizes [16, 16] : (!op) -> (!op, !op)
    transform.tc.bind %blocks grid : !op
    transform.tc.bind %threads block : !op
    %A = transform.structured.match ops{["memref.load"]} in %m : (!op) -> !op
    transform.tc.cache %A in %blocks : !op, !op
    transform.yield
  }
}
