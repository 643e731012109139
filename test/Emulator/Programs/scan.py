# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    a = p.random.integers(-100, 100, 200, np.int32)
    out = p.empty(200, np.int32)
    p.launch("doubling", 1, 200, a, out, np.int32(200), shared=4 * 2 * 200)
    p.equal("doubling", out, np.cumsum(a))

    blocks, threads = 8, 64
    a = p.random.integers(-100, 100, blocks * 2 * threads, np.int32)
    out, sums = p.empty(a.size, np.int32), p.empty(blocks, np.int32)
    shared = 4 * (2 * threads + 2 * threads // 32)
    p.launch("blocks", blocks, threads, a, out, sums, shared=shared)
    offsets, total = p.empty(blocks, np.int32), p.empty(1, np.int32)
    p.launch("blocks", 1, blocks // 2, sums, offsets, total, shared=shared)
    p.launch("add", blocks, 2 * threads, out, offsets)
    p.equal("scan", out, np.cumsum(a) - a)
    p.equal("total", total, [a.sum()])
