# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

COMPILERS = ("nvcc",)


def run(p):
    n = 96
    a = p.random.integers(0, 100, n, np.int32)
    data = a.copy()
    p.launch("rounds", 1, n, data, np.int32(5))
    p.equal("rounds", data, np.roll(a, -5) + 5)

    a = p.random.integers(0, 100, 128, np.int32)
    out = p.empty(128, np.int32)
    p.launch("split", 1, 128, a, out)
    want = a * a
    want[:64] += 3 * a[::-1][:64]
    p.equal("split", out, want)

    out = p.empty(64, np.int32)
    p.launch("copied", 1, 64, a[:64].copy(), out)
    p.equal("copied", out, a[:64][::-1])
