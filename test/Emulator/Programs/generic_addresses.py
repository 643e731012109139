# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 64
    argument = p.random.integers(0, 100, n + 3, np.int32)
    out = p.empty((n, 2), np.int32)
    p.launch("spaces", 1, n, argument, out)
    want = []
    for t in range(n):
        shared, device = t // 2, 100 + t % 8
        totals = [3 * shared + 3, 6, 3 * device + 3, 12, int(argument[t : t + 3].sum())]
        total = totals[t % 5]
        want.append((total, t + 1000) if t & 1 else (total + 1000, t))
    p.equal("sums", out, np.array(want))

    out = p.empty(32, np.uint32)
    p.launch("queries", 1, 32, argument, out)
    p.equal("spaces", out, np.full(32, 1 | 2 << 3 | 4 << 6 | 8 << 16, np.uint32))
