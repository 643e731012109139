# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 3001
    a = p.random.integers(-100, 100, n).astype(np.float32)
    out = p.empty(5, np.float32)
    p.launch("sums", 5, 128, a, out, np.int32(n))
    p.equal("sum", out.sum(), a.sum())
    blocks = (np.arange(n) // 128) % 5
    p.equal("sums", out, np.bincount(blocks, a).astype(np.float32))

    d, total = a.astype(np.float64), p.empty(1, np.float64)
    p.launch("shuffled", 1, 224, d, total, np.int32(n))
    p.equal("shuffled", total, [d.sum()])

    value, index = p.empty(1, np.float32), p.empty(1, np.int32)
    p.launch("argmax", 1, 64, a, value, index, np.int32(n))
    p.equal("maximum", value, [a.max()])
    p.equal("index", index, [a.argmax()])
