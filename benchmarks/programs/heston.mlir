// Calibration of Heston's model, the objective: how far European calls (Heston, Review of Financial
// Studies 1993) are from quotes, for each of several candidates for the parameters. After the program
// of "Incremental flattening for nested data parallelism" (Henriksen et al., PPoPP 2019). A call is
// an integral over the characteristic function, by Gauss-Laguerre quadrature, of the difference to
// the model of Black and Scholes. A map over candidates of: maps over maturities and points; a map
// over quotes of a reduction over points; and a reduction over quotes.

!line = memref<?xf32>
!table = memref<?x?xf32>
!coefficients = memref<?x?x?x2xf32>

// A candidate is the initial variance, the long-term one, the correlation, the speed of reversion, and
// the volatility of the variance.
func.func @heston(%candidates: memref<?x5xf32>, %points: !line, %weights: !line, %maturities: !line,
                  %maturity_of: memref<?xi32>, %strikes: !line, %quotes: !line, %importance: !line,
                  %calls: !table, %errors: !line) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %by_pi = arith.constant 0.318309886 : f32
  %num_candidates = memref.dim %candidates, %c0 : memref<?x5xf32>
  %num_points = memref.dim %points, %c0 : !line
  %num_maturities = memref.dim %maturities, %c0 : !line
  %num_quotes = memref.dim %quotes, %c0 : !line
  %num32 = arith.index_cast %num_quotes : index to i32
  %num = arith.sitofp %num32 : i32 to f32
  %coefficients = memref.alloc(%num_candidates, %num_maturities, %num_points) : !coefficients
  tc.par (%p) = (0) to (%num_candidates) {
    tc.par (%m, %j) = (0, 0) to (%num_maturities, %num_points) {
      %x = memref.load %points[%j] : !line
      %w = memref.load %weights[%j] : !line
      %t = memref.load %maturities[%m] : !line
      %h_re, %h_im = func.call @heston_function(%candidates, %p, %t, %x)
        : (memref<?x5xf32>, index, f32, f32) -> (f32, f32)
      %b_re, %b_im = func.call @normal_function(%candidates, %p, %t, %x)
        : (memref<?x5xf32>, index, f32, f32) -> (f32, f32)
      %d_re = arith.subf %b_re, %h_re : f32
      %d_im = arith.subf %b_im, %h_im : f32
      %xx = arith.mulf %x, %x : f32
      %minus_x = arith.negf %x : f32
      %re, %im = func.call @divide(%d_re, %d_im, %xx, %minus_x) : (f32, f32, f32, f32) -> (f32, f32)
      %w_re = arith.mulf %w, %re : f32
      %w_im = arith.mulf %w, %im : f32
      memref.store %w_re, %coefficients[%p, %m, %j, %c0] : !coefficients
      memref.store %w_im, %coefficients[%p, %m, %j, %c1] : !coefficients
    }
    tc.par (%q) = (0) to (%num_quotes) {
      tc.reduce (%j) = (0) to (%num_points) init(%zero : f32) commutative {
        %x = memref.load %points[%j] : !line
        %strike = memref.load %strikes[%q] : !line
        %m32 = memref.load %maturity_of[%q] : memref<?xi32>
        %m = arith.index_cast %m32 : i32 to index
        %re = memref.load %coefficients[%p, %m, %j, %c0] : !coefficients
        %im = memref.load %coefficients[%p, %m, %j, %c1] : !coefficients
        %log = math.log %strike : f32
        %angle = arith.mulf %x, %log : f32
        %cos = math.cos %angle : f32
        %sin = math.sin %angle : f32
        %re_cos = arith.mulf %re, %cos : f32
        %im_sin = arith.mulf %im, %sin : f32
        %term = arith.addf %re_cos, %im_sin : f32
        tc.yield %term : f32
      } combine (%a: f32, %b: f32) {
        %s = arith.addf %a, %b : f32
        tc.yield %s : f32
      } finish (%sum: f32) {
        %strike = memref.load %strikes[%q] : !line
        %m32 = memref.load %maturity_of[%q] : memref<?xi32>
        %m = arith.index_cast %m32 : i32 to index
        %t = memref.load %maturities[%m] : !line
        %control = func.call @black_scholes(%candidates, %p, %t, %strike)
          : (memref<?x5xf32>, index, f32, f32) -> f32
        %integral = arith.mulf %sum, %by_pi : f32
        %price = arith.addf %integral, %control : f32
        %inner = arith.subf %one, %strike : f32
        %least = arith.maximumf %inner, %zero : f32
        %below = arith.minimumf %price, %one : f32
        %call = arith.maximumf %below, %least : f32
        memref.store %call, %calls[%p, %q] : !table
      }
    }
    tc.reduce (%q) = (0) to (%num_quotes) init(%zero : f32) commutative {
      %call = memref.load %calls[%p, %q] : !table
      %quote = memref.load %quotes[%q] : !line
      %weight = memref.load %importance[%q] : !line
      %miss = arith.subf %call, %quote : f32
      %weighted = arith.mulf %weight, %miss : f32
      %square = arith.mulf %weighted, %weighted : f32
      tc.yield %square : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%sum: f32) {
      %mean = arith.divf %sum, %num : f32
      %error = math.sqrt %mean : f32
      memref.store %error, %errors[%p] : !line
    }
  }
  return
}

