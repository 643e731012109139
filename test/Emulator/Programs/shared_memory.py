# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n, m = 50, 70
    a = p.random.integers(-50, 50, n).astype(float)
    b = p.random.integers(0, n, m, np.int32)
    out = p.empty(m, np.float64)
    p.launch("parts", 1, 48, a, b, out, np.int32(n), np.int32(m), shared=8 * n + 5 * m)
    i = np.arange(m)
    want = a[b] + 2 * a[b % 32] + (i * 3).astype(np.int8) * (i % 3 + 1)
    p.equal("parts", out, want)

    n = 40000 // 2
    a = p.random.integers(0, 1 << 30, n, np.int32)
    out = p.empty(n, np.int32)
    p.launch("large", 1, 256, a, out, np.int32(n), shared=4 * n)
    p.equal("large", out, a[::-1])

    out = p.empty(2, np.uint32)
    p.launch("sizes", 1, 1, out, shared=1000)
    p.equal("dynamic size", out[0], 1000)
    p.equal("total size", out[1] >= 1000, True)
