# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 64
    a = p.random.integers(-5000, 5000, n, np.int32)
    f, sums = p.empty(n, np.float32), p.empty(n, np.int32)
    narrows, v = p.empty(n, np.int32), p.empty((n, 3), np.float64)
    w = p.empty((n, 4), np.float32)
    p.launch("calls", 1, n, a, f, sums, narrows, v, w)
    x = a.astype(np.float64)
    want = a.astype(np.int8) + a.astype(np.int16) + x + x * 2**20 + x * 0.75
    want = want + np.where(a > 0, 1000, 0) + a.astype(np.uint8) + a
    p.near("many", f, want, relative=1e-7)
    digits = [sum(int(c) for c in str(abs(int(i)))) if i % 2 else -1 for i in a]
    p.equal("digits", sums, np.array(digits))
    small = (a.astype(np.uint8) * np.uint8(3)).astype(np.int32)
    p.equal("narrow", narrows, small + (a.astype(np.int16) * np.int16(3)))
    u = np.stack([x, np.arange(n), np.ones(n)], 1)
    for i in range(3):
        u = np.cross(u, [1.0, i, 2.0])
    p.near("vectors", v, u, relative=1e-12)
    t = np.arange(n)
    p.equal("float4", w, np.stack([t, np.ones(n), np.full(n, 2), a], 1).astype("f4"))
