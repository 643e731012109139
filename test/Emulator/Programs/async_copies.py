# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    tiles = 7
    a = p.random.integers(-50, 50, (tiles, 64, 4)).astype(np.float32)
    out = p.empty(64, np.float32)
    p.launch("pipelined", 1, 64, a, out, np.int32(tiles))
    p.equal("pipelined", out, (a.sum(0) @ np.array([1, 2, 3, 4], np.float32))[::-1])

    a = p.random.integers(-50, 50, 128, np.int32)
    out = p.empty(160, np.int32)
    p.launch("groups", 1, 32, a, out)
    t = np.arange(32)
    p.equal("sums", out[:32], a[4 * t + 3] + 10 * a[2 * t + 1] + 100 * a[t])
    filled = np.where(np.arange(4) < (t % 5)[:, None], a.reshape(32, 4), 0)
    p.equal("filled", out[32:], np.roll(filled.ravel(), -4))
