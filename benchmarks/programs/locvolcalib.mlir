// LocVolCalib of FinPar (Andreetta et al., "FinPar: a parallel financial benchmark", ACM TACO 2016):
// prices of calls under a model of stochastic volatility, from a partial differential equation that
// is solved backward in time by alternating directions (Crank-Nicolson), one calibration for each
// strike. A map over strikes of a loop over time of maps over the grid (explicit parts), and of maps
// over its rows of tridiagonal systems (implicit parts), which are three scans each.

!line = memref<?xf32>
!weights = memref<?x3xf32>
!grids = memref<?x?x?xf32>

func.func @locvolcalib(%strikes: !line, %xs: !line, %ys: !line, %times: !line, %model: memref<2xf32>,
                       %values: !grids) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %outer = memref.dim %strikes, %c0 : !line
  %num_x = memref.dim %xs, %c0 : !line
  %num_y = memref.dim %ys, %c0 : !line
  %num_t = memref.dim %times, %c0 : !line
  %steps = arith.subi %num_t, %c1 : index
  %dxx = memref.alloc(%num_x) : !weights
  %dyy = memref.alloc(%num_y) : !weights
  func.call @differences(%xs, %dxx) : (!line, !weights) -> ()
  func.call @differences(%ys, %dyy) : (!line, !weights) -> ()

  // Of each strike: what goes along x has rows of x, what goes along y rows of y.
  %u = memref.alloc(%outer, %num_y, %num_x) : !grids
  %ax = memref.alloc(%outer, %num_y, %num_x) : !grids
  %bx = memref.alloc(%outer, %num_y, %num_x) : !grids
  %cx = memref.alloc(%outer, %num_y, %num_x) : !grids
  %px = memref.alloc(%outer, %num_y, %num_x) : !grids
  %qx = memref.alloc(%outer, %num_y, %num_x) : !grids
  %v = memref.alloc(%outer, %num_x, %num_y) : !grids
  %w = memref.alloc(%outer, %num_x, %num_y) : !grids
  %ay = memref.alloc(%outer, %num_x, %num_y) : !grids
  %by = memref.alloc(%outer, %num_x, %num_y) : !grids
  %cy = memref.alloc(%outer, %num_x, %num_y) : !grids
  %py = memref.alloc(%outer, %num_x, %num_y) : !grids
  %qy = memref.alloc(%outer, %num_x, %num_y) : !grids
  tc.par (%o) = (0) to (%outer) {
    tc.par (%j, %i) = (0, 0) to (%num_y, %num_x) {
      %strike = memref.load %strikes[%o] : !line
      %x = memref.load %xs[%i] : !line
      %gain = arith.subf %x, %strike : f32
      %payoff = arith.maximumf %gain, %zero : f32
      memref.store %payoff, %values[%o, %j, %i] : !grids
    }
    tc.seq (%s) = (0) to (%steps) {
      %t = affine.apply affine_map<(s)[n] -> (n - s - 1)>(%s)[%steps]
      // Explicit in y, then in x.
      tc.par (%i, %j) = (0, 0) to (%num_x, %num_y) {
        %nu = memref.load %model[%c0] : memref<2xf32>
        %variance = arith.mulf %nu, %nu : f32
        %left = arith.subi %j, %c1 : index
        %right = arith.addi %j, %c1 : index
        %before = arith.maxsi %left, %c0 : index
        %last = arith.subi %num_y, %c1 : index
        %behind = arith.minsi %right, %last : index
        %r0 = memref.load %values[%o, %before, %i] : !grids
        %r1 = memref.load %values[%o, %j, %i] : !grids
        %r2 = memref.load %values[%o, %behind, %i] : !grids
        %e = func.call @apply(%dyy, %j, %variance, %r0, %r1, %r2)
          : (!weights, index, f32, f32, f32, f32) -> f32
        memref.store %e, %v[%o, %i, %j] : !grids
      }
      tc.par (%j, %i) = (0, 0) to (%num_y, %num_x) {
        %variance = func.call @variance(%xs, %ys, %times, %model, %i, %j, %t)
          : (!line, !line, !line, memref<2xf32>, index, index, index) -> f32
        %rate = func.call @rate(%times, %t) : (!line, index) -> f32
        %left = arith.subi %i, %c1 : index
        %right = arith.addi %i, %c1 : index
        %before = arith.maxsi %left, %c0 : index
        %last = arith.subi %num_x, %c1 : index
        %behind = arith.minsi %right, %last : index
        %r0 = memref.load %values[%o, %j, %before] : !grids
        %r1 = memref.load %values[%o, %j, %i] : !grids
        %r2 = memref.load %values[%o, %j, %behind] : !grids
        %e = func.call @apply(%dxx, %i, %variance, %r0, %r1, %r2)
          : (!weights, index, f32, f32, f32, f32) -> f32
        %e_y = memref.load %v[%o, %i, %j] : !grids
        %half_e = arith.mulf %half, %e : f32
        %now = arith.mulf %rate, %r1 : f32
        %sum = arith.addf %now, %half_e : f32
        %all = arith.addf %sum, %e_y : f32
        memref.store %all, %u[%o, %j, %i] : !grids
      }
      // Implicit in x: a system for each y.
      tc.par (%j) = (0) to (%num_y) {
        tc.par (%i) = (0) to (%num_x) {
          %variance = func.call @variance(%xs, %ys, %times, %model, %i, %j, %t)
            : (!line, !line, !line, memref<2xf32>, index, index, index) -> f32
          func.call @fill_system(%dxx, %times, %variance, %t, %o, %j, %i, %ax, %bx, %cx)
            : (!weights, !line, f32, index, index, index, index, !grids, !grids, !grids) -> ()
        }
        func.call @solve(%o, %j, %num_x, %ax, %bx, %cx, %u, %px, %qx)
          : (index, index, index, !grids, !grids, !grids, !grids, !grids, !grids) -> ()
      }
      // Implicit in y: a system for each x.
      tc.par (%i) = (0) to (%num_x) {
        tc.par (%j) = (0) to (%num_y) {
          %nu = memref.load %model[%c0] : memref<2xf32>
          %variance = arith.mulf %nu, %nu : f32
          func.call @fill_system(%dyy, %times, %variance, %t, %o, %i, %j, %ay, %by, %cy)
            : (!weights, !line, f32, index, index, index, index, !grids, !grids, !grids) -> ()
          %rate = func.call @rate(%times, %t) : (!line, index) -> f32
          %r = memref.load %u[%o, %j, %i] : !grids
          %e_y = memref.load %v[%o, %i, %j] : !grids
          %now = arith.mulf %rate, %r : f32
          %half_e = arith.mulf %half, %e_y : f32
          %rest = arith.subf %now, %half_e : f32
          memref.store %rest, %w[%o, %i, %j] : !grids
        }
        func.call @solve(%o, %i, %num_y, %ay, %by, %cy, %w, %py, %qy)
          : (index, index, index, !grids, !grids, !grids, !grids, !grids, !grids) -> ()
        tc.par (%j) = (0) to (%num_y) {
          %r = memref.load %w[%o, %i, %j] : !grids
          memref.store %r, %values[%o, %j, %i] : !grids
        }
      }
    }
  }
  return
}

