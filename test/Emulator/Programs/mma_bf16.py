# REQUIRES: nvcc
# RUN: %cuda_program %s
import floats
import numpy as np


def run(p):
    k = 64
    a = p.random.integers(-100, 100, (64, k)).astype(np.float32)
    b = p.random.integers(-100, 100, (k, 8)).astype(np.float32)
    columns = floats.to_bf16(np.ascontiguousarray(b.T))
    c = p.empty((64, 8), np.float32)
    p.launch("strips", 1, 128, floats.to_bf16(a), columns, c, np.int32(k))
    p.equal("strips", c, a @ b + a[:, :8] @ b[:8])
