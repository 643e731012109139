# REQUIRES: nvcc
# RUN: %cuda_program %s
import floats
import numpy as np


def numbers(p, shape):
    return floats.to_bf16(p.random.standard_normal(shape).astype(np.float32))


def rounded(values):
    """Exact values as bf16, in f32 where they can be compared; the sums and products
    here fit into f64."""
    single = floats.round_toward(values, "rz")
    # Keep a sticky bit, so that rounding twice is rounding once.
    inexact = single.astype(np.float64) != values
    sticky = (single.view(np.uint32) | inexact.astype(np.uint32)).view(np.float32)
    return floats.from_bf16(floats.to_bf16(sticky))


def run(p):
    n = 128
    a, b, c = (numbers(p, n) for _ in range(3))
    b[0] = a[0]
    out, flags = p.empty((8, n), np.uint16), p.empty((2, n), np.int32)
    p.launch("scalar", 1, n, a, b, c, out, flags, np.int32(n))
    x, y, z = (floats.from_bf16(v).astype(np.float64) for v in (a, b, c))
    wants = [x + y, x - y, x * y, x * y + z, -x, np.abs(x), np.fmax(x, y), np.fmin(x, y)]
    for row, want in enumerate(wants):
        p.equal(f"operation {row}", floats.from_bf16(out[row]), rounded(want))
    p.equal("less", flags[0], (x < y).astype(np.int32))
    p.equal("not equal", flags[1], (x != y).astype(np.int32))

    a, b, c = (numbers(p, (n, 2)) for _ in range(3))
    out = p.empty((7, n, 2), np.uint16)
    p.launch("packed", 1, n, a, b, c, out, np.int32(n))
    x, y, z = (floats.from_bf16(v).astype(np.float64) for v in (a, b, c))
    wants = [x + y, x * y, x * y + z, np.fmax(x, y), np.fmin(x, y), -x]
    wants += [np.stack([x[:, 0] * 3, y[:, 1] * 3], 1)]
    for row, want in enumerate(wants):
        p.equal(f"packed {row}", floats.from_bf16(out[row]), rounded(want))

    f = (p.random.standard_normal(n) * 1000).astype(np.float32)
    f[:3] = 1e-40, 3e38, 0.0
    out, back = p.empty((3, n), np.uint16), p.empty(n, np.float32)
    p.launch("convert", 1, n, f, out, back, np.int32(n))
    p.equal("rn", out[0], floats.to_bf16(f))
    p.equal("rz", out[1], (f.view(np.uint32) >> 16).astype(np.uint16))
    p.equal("int", out[2][3:], floats.to_bf16(np.trunc(f[3:]) + np.float32(0)))
    p.equal("f32", back, floats.from_bf16(out[0]))
