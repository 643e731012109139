"""Programs of finance: LocVolCalib and OptionPricing of FinPar (Andreetta et al., "FinPar: a
parallel financial benchmark", ACM TACO 2016), and the calibration of Heston's model."""

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

ALL = [LOCVOLCALIB]