/// The characteristic function of the logarithm of the price at x - i.
func.func private @heston_function(%candidates: memref<?x5xf32>, %p: index, %t: f32, %x: f32)
    -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %v0 = memref.load %candidates[%p, %c0] : memref<?x5xf32>
  %theta = memref.load %candidates[%p, %c1] : memref<?x5xf32>
  %rho = memref.load %candidates[%p, %c2] : memref<?x5xf32>
  %kappa = memref.load %candidates[%p, %c3] : memref<?x5xf32>
  %eta = memref.load %candidates[%p, %c4] : memref<?x5xf32>
  %eta2 = arith.mulf %eta, %eta : f32
  %kappa_theta = arith.mulf %kappa, %theta : f32
  %scale1 = arith.divf %kappa_theta, %eta2 : f32
  %scale2 = arith.divf %v0, %eta2 : f32
  // d0 = kappa - i rho eta (x - i), and d^2 = d0^2 + eta^2 (x - i) x.
  %rho_eta = arith.mulf %rho, %eta : f32
  %d0_re = arith.subf %kappa, %rho_eta : f32
  %rho_eta_x = arith.mulf %rho_eta, %x : f32
  %d0_im = arith.negf %rho_eta_x : f32
  %d02_re, %d02_im = func.call @multiply(%d0_re, %d0_im, %d0_re, %d0_im)
    : (f32, f32, f32, f32) -> (f32, f32)
  %eta2x = arith.mulf %eta2, %x : f32
  %eta2xx = arith.mulf %eta2x, %x : f32
  %d2_re = arith.addf %d02_re, %eta2xx : f32
  %d2_im = arith.subf %d02_im, %eta2x : f32
  %d_re, %d_im = func.call @root(%d2_re, %d2_im) : (f32, f32) -> (f32, f32)
  %a_re = arith.subf %d0_re, %d_re : f32
  %a_im = arith.subf %d0_im, %d_im : f32
  %s_re = arith.addf %d0_re, %d_re : f32
  %s_im = arith.addf %d0_im, %d_im : f32
  %g_re, %g_im = func.call @divide(%a_re, %a_im, %s_re, %s_im)
    : (f32, f32, f32, f32) -> (f32, f32)
  %dt_re = arith.mulf %d_re, %t : f32
  %dt_im = arith.mulf %d_im, %t : f32
  %m_re = arith.negf %dt_re : f32
  %m_im = arith.negf %dt_im : f32
  %e_re, %e_im = func.call @exponential(%m_re, %m_im) : (f32, f32) -> (f32, f32)
  %ge_re, %ge_im = func.call @multiply(%g_re, %g_im, %e_re, %e_im)
    : (f32, f32, f32, f32) -> (f32, f32)
  %n_re = arith.subf %one, %ge_re : f32
  %n_im = arith.subf %zero, %ge_im : f32
  %k_re = arith.subf %one, %g_re : f32
  %k_im = arith.subf %zero, %g_im : f32
  %r_re, %r_im = func.call @divide(%n_re, %n_im, %k_re, %k_im)
    : (f32, f32, f32, f32) -> (f32, f32)
  %l_re, %l_im = func.call @logarithm(%r_re, %r_im) : (f32, f32) -> (f32, f32)
  %at_re = arith.mulf %a_re, %t : f32
  %at_im = arith.mulf %a_im, %t : f32
  %l2_re = arith.mulf %two, %l_re : f32
  %l2_im = arith.mulf %two, %l_im : f32
  %long_re = arith.subf %at_re, %l2_re : f32
  %long_im = arith.subf %at_im, %l2_im : f32
  %f_re = arith.subf %one, %e_re : f32
  %f_im = arith.subf %zero, %e_im : f32
  %q_re, %q_im = func.call @divide(%f_re, %f_im, %n_re, %n_im)
    : (f32, f32, f32, f32) -> (f32, f32)
  %now_re, %now_im = func.call @multiply(%a_re, %a_im, %q_re, %q_im)
    : (f32, f32, f32, f32) -> (f32, f32)
  %y1_re = arith.mulf %scale1, %long_re : f32
  %y1_im = arith.mulf %scale1, %long_im : f32
  %y2_re = arith.mulf %scale2, %now_re : f32
  %y2_im = arith.mulf %scale2, %now_im : f32
  %y_re = arith.addf %y1_re, %y2_re : f32
  %y_im = arith.addf %y1_im, %y2_im : f32
  %re, %im = func.call @exponential(%y_re, %y_im) : (f32, f32) -> (f32, f32)
  return %re, %im : f32, f32
}

