// Nearest neighbours of Rodinia (Che et al., IISWC 2009), batched as in "Incremental flattening for
// nested data parallelism" (Henriksen et al., PPoPP 2019): of each of several sets of places the
// %count nearest to a point. A map over sets of a map over places, and of a loop that takes the least
// distance and its place, a reduction of pairs, and strikes it out.

!sets = memref<?x?xf32>
!points = memref<?xf32>
!places = memref<?x?xi32>

func.func @nn(%count: index, %lats: !points, %lngs: !points, %all_lats: !sets, %all_lngs: !sets,
              %places: !places, %nearest: !sets) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %infinite = arith.constant 0x7F800000 : f32
  %none = arith.constant 0 : i32 // as long as a distance is left
  %sets = memref.dim %all_lats, %c0 : !sets
  %size = memref.dim %all_lats, %c1 : !sets
  %distances = memref.alloc(%sets, %size) : !sets
  tc.par (%s) = (0) to (%sets) {
    tc.par (%i) = (0) to (%size) {
      %lat = memref.load %lats[%s] : !points
      %lng = memref.load %lngs[%s] : !points
      %its_lat = memref.load %all_lats[%s, %i] : !sets
      %its_lng = memref.load %all_lngs[%s, %i] : !sets
      %x = arith.subf %lat, %its_lat : f32
      %y = arith.subf %lng, %its_lng : f32
      %xx = arith.mulf %x, %x : f32
      %yy = arith.mulf %y, %y : f32
      %square = arith.addf %xx, %yy : f32
      %d = math.sqrt %square : f32
      memref.store %d, %distances[%s, %i] : !sets
    }
    tc.seq (%k) = (0) to (%count) {
      tc.reduce (%i) = (0) to (%size) init(%infinite : f32, %none : i32) commutative {
        %d = memref.load %distances[%s, %i] : !sets
        %place = arith.index_cast %i : index to i32
        tc.yield %d, %place : f32, i32
      } combine (%d: f32, %i: i32, %e: f32, %j: i32) {
        %less = arith.cmpf olt, %d, %e : f32
        %same = arith.cmpf oeq, %d, %e : f32
        %before = arith.cmpi slt, %i, %j : i32
        %tie = arith.andi %same, %before : i1
        %first = arith.ori %less, %tie : i1
        %least = arith.select %first, %d, %e : f32
        %place = arith.select %first, %i, %j : i32
        tc.yield %least, %place : f32, i32
      } finish (%least: f32, %place: i32) {
        memref.store %place, %places[%s, %k] : !places
        memref.store %least, %nearest[%s, %k] : !sets
        %i = arith.index_cast %place : i32 to index
        memref.store %infinite, %distances[%s, %i] : !sets
      }
    }
  }
  return
}
