# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

COMPILERS = ("nvcc",)


def run(p):
    m, n, k = 32, 48, 64
    a = p.random.integers(-4, 4, (m, k)).astype(np.float16)
    b = p.random.integers(-4, 4, (k, n)).astype(np.float16)
    c = p.random.integers(-40, 40, (m, n)).astype(np.float32)
    product = a.astype(np.float32) @ b.astype(np.float32)
    want = np.maximum(product + np.float32(0.5) * c, 0) + np.float32(0)
    columns = np.ascontiguousarray(b.T)
    p.launch("product", (n // 16, m // 16), 32, a, columns, c, np.int32(n), np.int32(k))
    p.equal("product", c + np.float32(0), want)

    a = p.random.integers(-4, 4, (32, 16)).astype(np.float16)
    b = p.random.integers(-4, 4, (16, 8)).astype(np.float16)
    c = p.empty((8, 32), np.float16)
    p.launch("shared", 1, 32, np.ascontiguousarray(a.T), b, c)
    want = a.astype(np.float32) @ b.astype(np.float32) + 1
    p.equal("shared", c + np.float16(0), want.T.astype(np.float16) + np.float16(0))
