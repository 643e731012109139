# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    k = 36
    a, b = p.random.standard_normal((8, k)), p.random.standard_normal((k, 8))
    c = p.random.standard_normal((8, 8))
    want = a @ b + c
    p.launch("tile", 1, 32, a, b, c, np.int32(k))
    p.near("product", c, want, absolute=1e-13)

    a, b = (p.random.integers(-9999, 9999, s).astype(float) for s in ((8, k), (k, 8)))
    c = np.zeros((8, 8))
    p.launch("tile", 1, 32, a, b, c, np.int32(k))
    p.equal("integers", c, a @ b + 0.0)
