# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    rounds = 7
    a = p.random.integers(0, 100, (rounds, 32), np.int32)
    out = p.empty((rounds, 32), np.int32)
    p.launch("producer", 1, 64, a, out, np.int32(rounds))
    p.equal("handed over", out, 2 * a[:, ::-1])

    a = p.random.integers(0, 100, 256, np.int32)
    data = a.copy()
    p.launch("pairs", 1, 256, data)
    want = a.reshape(4, 2, 32).copy()
    for pair in range(4):
        for _ in range(pair + 1):
            want[pair] = want[pair, ::-1] + 1
    p.equal("pairs", data, want.ravel())