/// The same of a normal distribution of the same mean variance: exp(-v t (x - i) x / 2).
func.func private @normal_function(%candidates: memref<?x5xf32>, %p: index, %t: f32, %x: f32)
    -> (f32, f32) {
  %minus_half = arith.constant -0.5 : f32
  %half = arith.constant 0.5 : f32
  %v = func.call @mean_variance(%candidates, %p, %t) : (memref<?x5xf32>, index, f32) -> f32
  %vt = arith.mulf %v, %t : f32
  %vtx = arith.mulf %vt, %x : f32
  %vtxx = arith.mulf %vtx, %x : f32
  %y_re = arith.mulf %minus_half, %vtxx : f32
  %y_im = arith.mulf %half, %vtx : f32
  %re, %im = func.call @exponential(%y_re, %y_im) : (f32, f32) -> (f32, f32)
  return %re, %im : f32, f32
}

/// theta + (v0 - theta) (1 - exp(-kappa t)) / (kappa t)
func.func private @mean_variance(%candidates: memref<?x5xf32>, %p: index, %t: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %v0 = memref.load %candidates[%p, %c0] : memref<?x5xf32>
  %theta = memref.load %candidates[%p, %c1] : memref<?x5xf32>
  %kappa = memref.load %candidates[%p, %c3] : memref<?x5xf32>
  %kt = arith.mulf %kappa, %t : f32
  %minus_kt = arith.negf %kt : f32
  %decay = math.exp %minus_kt : f32
  %rest = arith.subf %one, %decay : f32
  %share = arith.divf %rest, %kt : f32
  %above = arith.subf %v0, %theta : f32
  %more = arith.mulf %above, %share : f32
  %v = arith.addf %theta, %more : f32
  return %v : f32
}

