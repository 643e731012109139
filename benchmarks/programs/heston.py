"""Calibration of Heston's model (Heston, "A closed-form solution for options with stochastic
volatility", Review of Financial Studies 1993): the objective, as in the study."""

import math

import numpy as np

from .case import Program


def describe_heston(candidates, points, maturities, quotes):
    shapes = {"candidates": (candidates, 5), "points": (points,), "weights": (points,)}
    shapes |= {"maturities": (maturities,), "maturity_of": (quotes,), "strikes": (quotes,)}
    shapes |= {"quotes": (quotes,), "importance": (quotes,)}
    shapes |= {"calls": (candidates, quotes), "errors": (candidates,)}
    types = {name: np.float32 for name in shapes} | {"maturity_of": np.int32}
    return {name: (types[name], shape) for name, shape in shapes.items()}


def fill_heston(rng, candidates, points, maturities, quotes):
    """Candidates as a search over the bounds of the study might draw them; Laguerre's weights
    without the factor exp(-x)."""
    x, w = np.polynomial.laguerre.laggauss(points)
    low, high = [0.02, 0.02, -0.8, 0.5, 0.2], [0.3, 0.3, 0.0, 4.0, 0.8]
    strikes = rng.uniform(0.6, 1.5, quotes)
    return {
        "candidates": rng.uniform(low, high, (candidates, 5)),
        "points": x,
        "weights": w * np.exp(x),
        "maturities": np.linspace(0.25, 3, maturities),
        "maturity_of": rng.integers(0, maturities, quotes),
        "strikes": strikes,
        "quotes": np.maximum(1 - strikes, 0) + rng.uniform(0.01, 0.1, quotes),
        "importance": rng.uniform(0.5, 2, quotes),
    }


def characterise(candidate, t, z):
    """The characteristic function of the logarithm of the price at time t, in the form that
    has no jumps (Albrecher et al., "The little Heston trap", Wilmott 2007)."""
    v0, theta, rho, kappa, eta = candidate
    d0 = kappa - 1j * rho * eta * z
    d = np.sqrt(d0**2 + eta**2 * z * (z + 1j))
    g = (d0 - d) / (d0 + d)
    e = np.exp(-d * t)
    long_term = (d0 - d) * t - 2 * np.log((1 - g * e) / (1 - g))
    now = (d0 - d) * (1 - e) / (1 - g * e)
    return np.exp((kappa * theta * long_term + v0 * now) / eta**2)


def price_normal(variance, t, strikes):
    """Calls by Black and Scholes."""
    deviation = np.sqrt(variance * t)
    d1 = -np.log(strikes) / deviation + deviation / 2
    normal = np.vectorize(lambda x: (1 + math.erf(x / math.sqrt(2))) / 2)
    return normal(d1) - strikes * normal(d1 - deviation)


def price_quotes(candidate, t, strikes, x, w):
    """Black and Scholes, and the integral of the difference, for each quote."""
    v0, theta, _, kappa, _ = candidate
    variance = theta + (v0 - theta) * (1 - np.exp(-kappa * t)) / (kappa * t)
    z = x - 1j
    normal = np.exp(-(variance * t)[:, None] / 2 * z * (z + 1j))
    difference = (normal - characterise(candidate, t[:, None], z)) / (x * z)
    waves = np.exp(-1j * np.log(strikes)[:, None] * x)
    integrals = np.sum(w * (difference * waves).real, axis=1) / np.pi
    calls = integrals + price_normal(variance, t, strikes)
    return np.clip(calls, np.maximum(1 - strikes, 0), 1)


def solve_heston(
    candidates, points, weights, maturities, maturity_of, strikes, quotes, importance, **_
):
    x, w, t = np.float64(points), np.float64(weights), np.float64(maturities)[maturity_of]
    strikes = np.float64(strikes)
    calls = np.array([price_quotes(c, t, strikes, x, w) for c in np.float64(candidates)])
    misses = np.float64(importance) * (calls - quotes)
    return {"calls": calls, "errors": np.sqrt(np.mean(misses**2, axis=1))}


HESTON = Program(
    name="heston",
    describe=describe_heston,
    fill=fill_heston,
    reference=solve_heston,
    results=("calls", "errors"),
    test={"candidates": 4, "points": 20, "maturities": 3, "quotes": 40},
    full={
        "D1": {"candidates": 40, "points": 20, "maturities": 20, "quotes": 1062},
        "D2": {"candidates": 40, "points": 20, "maturities": 20, "quotes": 10000},
    },
    bound=1e-5,
)

ALL = [HESTON]
