# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    blocks, n = 5, 72
    a = p.random.integers(-100, 100, (blocks, n), np.int32)
    a[0], a[1] = 5, -99
    out = p.empty((blocks, 4, n), np.int32)
    p.launch("predicates", blocks, n, a, out)
    wants = [(a > 0).sum(1), np.all(a > -60, 1), np.any(a > 95, 1), (a & 1).sum(1)]
    for row, want in enumerate(wants):
        got = out[:, row]
        if row in (1, 2):  # Any number but 0 is true.
            got = (got != 0).astype(np.int32)
        p.equal(f"predicate {row}", got, np.repeat(want[:, None], n, 1).astype(np.int32))

    a = p.random.integers(0, 40, n, np.int32)
    steps = p.empty(n, np.int32)
    p.launch("until_all", 1, n, a, steps)
    p.equal("rounds", steps, np.full(n, -(-int(a.max()) // 3)))
