"""Programs of finance: LocVolCalib and OptionPricing of FinPar (Andreetta et al., "FinPar: a
parallel financial benchmark", ACM TACO 2016), and the calibration of Heston's model."""

import statistics

import numpy as np

from .case import Program

# Parameters of all data sets of LocVolCalib.
S0, MATURITY, ALPHA, NU, BETA = 0.03, 5.0, 0.2, 0.6, 0.5


def describe_locvolcalib(outer, num_t, num_x, num_y):
    shapes = {"strikes": (outer,), "xs": (num_x,), "ys": (num_y,), "times": (num_t,)}
    shapes |= {"model": (2,), "values": (outer, num_y, num_x)}
    return {name: (np.float32, shape) for name, shape in shapes.items()}


def make_axis(points, length, at, middle):
    """A regular axis that has the value `middle` at its index `at`."""
    return (np.arange(points) - at) * (length / points) + middle


def find_start(num_x, num_y):
    """The indices of the price to be found: where x is S0 and y the logarithm of ALPHA."""
    return int(S0 / (20 * ALPHA * S0 * np.sqrt(MATURITY) / num_x)), num_y // 2


def fill_locvolcalib(rng, outer, num_t, num_x, num_y):
    at_x, at_y = find_start(num_x, num_y)
    root = np.sqrt(MATURITY)
    return {
        "strikes": 0.001 * np.arange(outer),
        "xs": make_axis(num_x, 20 * ALPHA * S0 * root, at_x, S0),
        "ys": make_axis(num_y, 10 * NU * root, at_y, np.log(ALPHA)),
        "times": MATURITY * np.arange(num_t) / (num_t - 1),
        "model": [NU, BETA],
    }


def second_difference(xs):
    """The matrix of the second derivative on any axis, with rows of zeros at both ends."""
    matrix = np.zeros((len(xs), len(xs)))
    for i in range(1, len(xs) - 1):
        low, up = xs[i] - xs[i - 1], xs[i + 1] - xs[i]
        matrix[i, i - 1 : i + 2] = 2 / (low + up) * np.array([1 / low, -1 / low - 1 / up, 1 / up])
    return matrix


def solve_locvolcalib(strikes, xs, ys, times, model, **_):
    """Alternating directions with whole matrices, and NumPy's dense solver: independent of the
    scans of the program."""
    xs, ys, times, nu, beta = *map(np.float64, (xs, ys, times)), *np.float64(model)
    along_x, along_y = second_difference(xs), second_difference(ys)
    payoffs = np.maximum(xs - np.float64(strikes)[:, None], 0)
    values = np.repeat(payoffs[:, None], len(ys), axis=1)
    in_y = nu**2 / 2 * along_y
    for now, end in zip(times[-2::-1], times[:0:-1], strict=True):
        rate = 1 / (end - now)
        logs = beta * np.log(xs) + ys[:, None] - nu**2 * now / 2
        in_x = np.exp(2 * logs)[:, :, None] / 2 * along_x
        explicit_y = in_y @ values
        rest = rate * values + np.einsum("jik,ojk->oji", in_x, values) / 2 + explicit_y
        systems = rate * np.eye(len(xs)) - in_x / 2
        rest = np.linalg.solve(systems, rest.transpose(1, 2, 0)).transpose(2, 0, 1)
        values = np.linalg.solve(
            rate * np.eye(len(ys)) - in_y / 2, rate * rest - explicit_y / 2
        )
    return {"values": values}


LOCVOLCALIB = Program(
    name="locvolcalib",
    describe=describe_locvolcalib,
    fill=fill_locvolcalib,
    reference=solve_locvolcalib,
    results=("values",),
    test={"outer": 3, "num_t": 4, "num_x": 20, "num_y": 18},
    full={
        "small": {"outer": 16, "num_t": 256, "num_x": 32, "num_y": 256},
        "medium": {"outer": 128, "num_t": 64, "num_x": 256, "num_y": 32},
        "large": {"outer": 256, "num_t": 64, "num_x": 256, "num_y": 256},
    },
    bound=1e-3,
)


def describe_option_pricing(contract, paths, dates, assets):
    table = (np.float32, (dates, assets))
    return {
        "contract": (np.int64, contract),
        "paths": (np.int64, paths),
        "directions": (np.int32, (dates * assets, 31)),
        "bridge": (np.int32, (dates, 3)),
        "shares": (np.float32, (dates, 3)),
        "correlation": (np.float32, (assets, assets)),
        "volatility": table,
        "drift": table,
        "start": (np.float32, (assets,)),
        "discounts": (np.float32, (dates,)),
        "price": (np.float32, ()),
    }


