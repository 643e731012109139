# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n, blocks = 9000, 70
    for _ in range(2):  # The counter begins again by itself.
        a = p.random.integers(-100, 100, n).astype(np.float32)
        partial, out = p.empty(blocks, np.float32), p.empty(1, np.float32)
        p.launch("total", blocks, 64, a, partial, out, np.int32(n))
        p.equal("total", out, [a.sum()])
    p.equal("counter", p.variable("finished", np.uint32), [0])
