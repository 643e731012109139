// Pathfinder of Rodinia (Che et al., IISWC 2009), batched as in "Incremental flattening for nested
// data parallelism" (Henriksen et al., PPoPP 2019): the least sum of weights on the way from the first
// row of a wall to each place of the last one, where a step leads to one of three neighbours in the
// next row. A map over walls of a loop over rows of a map over columns.

!walls = memref<?x?x?xi32>
!costs = memref<?x2x?xi32>
!least = memref<?x?xi32>

func.func @pathfinder(%walls: !walls, %least: !least) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batches = memref.dim %walls, %c0 : !walls
  %rows = memref.dim %walls, %c1 : !walls
  %columns = memref.dim %walls, %c2 : !walls
  %last = arith.subi %columns, %c1 : index
  %bottom = arith.subi %rows, %c1 : index
  %costs = memref.alloc(%batches, %columns) : !costs
  tc.par (%b) = (0) to (%batches) {
    tc.par (%j) = (0) to (%columns) {
      %w = memref.load %walls[%b, %c0, %j] : !walls
      memref.store %w, %costs[%b, %c0, %j] : !costs
    }
    tc.seq (%t) = (1) to (%rows) {
      %from = affine.apply affine_map<(t) -> ((t + 1) mod 2)>(%t)
      %to = affine.apply affine_map<(t) -> (t mod 2)>(%t)
      tc.par (%j) = (0) to (%columns) {
        %before = arith.subi %j, %c1 : index
        %behind = arith.addi %j, %c1 : index
        %left = arith.maxsi %before, %c0 : index
        %right = arith.minsi %behind, %last : index
        %x = memref.load %costs[%b, %from, %left] : !costs
        %y = memref.load %costs[%b, %from, %j] : !costs
        %z = memref.load %costs[%b, %from, %right] : !costs
        %xy = arith.minsi %x, %y : i32
        %xyz = arith.minsi %xy, %z : i32
        %w = memref.load %walls[%b, %t, %j] : !walls
        %s = arith.addi %xyz, %w : i32
        memref.store %s, %costs[%b, %to, %j] : !costs
      }
    }
    %end = affine.apply affine_map<(t) -> (t mod 2)>(%bottom)
    tc.par (%j) = (0) to (%columns) {
      %x = memref.load %costs[%b, %end, %j] : !costs
      memref.store %x, %least[%b, %j] : !least
    }
  }
  return
}