def make_bridge(dates):
    """The order in which a Brownian bridge finds the dates 1, ..., n of a year of n steps, and the
    dates on both sides: first the last date, then the middle of what is open."""
    steps, shares, open_ends = [[dates, 0, 0]], [[0, 0, np.sqrt(dates)]], [(0, dates)]
    while open_ends:
        left, right = open_ends.pop(0)
        at = (left + right) // 2
        if at == left:
            continue
        lower, upper = at - left, right - at
        both = lower + upper
        steps.append([at, left, right])
        shares.append([upper / both, lower / both, np.sqrt(lower * upper / both)])
        open_ends += [(left, at), (at, right)]
    return steps, shares


def fill_option_pricing(rng, contract, paths, dates, assets):
    """Directions are odd numbers of as many bits as they are late, which is what makes a
    sequence of Sobol; those of the study are primitive polynomials' as well."""
    places = np.arange(1, 32)
    odd = 2 * rng.integers(0, 2**31, (dates * assets, 31)) + 1
    directions = (odd % 2**places) << (31 - places)
    steps, shares = make_bridge(dates)
    factors = np.linalg.cholesky(0.4 + 0.6 * np.eye(assets))
    step = 1 / dates
    volatility = rng.uniform(0.15, 0.3, (dates, assets)) * np.sqrt(step)
    return {
        "directions": directions,
        "bridge": steps,
        "shares": shares,
        "correlation": factors,
        "volatility": volatility,
        "drift": 0.03 * step - volatility**2 / 2,
        "start": rng.uniform(1000, 12000, assets),
        "discounts": np.exp(-0.03 * step * np.arange(1, dates + 1)),
    }


def make_sobol(directions, paths):
    """Numbers 1, ..., n of each sequence, in (0, 1): number i changes one direction of the one
    before, that of the lowest bit of i that is set."""
    codes = np.zeros((paths + 1, len(directions)), np.int64)
    for i in range(1, paths + 1):
        low = (i & -i).bit_length() - 1
        codes[i] = codes[i - 1] ^ directions[:, low]
    return (codes[1:] + 0.5) / 2.0**31


def invert_normal(uniform):
    """Quantiles of the normal distribution, by the standard library."""
    quantile = statistics.NormalDist().inv_cdf
    return np.vectorize(quantile, otypes=[np.float64])(uniform)


def pay_barrier(quotients, discounts):
    worst = quotients.min(axis=2)
    below = worst.min(axis=1) <= 0.7
    share = np.where(below, np.minimum(worst[:, -1], 1), 1)
    return 100 * discounts[0] + 1000 * share * discounts[-1]


def pay_callable(quotients, discounts):
    worst = quotients.min(axis=2)
    payoffs = 1000 * np.where(worst[:, -1] > 0.75, 1, worst[:, -1]) * discounts[-1]
    for date in reversed(range(worst.shape[1])):
        called = worst[:, date] >= 1
        payoffs = np.where(called, (1000 + 150 * (date + 1)) * discounts[date], payoffs)
    return payoffs


def solve_option_pricing(
    contract, paths, directions, bridge, shares, correlation, volatility, drift, start, discounts, **_
):
    """Path by path as a batch; prices are exponentials of cumulative sums."""
    dates, assets = volatility.shape
    uniform = make_sobol(np.int64(directions), int(paths))
    normal = invert_normal(uniform).reshape(-1, dates, assets)
    motion = np.zeros((len(normal), dates + 1, assets))
    for i, (at, left, right) in enumerate(bridge):
        of_left, of_right, deviation = np.float64(shares[i])
        motion[:, at] = of_left * motion[:, left] + of_right * motion[:, right]
        motion[:, at] += deviation * normal[:, i]
    noise = np.diff(motion, axis=1) @ np.float64(correlation).T
    quotients = np.exp(np.cumsum(noise * volatility + np.float64(drift), axis=1))
    pay = pay_barrier if contract == 1 else pay_callable
    return {"price": pay(quotients, np.float64(discounts)).mean()}


OPTION_PRICING = Program(
    name="option-pricing",
    describe=describe_option_pricing,
    fill=fill_option_pricing,
    reference=solve_option_pricing,
    results=("price",),
    test={"contract": 1, "paths": 300, "dates": 20, "assets": 3},
    more=({"contract": 0, "paths": 400, "dates": 5, "assets": 2},),
    full={
        "D1": {"contract": 0, "paths": 1048576, "dates": 5, "assets": 3},
        "D2": {"contract": 1, "paths": 500, "dates": 367, "assets": 3},
    },
    bound=1e-4,
)

ALL = [OPTION_PRICING, LOCVOLCALIB]
