# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    grid, block = (3, 2, 4), (7, 5, 3)
    count = np.prod(grid) * np.prod(block)
    out = p.empty((count, 8), np.int32)
    p.launch("ids", grid, block, out)
    shape = [*reversed(grid), *reversed(block)]
    z, y, x, tz, ty, tx = (i.ravel() for i in np.indices(shape))
    sizes = [np.full(count, s[0] * 10000 + s[1] * 100 + s[2]) for s in (block, grid)]
    p.equal("ids", out, np.stack([tx, ty, tz, x, y, z, *sizes], 1))

    for block in ((7, 5, 3), (1, 1, 1), (33, 1, 1), (1, 31, 2), (3, 3, 64)):
        threads = int(np.prod(block))
        a = p.random.integers(0, 1000, (2, threads), np.int32)
        out = p.empty((2, threads), np.int32)
        p.launch("reversed", 2, block, a, out, shared=4 * threads)
        first = np.arange(threads) // 32 * 32
        lanes = np.minimum(32, threads - first)
        p.equal(f"block {block}", out, a[:, ::-1] + 1000 * lanes)
