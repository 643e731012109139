# REQUIRES: nvcc
# RUN: %cuda_program %s
# Bounds are those of the CUDA programming guide, appendix "Mathematical
# functions", in units of the last place. (Special values are compared, too.)
import math

import numpy as np

UNARY = {
    "sinf": (2, lambda x, y, u: np.sin(x)),
    "cosf": (2, lambda x, y, u: np.cos(x)),
    "tanf": (4, lambda x, y, u: np.tan(x)),
    "expf": (2, lambda x, y, u: np.exp((u * 80))),
    "exp2f": (2, lambda x, y, u: np.exp2(u * 120)),
    "exp10f": (2, lambda x, y, u: 10 ** (u * 37)),
    "expm1f": (1, lambda x, y, u: np.expm1(u * 10)),
    "logf": (1, lambda x, y, u: np.log(y)),
    "log2f": (1, lambda x, y, u: np.log2(y)),
    "log10f": (2, lambda x, y, u: np.log10(y)),
    "log1pf": (1, lambda x, y, u: np.log1p(y)),
    "sqrtf": (0, lambda x, y, u: np.sqrt(y)),
    "rsqrtf": (2, lambda x, y, u: 1 / np.sqrt(y)),
    "cbrtf": (1, lambda x, y, u: np.cbrt(x)),
    "tanhf": (2, lambda x, y, u: np.tanh(u * 10)),
    "sinhf": (3, lambda x, y, u: np.sinh(u * 10)),
    "coshf": (2, lambda x, y, u: np.cosh(u * 10)),
    "asinf": (2, lambda x, y, u: np.arcsin(u)),
    "acosf": (2, lambda x, y, u: np.arccos(u)),
    "atanf": (2, lambda x, y, u: np.arctan(x)),
    "asinhf": (3, lambda x, y, u: np.arcsinh(x)),
    "acoshf": (4, lambda x, y, u: np.arccosh(y + 1)),
    "atanhf": (3, lambda x, y, u: np.arctanh(u)),
    "erff": (2, lambda x, y, u: np.vectorize(math.erf)(u * 4)),
    "reciprocal": (0, lambda x, y, u: 1 / y),
}
BINARY = {
    "powf": (4, lambda x, y: np.abs(x) ** y),
    "atan2f": (3, np.arctan2),
    "hypotf": (3, np.hypot),
    "fmodf": (0, np.fmod),
    "remainderf": (0, lambda x, y: np.vectorize(math.remainder)(x, y)),
    "fdimf": (0, lambda x, y: np.maximum(x - y, 0)),
    "fmaxf": (0, np.fmax),
    "fminf": (0, np.fmin),
    "copysignf": (0, np.copysign),
    "ldexpf": (0, lambda x, y: np.ldexp(x, (y.astype("f4") * np.float32(10)).astype("i4"))),
    "frexpf": (0, lambda x, y: np.frexp(x)[0]),
    "nextafterf": (0, lambda x, y: np.nextafter(x.astype("f4"), y.astype("f4")).astype("f8")),
    "roundf": (0, lambda x, y: np.copysign(np.floor(np.abs(x) + 0.5), x)),
    "fabsf": (0, lambda x, y: np.abs(x)),
    "sine": (2, lambda x, y: np.sin(x)),
    "cosine": (2, lambda x, y: np.cos(x)),
}


def spread(p, n, low, high):
    """f32 numbers whose logarithms are uniform."""
    return (10.0 ** p.random.uniform(low, high, n)).astype(np.float32)


def run(p):
    n = 1000
    # The slow path of sinf and its kin begins above 100 000.
    x = spread(p, n, -6, 7) * p.random.choice([-1, 1], n).astype(np.float32)
    y = spread(p, n, -37, 37)
    u = p.random.uniform(-1, 1, n).astype(np.float32)
    x[:3], u[:4], y[:2] = (0, 1, -1), (0, 1, -1, 0.5), (1, 2)
    out = p.empty((len(UNARY), n), np.float32)
    p.launch("unary", 8, 128, x, y, u, out, np.int32(n))
    # The kernel's own products are of f32.
    scaled = Scaled(u)
    with np.errstate(all="ignore"):
        for row, (name, (bound, function)) in enumerate(UNARY.items()):
            wide = function(x.astype("f8"), Sum(y), scaled)
            p.within_ulps(name, out[row], np.asarray(wide, np.float64), bound)

    x = spread(p, n, -4, 4) * p.random.choice([-1, 1], n).astype(np.float32)
    y = p.random.uniform(-9, 9, n).astype(np.float32)
    out, exponents = p.empty((len(BINARY), n), np.float32), p.empty(n, np.int32)
    p.launch("binary", 8, 128, x, y, out, exponents, np.int32(n))
    for row, (name, (bound, function)) in enumerate(BINARY.items()):
        p.within_ulps(name, out[row], function(x.astype("f8"), y.astype("f8")), bound)
    p.equal("exponent", exponents, np.frexp(x)[1])

    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45], np.float32)
    x = np.resize(special, 32)
    out = p.empty((7, 32), np.int32)
    p.launch("classes", 1, 32, x, out, np.int32(32))
    wants = np.isnan(x), np.isinf(x), np.isfinite(x), np.signbit(x), x == x
    for row, want in enumerate((*wants, x < 1, ~(x >= 1))):
        kept = slice(None)
        if row == 3:  # NaN has any sign.
            kept = ~np.isnan(x)
        p.equal(f"class {row}", out[row][kept], want.astype(np.int32)[kept])


class Scaled(np.ndarray):
    """f32 numbers, as f64, whose products with numbers round to f32 as the kernel's."""

    def __new__(cls, values):
        return np.asarray(values, np.float64).view(cls)

    def __mul__(self, factor):
        product = np.asarray(self, np.float32) * np.float32(factor)
        return product.astype(np.float64)


class Sum(np.ndarray):
    """The same for sums."""

    def __new__(cls, values):
        return np.asarray(values, np.float64).view(cls)

    def __add__(self, number):
        return (np.asarray(self, np.float32) + np.float32(number)).astype(np.float64)
