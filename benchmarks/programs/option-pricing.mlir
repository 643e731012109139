// OptionPricing of FinPar (Andreetta et al., "FinPar: a parallel financial benchmark", ACM TACO 2016):
// the mean payoff of a contract on several assets over Monte-Carlo paths. A map over paths of: a map
// over numbers of a path of a reduction over bits (Sobol) and the inverse normal distribution; a map
// over assets of a loop over dates (Brownian bridge); a map over dates and assets of a sum
// (correlation); a map over assets of a product along the dates; and the payoff. Then a reduction.

!table = memref<?x?xf32>
!codes = memref<?x?xi32>
!numbers = memref<?x?x?xf32>
!steps = memref<?x3xi32>
!line = memref<?xf32>

// %directions has a row for each date and asset, %bridge the indices of a date, its left and its right
// neighbour (0 is now, and 1 the first date), %shares the weights of these two and of the new number.
func.func @option_pricing(%contract: index, %paths: index, %directions: !codes, %bridge: !steps,
                          %shares: memref<?x3xf32>, %correlation: !table, %volatility: !table,
                          %drift: !table, %start: !line, %discounts: !line, %price: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %dates = memref.dim %volatility, %c0 : !table
  %assets = memref.dim %volatility, %c1 : !table
  %bits = memref.dim %directions, %c1 : !codes
  %dates1 = arith.addi %dates, %c1 : index
  %normal = memref.alloc(%paths, %dates, %assets) : !numbers
  %motion = memref.alloc(%paths, %dates1, %assets) : !numbers
  %prices = memref.alloc(%paths, %dates, %assets) : !numbers
  %payoffs = memref.alloc(%paths) : !line
  tc.par (%p) = (0) to (%paths) {
    tc.par (%d, %a) = (0, 0) to (%dates, %assets) {
      %row = affine.apply affine_map<(d, a)[n] -> (d * n + a)>(%d, %a)[%assets]
      %number = func.call @sobol(%directions, %row, %bits, %p) : (!codes, index, index, index) -> f32
      %z = func.call @inverse_normal(%number) : (f32) -> f32
      memref.store %z, %normal[%p, %d, %a] : !numbers
    }
    tc.par (%a) = (0) to (%assets) {
      memref.store %zero, %motion[%p, %c0, %a] : !numbers
      tc.seq (%i) = (0) to (%dates) {
        %at32 = memref.load %bridge[%i, %c0] : !steps
        %left32 = memref.load %bridge[%i, %c1] : !steps
        %right32 = memref.load %bridge[%i, %c2] : !steps
        %at = arith.index_cast %at32 : i32 to index
        %left = arith.index_cast %left32 : i32 to index
        %right = arith.index_cast %right32 : i32 to index
        %of_left = memref.load %shares[%i, %c0] : memref<?x3xf32>
        %of_right = memref.load %shares[%i, %c1] : memref<?x3xf32>
        %deviation = memref.load %shares[%i, %c2] : memref<?x3xf32>
        %z = memref.load %normal[%p, %i, %a] : !numbers
        %l = memref.load %motion[%p, %left, %a] : !numbers
        %r = memref.load %motion[%p, %right, %a] : !numbers
        %own = arith.mulf %deviation, %z : f32
        %from_left = arith.mulf %of_left, %l : f32
        %from_right = arith.mulf %of_right, %r : f32
        %both = arith.addf %from_left, %from_right : f32
        %w = arith.addf %own, %both : f32
        memref.store %w, %motion[%p, %at, %a] : !numbers
      }
    }
    tc.par (%d, %a) = (0, 0) to (%dates, %assets) {
      %d1 = arith.addi %d, %c1 : index
      %noise = tc.seq (%b) = (0) to (%assets) init(%s = %zero : f32) {
        %now = memref.load %motion[%p, %d1, %b] : !numbers
        %before = memref.load %motion[%p, %d, %b] : !numbers
        %step = arith.subf %now, %before : f32
        %c = memref.load %correlation[%a, %b] : !table
        %part = arith.mulf %step, %c : f32
        %next = arith.addf %s, %part : f32
        tc.yield %next : f32
      }
      %v = memref.load %volatility[%d, %a] : !table
      %m = memref.load %drift[%d, %a] : !table
      %random = arith.mulf %noise, %v : f32
      %growth = arith.addf %random, %m : f32
      %factor = math.exp %growth : f32
      memref.store %factor, %prices[%p, %d, %a] : !numbers
    }
    tc.par (%a) = (0) to (%assets) {
      %s = memref.load %start[%a] : !line
      %last = tc.seq (%d) = (0) to (%dates) init(%x = %s : f32) {
        %factor = memref.load %prices[%p, %d, %a] : !numbers
        %next = arith.mulf %x, %factor : f32
        memref.store %next, %prices[%p, %d, %a] : !numbers
        tc.yield %next : f32
      }
    }
    %low = tc.new : memref<f32>
    tc.reduce (%d) = (0) to (%dates) init(%one : f32) commutative {
      %worst = func.call @worst(%prices, %start, %p, %d, %assets)
        : (!numbers, !line, index, index, index) -> f32
      tc.yield %worst : f32
    } combine (%x: f32, %y: f32) {
      %least = arith.minimumf %x, %y : f32
      tc.yield %least : f32
    } finish (%x: f32) {
      memref.store %x, %low[] : memref<f32>
    }
    tc.par (%q) = (0) to (1) {
      %is_barrier = arith.cmpi eq, %contract, %c1 : index
      %payoff = scf.if %is_barrier -> f32 {
        %lowest = memref.load %low[] : memref<f32>
        %x = func.call @barrier(%prices, %start, %discounts, %p, %dates, %assets, %lowest)
          : (!numbers, !line, !line, index, index, index, f32) -> f32
        scf.yield %x : f32
      } else {
        %x = func.call @callable(%prices, %start, %discounts, %p, %dates, %assets)
          : (!numbers, !line, !line, index, index, index) -> f32
        scf.yield %x : f32
      }
      memref.store %payoff, %payoffs[%p] : !line
    }
  }
  %count32 = arith.index_cast %paths : index to i32
  %count = arith.sitofp %count32 : i32 to f32
  tc.reduce (%p) = (0) to (%paths) init(%zero : f32) commutative {
    %x = memref.load %payoffs[%p] : !line
    tc.yield %x : f32
  } combine (%x: f32, %y: f32) {
    %s = arith.addf %x, %y : f32
    tc.yield %s : f32
  } finish (%sum: f32) {
    %mean = arith.divf %sum, %count : f32
    memref.store %mean, %price[] : memref<f32>
  }
  return
}