/// A call where the variance is the mean one at all times.
func.func private @black_scholes(%candidates: memref<?x5xf32>, %p: index, %t: f32, %strike: f32)
    -> f32 {
  %half = arith.constant 0.5 : f32
  %v = func.call @mean_variance(%candidates, %p, %t) : (memref<?x5xf32>, index, f32) -> f32
  %vt = arith.mulf %v, %t : f32
  %deviation = math.sqrt %vt : f32
  %log = math.log %strike : f32
  %minus_log = arith.negf %log : f32
  %ratio = arith.divf %minus_log, %deviation : f32
  %half_deviation = arith.mulf %half, %deviation : f32
  %d1 = arith.addf %ratio, %half_deviation : f32
  %d2 = arith.subf %d1, %deviation : f32
  %n1 = func.call @normal(%d1) : (f32) -> f32
  %n2 = func.call @normal(%d2) : (f32) -> f32
  %paid = arith.mulf %strike, %n2 : f32
  %call = arith.subf %n1, %paid : f32
  return %call : f32
}

func.func private @normal(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %by_root2 = arith.constant 0.707106781 : f32
  %y = arith.mulf %x, %by_root2 : f32
  %e = math.erf %y : f32
  %e1 = arith.addf %one, %e : f32
  %n = arith.mulf %half, %e1 : f32
  return %n : f32
}

// Complex numbers, as two values.

func.func private @multiply(%a: f32, %b: f32, %c: f32, %d: f32) -> (f32, f32) {
  %ac = arith.mulf %a, %c : f32
  %bd = arith.mulf %b, %d : f32
  %ad = arith.mulf %a, %d : f32
  %bc = arith.mulf %b, %c : f32
  %re = arith.subf %ac, %bd : f32
  %im = arith.addf %ad, %bc : f32
  return %re, %im : f32, f32
}

func.func private @divide(%a: f32, %b: f32, %c: f32, %d: f32) -> (f32, f32) {
  %cc = arith.mulf %c, %c : f32
  %dd = arith.mulf %d, %d : f32
  %square = arith.addf %cc, %dd : f32
  %minus_d = arith.negf %d : f32
  %x, %y = func.call @multiply(%a, %b, %c, %minus_d) : (f32, f32, f32, f32) -> (f32, f32)
  %re = arith.divf %x, %square : f32
  %im = arith.divf %y, %square : f32
  return %re, %im : f32, f32
}

func.func private @exponential(%a: f32, %b: f32) -> (f32, f32) {
  %size = math.exp %a : f32
  %cos = math.cos %b : f32
  %sin = math.sin %b : f32
  %re = arith.mulf %size, %cos : f32
  %im = arith.mulf %size, %sin : f32
  return %re, %im : f32, f32
}

func.func private @logarithm(%a: f32, %b: f32) -> (f32, f32) {
  %half = arith.constant 0.5 : f32
  %aa = arith.mulf %a, %a : f32
  %bb = arith.mulf %b, %b : f32
  %square = arith.addf %aa, %bb : f32
  %log = math.log %square : f32
  %re = arith.mulf %half, %log : f32
  %im = math.atan2 %b, %a : f32
  return %re, %im : f32, f32
}

/// The root with a positive real part of a number whose real part is positive. (The imaginary part from
/// the size less the real part would cancel.)
func.func private @root(%a: f32, %b: f32) -> (f32, f32) {
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %aa = arith.mulf %a, %a : f32
  %bb = arith.mulf %b, %b : f32
  %square = arith.addf %aa, %bb : f32
  %size = math.sqrt %square : f32
  %sum = arith.addf %size, %a : f32
  %re2 = arith.mulf %half, %sum : f32
  %re = math.sqrt %re2 : f32
  %twice = arith.mulf %two, %re : f32
  %im = arith.divf %b, %twice : f32
  return %re, %im : f32, f32
}
