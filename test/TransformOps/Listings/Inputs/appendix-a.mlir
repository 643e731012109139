// Appendix A, layers II and III: blocks of 256 x 96 results, threads of 16 x 6, tiles
// of both factors in shared memory, copied ahead, and sums in registers.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %computations = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
    %grids, %tiles = transform.tc.tile %computations sizes [256, 96] : (!op) -> (!op, !op)
    %init, %acc, %C = transform.split_handle %grids : (!op) -> (!op, !op, !op)
    %both = transform.tc.fuse %init, %acc : (!op, !op) -> !op
    %grid = transform.tc.fuse %both, %C : (!op, !op) -> !op
    %sums = transform.structured.match ops{["tc.new"]} in %m : (!op) -> !op
    %part = transform.tc.store_at %sums in %grid : (!op, !op) -> !op

    %terms = transform.structured.match ops{["tc.seq"]} in %grid : (!op) -> !op
    %k0, %k1 = transform.tc.tile %terms sizes [16] : (!op) -> (!op, !op)
    %tile = transform.get_parent_op %k0 {op_name = "tc.par"} : (!op) -> !op
    %loop, %step = transform.tc.interchange %tile order = [2, 0, 1] : (!op) -> (!op, !op)
    %factors = transform.structured.match attributes{factor} in %loop : (!op) -> !op
    transform.tc.cache %factors in %loop : !op, !op
    transform.tc.pipeline %loop stages = 2 : !op

    %all = transform.structured.match ops{["tc.par"]} in %grid : (!op) -> !op
    %zeros, %products, %results, %self = transform.split_handle %all : (!op) -> (!op, !op, !op, !op)
    %nests = transform.merge_handles %zeros, %products, %results : !op
    %threads, %registers = transform.tc.tile %nests sizes [16, 6] : (!op) -> (!op, !op)
    transform.tc.normalize %threads : !op
    transform.tc.normalize %registers : !op
    transform.tc.store_in %part layout = affine_map<(i, j) -> (i floordiv 16, j floordiv 6, i mod 16, j mod 6)> threads = 2 : !op
    transform.tc.bind %grid grid : !op
    transform.tc.bind %threads block : !op

    %first, %middle, %last = transform.split_handle %registers : (!op) -> (!op, !op, !op)
    %k, %product = transform.tc.interchange %middle order = [2, 0, 1] : (!op) -> (!op, !op)
    %own = transform.merge_handles %first, %product, %last : !op
    %loops = transform.tc.serialize %own : (!op) -> !op
    transform.yield
  }
}
