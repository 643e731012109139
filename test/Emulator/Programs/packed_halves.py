# REQUIRES: nvcc
# RUN: %cuda_program %s
import floats
import numpy as np

FUNCTIONS = (
    [lambda x, y: np.clip(x + y, 0, 1), lambda x, y: np.maximum(x * y + x, 0)]
    + [np.maximum, np.fmin, lambda x, y: ~(x >= y), lambda x, y: x[:, ::-1]]
    + [lambda x, y, f=f: f(x) for f in (np.ceil, np.rint, np.trunc, np.exp, np.exp2)]
    + [lambda x, y, f=f: f(np.abs(x)) for f in (np.log, np.log2, np.sqrt)]
    + [lambda x, y: 1 / np.sqrt(np.abs(x)), lambda x, y: 1 / x]
    + [lambda x, y, f=f: f(x) for f in (np.sin, np.cos, np.tanh)]
    + [lambda x, y: x / y, lambda x, y: x[np.arange(len(x)) ^ 3]]
)


def check(p, kernel, encode, decode, precision):
    n = 96
    a, b = (encode(3 * p.random.standard_normal((n, 2)).astype(np.float32)) for _ in range(2))
    out = p.empty((len(FUNCTIONS), n, 2), np.uint16)
    p.launch(kernel, 1, n, a, b, out)
    x, y = (decode(v).astype(np.float64) for v in (a, b))
    for row, function in enumerate(FUNCTIONS):
        want = np.asarray(function(x, y), np.float64)
        # One rounding, and an error of approximate functions, most near sin(pi).
        p.near(f"{kernel} {row}", decode(out[row]), want, relative=precision, absolute=precision / 8)


def run(p):
    half = lambda v: v.astype(np.float16).view(np.uint16)
    check(p, "halves", half, lambda v: v.view(np.float16).astype(np.float32), 2**-10)
    check(p, "bfloats", floats.to_bf16, floats.from_bf16, 2**-7)
    sums = [np.zeros(4, np.uint16) for _ in range(2)]
    sums += [np.zeros(128, np.uint16), np.zeros(256, np.uint16)]
    p.launch("sums", 1, 128, *sums)
    p.equal("halves", sums[0].view(np.float16), np.full(4, 32, np.float16))
    p.equal("pairs of halves", sums[1].view(np.float16), np.array([64, 128] * 2, np.float16))
    p.equal("bfloats", floats.from_bf16(sums[2]), np.full(128, 1, np.float32))
    p.equal("pairs of bfloats", floats.from_bf16(sums[3]), np.array([1, 2] * 128, np.float32))