/// The weights of a point and its neighbours in the second derivative; none at the ends.
func.func private @differences(%xs: !line, %weights: !weights) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %xs, %c0 : !line
  %last = arith.subi %n, %c1 : index
  tc.par (%i) = (0) to (%n) {
    %is_inner = affine.min affine_map<(i)[n] -> (i, n - i)>(%i)[%last]
    %inner = arith.cmpi sgt, %is_inner, %c0 : index
    %w0, %w1, %w2 = scf.if %inner -> (f32, f32, f32) {
      %before = arith.subi %i, %c1 : index
      %behind = arith.addi %i, %c1 : index
      %x0 = memref.load %xs[%before] : !line
      %x1 = memref.load %xs[%i] : !line
      %x2 = memref.load %xs[%behind] : !line
      %low = arith.subf %x1, %x0 : f32
      %up = arith.subf %x2, %x1 : f32
      %both = arith.addf %low, %up : f32
      %scale = arith.divf %two, %both : f32
      %v0 = arith.divf %scale, %low : f32
      %v2 = arith.divf %scale, %up : f32
      %v02 = arith.addf %v0, %v2 : f32
      %v1 = arith.negf %v02 : f32
      scf.yield %v0, %v1, %v2 : f32, f32, f32
    } else {
      scf.yield %zero, %zero, %zero : f32, f32, f32
    }
    memref.store %w0, %weights[%i, %c0] : !weights
    memref.store %w1, %weights[%i, %c1] : !weights
    memref.store %w2, %weights[%i, %c2] : !weights
  }
  return
}

/// One over the length of step %t.
func.func private @rate(%times: !line, %t: index) -> f32 {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %t1 = arith.addi %t, %c1 : index
  %now = memref.load %times[%t] : !line
  %next = memref.load %times[%t1] : !line
  %step = arith.subf %next, %now : f32
  %rate = arith.divf %one, %step : f32
  return %rate : f32
}

