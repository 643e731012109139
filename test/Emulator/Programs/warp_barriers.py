# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    a = p.random.integers(-100, 100, 128, np.int32)
    out = p.empty(128, np.int32)
    p.launch("exchange", 1, 128, a, out)
    p.equal("sums", out, np.repeat(a.reshape(4, 32).sum(1), 32))

    a, out = a[:32].copy(), p.empty(32, np.int32)
    p.launch("parts", 1, 32, a, out)
    want = a.copy()
    want[:8] = 2 * a[:8][::-1]
    want[8:24] = np.roll(a[8:24], -3) + 3
    p.equal("parts", out, want[::-1])
