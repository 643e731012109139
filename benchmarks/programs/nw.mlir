// Needleman-Wunsch of Rodinia (Che et al., IISWC 2009), in tiles of 32 by 32 as there: the scores of
// the alignments of two sequences. Each score is a maximum over the ones above, to the left and both.
// A loop over diagonals of tiles of a map over the tiles of one, which do not depend on each other, of
// a loop over the diagonals of a tile of a map.

!scores = memref<?x?xi32>
!tile = memref<33x33xi32>

func.func @nw(%penalties: memref<1xi32>, %similar: !scores, %scores: !scores) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size1 = memref.dim %scores, %c0 : !scores
  %size = arith.subi %size1, %c1 : index
  // Along the upper and the left edge there are only gaps.
  scf.forall (%i) in (%size1) {
    %penalty = memref.load %penalties[%c0] : memref<1xi32>
    %i_i32 = arith.index_cast %i : index to i32
    %gaps = arith.muli %i_i32, %penalty : i32
    %zero = arith.constant 0 : i32
    %score = arith.subi %zero, %gaps : i32
    memref.store %score, %scores[%i, %c0] : !scores
    memref.store %score, %scores[%c0, %i] : !scores
  }
  %tiles = affine.apply affine_map<()[n] -> (n floordiv 32)>()[%size]
  %diagonals = affine.apply affine_map<()[t] -> (2 * t - 1)>()[%tiles]
  scf.for %d = %c0 to %diagonals step %c1 {
    %begin = affine.max affine_map<(d)[t] -> (0, d - t + 1)>(%d)[%tiles]
    %end = affine.min affine_map<(d)[t] -> (d + 1, t)>(%d)[%tiles]
    scf.forall (%ti) = (%begin) to (%end) step (1) {
      %row = affine.apply affine_map<(ti) -> (32 * ti)>(%ti)
      %column = affine.apply affine_map<(ti, d) -> (32 * (d - ti))>(%ti, %d)
      %tile = tc.new : !tile
      tc.par (%i) = (0) to (33) {
        %r = arith.addi %row, %i : index
        %left = memref.load %scores[%r, %column] : !scores
        memref.store %left, %tile[%i, %c0] : !tile
      }
      tc.par (%j) = (1) to (33) {
        %c = arith.addi %column, %j : index
        %above = memref.load %scores[%row, %c] : !scores
        memref.store %above, %tile[%c0, %j] : !tile
      }
      tc.seq (%m) = (2) to (65) {
        %first = affine.max affine_map<(m) -> (1, m - 32)>(%m)
        %last1 = affine.min affine_map<(m) -> (m, 33)>(%m)
        tc.par (%i) = (%first) to (%last1) {
          %penalty = memref.load %penalties[%c0] : memref<1xi32>
          %j = arith.subi %m, %i : index
          %i1 = arith.subi %i, %c1 : index
          %j1 = arith.subi %j, %c1 : index
          %r = arith.addi %row, %i : index
          %c = arith.addi %column, %j : index
          %both = memref.load %tile[%i1, %j1] : !tile
          %above = memref.load %tile[%i1, %j] : !tile
          %left = memref.load %tile[%i, %j1] : !tile
          %like = memref.load %similar[%r, %c] : !scores
          %match = arith.addi %both, %like : i32
          %gap1 = arith.subi %above, %penalty : i32
          %gap2 = arith.subi %left, %penalty : i32
          %gap = arith.maxsi %gap1, %gap2 : i32
          %score = arith.maxsi %match, %gap : i32
          memref.store %score, %tile[%i, %j] : !tile
        }
      }
      tc.par (%i, %j) = (1, 1) to (33, 33) {
        %r = arith.addi %row, %i : index
        %c = arith.addi %column, %j : index
        %score = memref.load %tile[%i, %j] : !tile
        memref.store %score, %scores[%r, %c] : !scores
      }
    }
  }
  return
}