/// The variance of x where the logarithm of its volatility is y: exp(2 (beta log x + y - nu^2 t / 2)).
func.func private @variance(%xs: !line, %ys: !line, %times: !line, %model: memref<2xf32>, %i: index,
                            %j: index, %t: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %nu = memref.load %model[%c0] : memref<2xf32>
  %beta = memref.load %model[%c1] : memref<2xf32>
  %x = memref.load %xs[%i] : !line
  %y = memref.load %ys[%j] : !line
  %now = memref.load %times[%t] : !line
  %log = math.log %x : f32
  %elastic = arith.mulf %beta, %log : f32
  %sum = arith.addf %elastic, %y : f32
  %nu2 = arith.mulf %nu, %nu : f32
  %half_nu2 = arith.mulf %half, %nu2 : f32
  %drift = arith.mulf %half_nu2, %now : f32
  %exponent = arith.subf %sum, %drift : f32
  %twice = arith.mulf %two, %exponent : f32
  %variance = math.exp %twice : f32
  return %variance : f32
}

/// Half the variance times the second derivative at a point, of values there and beside it.
func.func private @apply(%weights: !weights, %i: index, %variance: f32, %r0: f32, %r1: f32,
                         %r2: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %w0 = memref.load %weights[%i, %c0] : !weights
  %w1 = memref.load %weights[%i, %c1] : !weights
  %w2 = memref.load %weights[%i, %c2] : !weights
  %p0 = arith.mulf %w0, %r0 : f32
  %p1 = arith.mulf %w1, %r1 : f32
  %p2 = arith.mulf %w2, %r2 : f32
  %p01 = arith.addf %p0, %p1 : f32
  %p = arith.addf %p01, %p2 : f32
  %half_variance = arith.mulf %half, %variance : f32
  %e = arith.mulf %half_variance, %p : f32
  return %e : f32
}

/// Row %k of the tridiagonal system %row of strike %o: (1 / dt) - half the operator of @apply.
func.func private @fill_system(%weights: !weights, %times: !line, %variance: f32, %t: index, %o: index,
                               %row: index, %k: index, %a: !grids, %b: !grids, %c: !grids) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %quarter = arith.constant 0.25 : f32
  %rate = func.call @rate(%times, %t) : (!line, index) -> f32
  %scale = arith.mulf %quarter, %variance : f32
  %w0 = memref.load %weights[%k, %c0] : !weights
  %w1 = memref.load %weights[%k, %c1] : !weights
  %w2 = memref.load %weights[%k, %c2] : !weights
  %v0 = arith.mulf %scale, %w0 : f32
  %v1 = arith.mulf %scale, %w1 : f32
  %v2 = arith.mulf %scale, %w2 : f32
  %m0 = arith.negf %v0 : f32
  %m1 = arith.subf %rate, %v1 : f32
  %m2 = arith.negf %v2 : f32
  memref.store %m0, %a[%o, %row, %k] : !grids
  memref.store %m1, %b[%o, %row, %k] : !grids
  memref.store %m2, %c[%o, %row, %k] : !grids
  return
}

