# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    m, n, k = 45, 70, 37
    a = p.random.integers(-9, 9, (m, k)).astype(np.float32)
    b = p.random.integers(-9, 9, (k, n)).astype(np.float32)
    sizes = np.int32(m), np.int32(n), np.int32(k)
    out = p.empty((m, n), np.float32)
    p.launch("naive", (3, 6), (32, 8), a, b, out, *sizes)
    p.equal("naive", out, a @ b)
    out = p.empty((m, n), np.float32)
    p.launch("tiled", (5, 3), (16, 16), a, b, out, *sizes)
    p.equal("tiled", out, a @ b)

    m, n, k = 64, 128, 40
    a = p.random.integers(-9, 9, (m, k)).astype(np.float32)
    b = p.random.integers(-9, 9, (k, n)).astype(np.float32)
    out = p.empty((m, n), np.float32)
    p.launch("registers", (2, 1), 256, a, b, out, np.int32(n), np.int32(k))
    p.equal("registers", out, a @ b)
