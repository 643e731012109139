// SRAD of Rodinia (Che et al., IISWC 2009), batched as in "Incremental flattening for nested data
// parallelism" (Henriksen et al., PPoPP 2019): speckle-reducing anisotropic diffusion of images
// (Yu and Acton, IEEE Transactions on Image Processing 2002). A map over images of a loop over time,
// in which two sums over the pixels, and two maps over them, follow each other.

!images = memref<?x?x?xi8>
!floats = memref<?x?x?xf32>
!sums = memref<?xf32>

func.func @srad(%steps: index, %images: !images, %result: !floats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %quarter = arith.constant 0.25 : f32
  %sixteenth = arith.constant 0.0625 : f32
  %eighth = arith.constant 0.125 : f32
  %white = arith.constant 255.0 : f32
  %count = memref.dim %images, %c0 : !images
  %rows = memref.dim %images, %c1 : !images
  %columns = memref.dim %images, %c2 : !images
  %bottom = arith.subi %rows, %c1 : index
  %right = arith.subi %columns, %c1 : index
  %pixels = arith.muli %rows, %columns : index
  %pixels_i32 = arith.index_cast %pixels : index to i32
  %pixels_f32 = arith.sitofp %pixels_i32 : i32 to f32
  %x = memref.alloc(%count, %rows, %columns) : !floats
  %c = memref.alloc(%count, %rows, %columns) : !floats
  %q0 = memref.alloc(%count) : !sums
  tc.par (%n) = (0) to (%count) {
    tc.par (%i, %j) = (0, 0) to (%rows, %columns) {
      %byte = memref.load %images[%n, %i, %j] : !images
      %v = arith.uitofp %byte : i8 to f32
      %scaled = arith.divf %v, %white : f32
      %e = math.exp %scaled : f32
      memref.store %e, %x[%n, %i, %j] : !floats
    }
    tc.seq (%t) = (0) to (%steps) {
      tc.reduce (%i, %j) = (0, 0) to (%rows, %columns) init(%zero : f32, %zero : f32) commutative {
        %v = memref.load %x[%n, %i, %j] : !floats
        %vv = arith.mulf %v, %v : f32
        tc.yield %v, %vv : f32, f32
      } combine (%s: f32, %ss: f32, %v: f32, %vv: f32) {
        %sum = arith.addf %s, %v : f32
        %sum2 = arith.addf %ss, %vv : f32
        tc.yield %sum, %sum2 : f32, f32
      } finish (%sum: f32, %sum2: f32) {
        %mean = arith.divf %sum, %pixels_f32 : f32
        %mean2 = arith.divf %sum2, %pixels_f32 : f32
        %square = arith.mulf %mean, %mean : f32
        %variance = arith.subf %mean2, %square : f32
        %q = arith.divf %variance, %square : f32
        memref.store %q, %q0[%n] : !sums
      }
      tc.par (%i, %j) = (0, 0) to (%rows, %columns) {
        %n_x, %s_x, %w_x, %e_x, %v = func.call @differences(%x, %n, %i, %j, %bottom, %right)
          : (!floats, index, index, index, index, index) -> (f32, f32, f32, f32, f32)
        %nn = arith.mulf %n_x, %n_x : f32
        %ss = arith.mulf %s_x, %s_x : f32
        %ww = arith.mulf %w_x, %w_x : f32
        %ee = arith.mulf %e_x, %e_x : f32
        %ns2 = arith.addf %nn, %ss : f32
        %we2 = arith.addf %ww, %ee : f32
        %nswe2 = arith.addf %ns2, %we2 : f32
        %vv = arith.mulf %v, %v : f32
        %gradient2 = arith.divf %nswe2, %vv : f32
        %ns = arith.addf %n_x, %s_x : f32
        %we = arith.addf %w_x, %e_x : f32
        %nswe = arith.addf %ns, %we : f32
        %laplace = arith.divf %nswe, %v : f32
        %half_gradient = arith.mulf %half, %gradient2 : f32
        %laplace2 = arith.mulf %laplace, %laplace : f32
        %part = arith.mulf %sixteenth, %laplace2 : f32
        %numerator = arith.subf %half_gradient, %part : f32
        %quarter_laplace = arith.mulf %quarter, %laplace : f32
        %root = arith.addf %one, %quarter_laplace : f32
        %denominator = arith.mulf %root, %root : f32
        %q = arith.divf %numerator, %denominator : f32
        %speckle = memref.load %q0[%n] : !sums
        %beyond = arith.subf %q, %speckle : f32
        %speckle1 = arith.addf %one, %speckle : f32
        %scale = arith.mulf %speckle, %speckle1 : f32
        %ratio = arith.divf %beyond, %scale : f32
        %ratio1 = arith.addf %one, %ratio : f32
        %inverse = arith.divf %one, %ratio1 : f32
        %least = arith.maximumf %inverse, %zero : f32
        %k = arith.minimumf %least, %one : f32
        memref.store %k, %c[%n, %i, %j] : !floats
      }
      // The update reads what its neighbours update, so it has a buffer of its own.
      tc.par (%i, %j) = (0, 0) to (%rows, %columns) {
        %n_x, %s_x, %w_x, %e_x, %v = func.call @differences(%x, %n, %i, %j, %bottom, %right)
          : (!floats, index, index, index, index, index) -> (f32, f32, f32, f32, f32)
        %below = arith.addi %i, %c1 : index
        %south = arith.minsi %below, %bottom : index
        %behind = arith.addi %j, %c1 : index
        %east = arith.minsi %behind, %right : index
        %k = memref.load %c[%n, %i, %j] : !floats
        %k_s = memref.load %c[%n, %south, %j] : !floats
        %k_e = memref.load %c[%n, %i, %east] : !floats
        %flow_n = arith.mulf %k, %n_x : f32
        %flow_s = arith.mulf %k_s, %s_x : f32
        %flow_w = arith.mulf %k, %w_x : f32
        %flow_e = arith.mulf %k_e, %e_x : f32
        %ns = arith.addf %flow_n, %flow_s : f32
        %we = arith.addf %flow_w, %flow_e : f32
        %divergence = arith.addf %ns, %we : f32
        %change = arith.mulf %eighth, %divergence : f32
        %next = arith.addf %v, %change : f32
        memref.store %next, %result[%n, %i, %j] : !floats
      }
      tc.par (%i, %j) = (0, 0) to (%rows, %columns) {
        %v = memref.load %result[%n, %i, %j] : !floats
        memref.store %v, %x[%n, %i, %j] : !floats
      }
    }
    tc.par (%i, %j) = (0, 0) to (%rows, %columns) {
      %v = memref.load %x[%n, %i, %j] : !floats
      %log = math.log %v : f32
      %r = arith.mulf %log, %white : f32
      memref.store %r, %result[%n, %i, %j] : !floats
    }
  }
  return
}

