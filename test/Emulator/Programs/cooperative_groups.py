# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

COMPILERS = ("nvcc",)


def run(p):
    n = 64
    a = p.random.integers(-100, 100, n, np.int32)
    out = p.empty((8, n), np.int32)
    p.launch("tiles", 1, n, a, out)
    t, x = np.arange(n), a.reshape(8, 8)
    spread = lambda v: np.repeat(v, 8)
    p.equal("ranks", out[0], t // 8 * 100 + t % 8)
    p.equal("shfl", out[1], spread(x[:, 3]))
    p.equal("shfl xor", out[2], a[t ^ 5])
    p.equal("any", (out[3] != 0), spread(np.any(x > 90, 1)))
    p.equal("ballot", out[4], spread(((x > 0) << np.arange(8)).sum(1)))
    p.equal("sum", out[5], spread(x.sum(1)))
    p.equal("max", out[6], np.repeat(a.reshape(2, 32).max(1), 32))
    p.equal("scan", out[7], np.cumsum(x, 1).ravel())

    a = p.random.integers(-100, 100, 96, np.int32)
    out = p.empty(96, np.int32)
    p.launch("blocks", 1, 96, a, out)
    p.equal("blocks", out, np.repeat(a.reshape(6, 16).sum(1), 16) + a[::-1])