/// Number %p + 1 of the Sobol sequence of a row: those directions are combined whose bits the Gray code
/// has. In (0, 1).
func.func private @sobol(%directions: !codes, %row: index, %bits: index, %p: index) -> f32 {
  %none = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %scale = arith.constant 0x30000000 : f32 // 2^-31
  %p32 = arith.index_cast %p : index to i32
  %n = arith.addi %p32, %one32 : i32
  %shifted = arith.shrui %n, %one32 : i32
  %gray = arith.xori %n, %shifted : i32
  %code = tc.seq (%b) = (0) to (%bits) init(%x = %none : i32) {
    %b32 = arith.index_cast %b : index to i32
    %rest = arith.shrui %gray, %b32 : i32
    %bit = arith.andi %rest, %one32 : i32
    %is_set = arith.cmpi ne, %bit, %none : i32
    %direction = memref.load %directions[%row, %b] : !codes
    %changed = arith.xori %x, %direction : i32
    %next = arith.select %is_set, %changed, %x : i32
    tc.yield %next : i32
  }
  %number = arith.uitofp %code : i32 to f32
  %middle = arith.addf %number, %half : f32
  %uniform = arith.mulf %middle, %scale : f32
  return %uniform : f32
}

/// The quantile of the normal distribution by Winitzki's formula for the inverse error function
/// and a step of Newton's method with erf.
func.func private @inverse_normal(%u: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : f32
  %root2 = arith.constant 1.41421356 : f32
  %half_root_pi = arith.constant 0.886226925 : f32
  %by_a = arith.constant 6.80272109 : f32 // 1 / 0.147
  %by_pi_a = arith.constant 4.33074675 : f32 // 2 / (0.147 pi)
  %zero = arith.constant 0.0 : f32
  %twice = arith.mulf %two, %u : f32
  %y = arith.subf %twice, %one : f32
  %rest = arith.subf %one, %u : f32
  %product = arith.mulf %u, %rest : f32
  %four = arith.constant 4.0 : f32
  %square = arith.mulf %four, %product : f32 // 1 - y^2
  %log = math.log %square : f32
  %half_log = arith.mulf %half, %log : f32
  %s = arith.addf %by_pi_a, %half_log : f32
  %ss = arith.mulf %s, %s : f32
  %log_a = arith.mulf %log, %by_a : f32
  %inner = arith.subf %ss, %log_a : f32
  %root = math.sqrt %inner : f32
  %difference = arith.subf %root, %s : f32
  %positive = arith.maximumf %difference, %zero : f32
  %size = math.sqrt %positive : f32
  %x = math.copysign %size, %y : f32
  %e = math.erf %x : f32
  %miss = arith.subf %e, %y : f32
  %xx = arith.mulf %x, %x : f32
  %slope = math.exp %xx : f32
  %scaled = arith.mulf %miss, %slope : f32
  %change = arith.mulf %scaled, %half_root_pi : f32
  %better = arith.subf %x, %change : f32
  %z = arith.mulf %root2, %better : f32
  return %z : f32
}

