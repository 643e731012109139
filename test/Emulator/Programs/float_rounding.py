# REQUIRES: nvcc
# RUN: %cuda_program %s
import floats
import numpy as np


def run(p):
    n = 256
    modes = ("rn", "rz", "rp", "rm")
    # 24-bit numbers of near exponents: sums and products are exact in f64.
    a = (p.random.integers(-(2**24), 2**24, n) * 2.0**-10).astype(np.float32)
    b = (p.random.integers(-(2**24), 2**24, n) * 2.0**-3).astype(np.float32)
    wide = a.astype(np.float64), b.astype(np.float64)
    out = p.empty((12, n), np.float32)
    p.launch("rounding", 1, n, a, b, out, np.int32(n))
    exact = (wide[0] + wide[1], wide[0] * wide[1], wide[0] - wide[1])
    for row in range(12):
        mode = modes[row % 4]
        want = floats.round_toward(exact[row // 4], mode)
        p.equal(f"operation {row // 4} {mode}", out[row], want)

    a = p.random.integers(-(2**20), 2**20, n).astype(np.float32)
    b = (p.random.integers(-(2**20), 2**20, n) * 2.0**-20).astype(np.float32)
    c = (p.random.integers(-(2**20), 2**20, n) * 2.0**-15).astype(np.float32)
    exact = a.astype(np.float64) * b + c.astype(np.float64)
    out = p.empty((5, n), np.float32)
    p.launch("fused", 1, n, a, b, c, out, np.int32(n))
    for row, mode in enumerate(modes):
        p.equal(f"fma {mode}", out[row], floats.round_toward(exact, mode))
    p.equal("saturate", out[4], np.clip(a * b, 0, 1) + np.float32(0))

    a = np.abs(p.random.standard_normal(n)).astype(np.float32)
    b = p.random.standard_normal(n).astype(np.float32)
    out = p.empty((7, n), np.float32)
    p.launch("quotients", 1, n, a, b, out, np.int32(n))
    p.equal("quotient", out[0], a / b)
    p.equal("root", out[1], np.sqrt(a))
    p.equal("reciprocal", out[2], np.float32(1) / b)
    # A root of 24 bits is either exact or far from every f32 in f64.
    root = np.sqrt(a.astype(np.float64))
    p.equal("root up", out[3], floats.round_toward(root, "rp"))
    p.equal("root down", out[4], floats.round_toward(root, "rm"))
    p.equal("operator /", out[5], a / b)
    p.equal("sqrtf", out[6], np.sqrt(a))

    tiny = np.array([2**-149, 2**-127, -(2**-130), 2**-126, 1.5, 0], np.float32)
    x = np.resize(tiny, 32)
    out = p.empty((3, 32), np.float32)
    p.launch("flush", 1, 32, x, out, np.int32(32))
    normal = np.abs(x) >= np.float32(2**-126)
    flushed = np.where(normal, x, np.copysign(np.float32(0), x))
    p.equal("kept", out[0], x + x)
    p.equal("flushed", out[1], flushed + flushed)
    half = flushed / 2
    half = np.where(np.abs(half) >= np.float32(2**-126), half, np.copysign(np.float32(0), half))
    p.equal("flushed result", out[2], half.astype(np.float32))

    a = np.abs(p.random.standard_normal(n))
    b = p.random.standard_normal(n)
    out = p.empty((6, n), np.float64)
    p.launch("doubles", 1, n, a, b, out, np.int32(n))
    wants = a + b, a * b, a / b, np.sqrt(a), 1 / b, a / b
    for row, want in enumerate(wants):
        p.equal(f"f64 operation {row}", out[row], want)