/// A pixel, and how much its neighbours differ: above, below, left, right; those beyond the edge do
/// not.
func.func private @differences(%x: !floats, %n: index, %i: index, %j: index, %bottom: index,
                               %right: index) -> (f32, f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %above = arith.subi %i, %c1 : index
  %north = arith.maxsi %above, %c0 : index
  %below = arith.addi %i, %c1 : index
  %south = arith.minsi %below, %bottom : index
  %before = arith.subi %j, %c1 : index
  %west = arith.maxsi %before, %c0 : index
  %behind = arith.addi %j, %c1 : index
  %east = arith.minsi %behind, %right : index
  %v = memref.load %x[%n, %i, %j] : !floats
  %v_n = memref.load %x[%n, %north, %j] : !floats
  %v_s = memref.load %x[%n, %south, %j] : !floats
  %v_w = memref.load %x[%n, %i, %west] : !floats
  %v_e = memref.load %x[%n, %i, %east] : !floats
  %d_n = arith.subf %v_n, %v : f32
  %d_s = arith.subf %v_s, %v : f32
  %d_w = arith.subf %v_w, %v : f32
  %d_e = arith.subf %v_e, %v : f32
  return %d_n, %d_s, %d_w, %d_e, %v : f32, f32, f32, f32, f32
}