/// Solves a tridiagonal system of %n rows in place of its right-hand side %y by Gaussian elimination,
/// whose recurrences are scans: of matrices of 2 by 2, scaled so that their first element is 1, for
/// the pivots %p, and of linear functions for the right-hand side %q, and backward for the solution.
func.func private @solve(%o: index, %row: index, %n: index, %a: !grids, %b: !grids, %c: !grids,
                         %y: !grids, %p: !grids, %q: !grids) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  tc.scan (%i) = (0) to (%n) init(%zero : f32, %zero : f32, %one : f32) {
    %in = arith.cmpi sgt, %i, %c0 : index
    %m0, %m1, %m2 = scf.if %in -> (f32, f32, f32) {
      %i1 = arith.subi %i, %c1 : index
      %bi = memref.load %b[%o, %row, %i] : !grids
      %ai = memref.load %a[%o, %row, %i] : !grids
      %ci = memref.load %c[%o, %row, %i1] : !grids
      %inverse = arith.divf %one, %bi : f32
      %ac = arith.mulf %ai, %ci : f32
      %acb = arith.mulf %ac, %inverse : f32
      %minus = arith.negf %acb : f32
      scf.yield %minus, %inverse, %zero : f32, f32, f32
    } else {
      scf.yield %zero, %zero, %one : f32, f32, f32
    }
    tc.yield %m0, %m1, %m2 : f32, f32, f32
  } combine (%a1: f32, %a2: f32, %a3: f32, %b1: f32, %b2: f32, %b3: f32) {
    %b1a2 = arith.mulf %b1, %a2 : f32
    %first = arith.addf %one, %b1a2 : f32
    %scale = arith.divf %one, %first : f32
    %b1a3 = arith.mulf %b1, %a3 : f32
    %d1 = arith.addf %a1, %b1a3 : f32
    %b3a2 = arith.mulf %b3, %a2 : f32
    %d2 = arith.addf %b2, %b3a2 : f32
    %b2a1 = arith.mulf %b2, %a1 : f32
    %b3a3 = arith.mulf %b3, %a3 : f32
    %d3 = arith.addf %b2a1, %b3a3 : f32
    %e1 = arith.mulf %d1, %scale : f32
    %e2 = arith.mulf %d2, %scale : f32
    %e3 = arith.mulf %d3, %scale : f32
    tc.yield %e1, %e2, %e3 : f32, f32, f32
  } finish (%i: index, %m1: f32, %m2: f32, %m3: f32) {
    %b0 = memref.load %b[%o, %row, %c0] : !grids
    %above = arith.addf %b0, %m1 : f32
    %m2b0 = arith.mulf %m2, %b0 : f32
    %below = arith.addf %m2b0, %m3 : f32
    %pivot = arith.divf %above, %below : f32
    memref.store %pivot, %p[%o, %row, %i] : !grids
  }
  tc.scan (%i) = (0) to (%n) init(%zero : f32, %one : f32) {
    %in = arith.cmpi sgt, %i, %c0 : index
    %f0, %f1 = scf.if %in -> (f32, f32) {
      %i1 = arith.subi %i, %c1 : index
      %yi = memref.load %y[%o, %row, %i] : !grids
      %ai = memref.load %a[%o, %row, %i] : !grids
      %pi = memref.load %p[%o, %row, %i1] : !grids
      %ratio = arith.divf %ai, %pi : f32
      %minus = arith.negf %ratio : f32
      scf.yield %yi, %minus : f32, f32
    } else {
      scf.yield %zero, %one : f32, f32
    }
    tc.yield %f0, %f1 : f32, f32
  } combine (%f0: f32, %f1: f32, %g0: f32, %g1: f32) {
    %g1f0 = arith.mulf %g1, %f0 : f32
    %h0 = arith.addf %g0, %g1f0 : f32
    %h1 = arith.mulf %f1, %g1 : f32
    tc.yield %h0, %h1 : f32, f32
  } finish (%i: index, %f0: f32, %f1: f32) {
    %y0 = memref.load %y[%o, %row, %c0] : !grids
    %f1y0 = arith.mulf %f1, %y0 : f32
    %r = arith.addf %f0, %f1y0 : f32
    memref.store %r, %q[%o, %row, %i] : !grids
  }
  tc.scan (%k) = (0) to (%n) init(%zero : f32, %one : f32) {
    %in = arith.cmpi sgt, %k, %c0 : index
    %f0, %f1 = scf.if %in -> (f32, f32) {
      %i = affine.apply affine_map<(k)[n] -> (n - k - 1)>(%k)[%n]
      %qi = memref.load %q[%o, %row, %i] : !grids
      %pi = memref.load %p[%o, %row, %i] : !grids
      %ci = memref.load %c[%o, %row, %i] : !grids
      %own = arith.divf %qi, %pi : f32
      %ratio = arith.divf %ci, %pi : f32
      %minus = arith.negf %ratio : f32
      scf.yield %own, %minus : f32, f32
    } else {
      scf.yield %zero, %one : f32, f32
    }
    tc.yield %f0, %f1 : f32, f32
  } combine (%f0: f32, %f1: f32, %g0: f32, %g1: f32) {
    %g1f0 = arith.mulf %g1, %f0 : f32
    %h0 = arith.addf %g0, %g1f0 : f32
    %h1 = arith.mulf %f1, %g1 : f32
    tc.yield %h0, %h1 : f32, f32
  } finish (%k: index, %f0: f32, %f1: f32) {
    %i = affine.apply affine_map<(k)[n] -> (n - k - 1)>(%k)[%n]
    %last = arith.subi %n, %c1 : index
    %q1 = memref.load %q[%o, %row, %last] : !grids
    %p1 = memref.load %p[%o, %row, %last] : !grids
    %end = arith.divf %q1, %p1 : f32
    %f1_end = arith.mulf %f1, %end : f32
    %r = arith.addf %f0, %f1_end : f32
    memref.store %r, %y[%o, %row, %i] : !grids
  }
  return
}
