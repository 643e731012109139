// LavaMD of Rodinia (Che et al., IISWC 2009): potential and forces of particles on each other, where
// those of a box act on those of the boxes next to it. A map over boxes of a map over the particles in
// them of a reduction over neighbouring boxes and their particles, of four values. Boxes at the rim
// have fewer neighbours, so the bounds of the reduction change with the box.

!places = memref<?x?x?x?x4xf32>
!charges = memref<?x?x?x?xf32>

func.func @lavamd(%alphas: memref<1xf32>, %places: !places, %charges: !charges, %forces: !places) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %boxes = memref.dim %charges, %c0 : !charges
  %particles = memref.dim %charges, %c3 : !charges
  tc.par (%x, %y, %z) = (0, 0, 0) to (%boxes, %boxes, %boxes) {
    tc.par (%i) = (0) to (%particles) {
      %x0 = affine.max affine_map<(x) -> (x - 1, 0)>(%x)
      %y0 = affine.max affine_map<(y) -> (y - 1, 0)>(%y)
      %z0 = affine.max affine_map<(z) -> (z - 1, 0)>(%z)
      %x1 = affine.min affine_map<(x)[n] -> (x + 2, n)>(%x)[%boxes]
      %y1 = affine.min affine_map<(y)[n] -> (y + 2, n)>(%y)[%boxes]
      %z1 = affine.min affine_map<(z)[n] -> (z + 2, n)>(%z)[%boxes]
      %alpha = memref.load %alphas[%c0] : memref<1xf32>
      %alpha2 = arith.mulf %alpha, %alpha : f32
      %a2 = arith.mulf %two, %alpha2 : f32
      %iv = memref.load %places[%x, %y, %z, %i, %c0] : !places
      %ix = memref.load %places[%x, %y, %z, %i, %c1] : !places
      %iy = memref.load %places[%x, %y, %z, %i, %c2] : !places
      %iz = memref.load %places[%x, %y, %z, %i, %c3] : !places
      tc.reduce (%nx, %ny, %nz, %j) = (%x0, %y0, %z0, 0) to (%x1, %y1, %z1, %particles)
          init(%zero : f32, %zero : f32, %zero : f32, %zero : f32) commutative {
        %jv = memref.load %places[%nx, %ny, %nz, %j, %c0] : !places
        %jx = memref.load %places[%nx, %ny, %nz, %j, %c1] : !places
        %jy = memref.load %places[%nx, %ny, %nz, %j, %c2] : !places
        %jz = memref.load %places[%nx, %ny, %nz, %j, %c3] : !places
        %q = memref.load %charges[%nx, %ny, %nz, %j] : !charges
        %xx = arith.mulf %ix, %jx : f32
        %yy = arith.mulf %iy, %jy : f32
        %zz = arith.mulf %iz, %jz : f32
        %xy = arith.addf %xx, %yy : f32
        %dot = arith.addf %xy, %zz : f32
        %v = arith.addf %iv, %jv : f32
        %r2 = arith.subf %v, %dot : f32
        %u2 = arith.mulf %a2, %r2 : f32
        %minus = arith.negf %u2 : f32
        %vij = math.exp %minus : f32
        %qv = arith.mulf %q, %vij : f32
        %fs = arith.mulf %two, %qv : f32
        %dx = arith.subf %ix, %jx : f32
        %dy = arith.subf %iy, %jy : f32
        %dz = arith.subf %iz, %jz : f32
        %fx = arith.mulf %fs, %dx : f32
        %fy = arith.mulf %fs, %dy : f32
        %fz = arith.mulf %fs, %dz : f32
        tc.yield %qv, %fx, %fy, %fz : f32, f32, f32, f32
      } combine (%v: f32, %fx: f32, %fy: f32, %fz: f32, %w: f32, %gx: f32, %gy: f32, %gz: f32) {
        %sum = arith.addf %v, %w : f32
        %sx = arith.addf %fx, %gx : f32
        %sy = arith.addf %fy, %gy : f32
        %sz = arith.addf %fz, %gz : f32
        tc.yield %sum, %sx, %sy, %sz : f32, f32, f32, f32
      } finish (%v: f32, %fx: f32, %fy: f32, %fz: f32) {
        memref.store %v, %forces[%x, %y, %z, %i, %c0] : !places
        memref.store %fx, %forces[%x, %y, %z, %i, %c1] : !places
        memref.store %fy, %forces[%x, %y, %z, %i, %c2] : !places
        memref.store %fz, %forces[%x, %y, %z, %i, %c3] : !places
      }
    }
  }
  return
}
