# REQUIRES: nvcc
# RUN: %cuda_program %s
# Bounds of the CUDA programming guide; the reference is the 80-bit type of x86.
import numpy as np

UNARY = {
    "sin": (2, lambda x, y, u: np.sin(x)),
    "cos": (2, lambda x, y, u: np.cos(x)),
    "tan": (2, lambda x, y, u: np.tan(x)),
    "exp": (1, lambda x, y, u: np.exp(x / 16)),
    "exp2": (1, lambda x, y, u: np.exp2(x / 16)),
    "expm1": (1, lambda x, y, u: np.expm1(u * 8)),
    "log": (1, lambda x, y, u: np.log(y)),
    "log2": (1, lambda x, y, u: np.log2(y)),
    "log10": (1, lambda x, y, u: np.log10(y)),
    "log1p": (1, lambda x, y, u: np.log1p(y)),
    "sqrt": (0, lambda x, y, u: np.sqrt(y)),
    "rsqrt": (1, lambda x, y, u: 1 / np.sqrt(y)),
    "cbrt": (1, lambda x, y, u: np.cbrt(x)),
    "tanh": (1, lambda x, y, u: np.tanh(u * 8)),
    "sinh": (2, lambda x, y, u: np.sinh(u * 8)),
    "cosh": (1, lambda x, y, u: np.cosh(u * 8)),
    "asin": (2, lambda x, y, u: np.arcsin(u)),
    "acos": (2, lambda x, y, u: np.arccos(u)),
    "atan": (2, lambda x, y, u: np.arctan(x)),
    "asinh": (3, lambda x, y, u: np.arcsinh(x)),
    "atanh": (2, lambda x, y, u: np.arctanh(u)),
    "rint": (0, lambda x, y, u: np.rint(x)),
}


def run(p):
    n = 600
    wide = np.longdouble
    x = p.random.standard_normal(n) * 10.0 ** p.random.uniform(-3, 3, n)
    y = 10.0 ** p.random.uniform(-200, 200, n)
    u = p.random.uniform(-1, 1, n)
    x[:3], y[0], u[:3] = (0, 1, 1e6), 1, (0, 1, -1)
    out = p.empty((len(UNARY), n), np.float64)
    p.launch("unary", 5, 128, x, y, u, out, np.int32(n))
    with np.errstate(all="ignore"):
        for row, (name, (bound, function)) in enumerate(UNARY.items()):
            want = function(x.astype(wide), y.astype(wide), u.astype(wide))
            p.within_ulps(name, out[row], want, bound)

    y = p.random.uniform(-20, 20, n)
    out = p.empty((8, n), np.float64)
    p.launch("binary", 5, 128, x, y, out, np.int32(n))
    a, b = x.astype(wide), y.astype(wide)
    with np.errstate(all="ignore"):
        p.within_ulps("pow", out[0], np.abs(a) ** b, 2)
        p.within_ulps("atan2", out[1], np.arctan2(a, b), 2)
        p.within_ulps("hypot", out[2], np.hypot(a, b), 2)
        p.equal("fmod", out[3], np.fmod(x, y))
        p.equal("quotient", out[4], x / y)
    p.within_ulps("fma", out[5], a * b + 1, 0)
    p.equal("fmax", out[6], np.fmax(x, y))
    p.equal("copysign", out[7], np.copysign(x, y))