/// The least quotient of the price of an asset and its price at the start, on a date.
func.func private @worst(%prices: !numbers, %start: !line, %p: index, %d: index, %assets: index) -> f32 {
  %much = arith.constant 1.0e+30 : f32
  %worst = tc.seq (%a) = (0) to (%assets) init(%least = %much : f32) {
    %x = memref.load %prices[%p, %d, %a] : !numbers
    %s = memref.load %start[%a] : !line
    %quotient = arith.divf %x, %s : f32
    %next = arith.minimumf %least, %quotient : f32
    tc.yield %next : f32
  }
  return %worst : f32
}

/// A reverse convertible with a barrier: a coupon, and at the end 1000, or as much less as the worst
/// asset if one was ever below 0.7 of its start, and ends below it.
func.func private @barrier(%prices: !numbers, %start: !line, %discounts: !line, %p: index, %dates: index,
                           %assets: index, %lowest: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %barrier = arith.constant 0.7 : f32
  %coupon = arith.constant 100.0 : f32
  %nominal = arith.constant 1000.0 : f32
  %last = arith.subi %dates, %c1 : index
  %worst = func.call @worst(%prices, %start, %p, %last, %assets)
    : (!numbers, !line, index, index, index) -> f32
  %below = arith.cmpf ole, %lowest, %barrier : f32
  %capped = arith.minimumf %worst, %one : f32
  %share = arith.select %below, %capped, %one : f32
  %amount = arith.mulf %nominal, %share : f32
  %first_discount = memref.load %discounts[%c0] : !line
  %last_discount = memref.load %discounts[%last] : !line
  %coupon_now = arith.mulf %coupon, %first_discount : f32
  %amount_now = arith.mulf %amount, %last_discount : f32
  %payoff = arith.addf %coupon_now, %amount_now : f32
  return %payoff : f32
}

/// Called on the first date on which no asset is below its start, for 1000 and 150 for each date that
/// has passed; else at the end the worst asset's share of 1000, or 1000 if that is above 0.75.
func.func private @callable(%prices: !numbers, %start: !line, %discounts: !line, %p: index,
                            %dates: index, %assets: index) -> f32 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %guard = arith.constant 0.75 : f32
  %bonus = arith.constant 150.0 : f32
  %nominal = arith.constant 1000.0 : f32
  %end = arith.subi %dates, %c1 : index
  %open, %paid = tc.seq (%d) = (0) to (%dates) init(%open = %one : f32, %paid = %zero : f32) {
    %worst = func.call @worst(%prices, %start, %p, %d, %assets)
      : (!numbers, !line, index, index, index) -> f32
    %called = arith.cmpf oge, %worst, %one : f32
    %discount = memref.load %discounts[%d] : !line
    %d1 = arith.addi %d, %c1 : index
    %d32 = arith.index_cast %d1 : index to i32
    %passed = arith.sitofp %d32 : i32 to f32
    %extra = arith.mulf %bonus, %passed : f32
    %gain = arith.addf %nominal, %extra : f32
    %safe = arith.cmpf ogt, %worst, %guard : f32
    %share = arith.select %safe, %one, %worst : f32
    %kept = arith.mulf %nominal, %share : f32
    %is_end = arith.cmpi eq, %d, %end : index
    %at_end = arith.select %is_end, %kept, %zero : f32
    %amount = arith.select %called, %gain, %at_end : f32
    %now = arith.mulf %amount, %discount : f32
    %counts = arith.mulf %now, %open : f32
    %next_paid = arith.addf %paid, %counts : f32
    %next_open = arith.select %called, %zero, %open : f32
    tc.yield %next_open, %next_paid : f32, f32
  }
  return %paid : f32
}
