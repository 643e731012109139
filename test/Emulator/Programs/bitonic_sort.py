# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    blocks, n = 3, 256
    keys = p.random.permutation(1 << 20)[: blocks * n].astype(np.uint32).reshape(blocks, n)
    values = p.random.integers(0, 1 << 16, (blocks, n), np.uint16)
    order = np.argsort(keys, axis=1)
    wants = (np.take_along_axis(a, order, 1) for a in (keys.copy(), values.copy()))
    p.launch("sort", blocks, n // 2, keys, values, shared=6 * n)
    p.equal("keys", keys, next(wants))
    p.equal("values", values, next(wants))
