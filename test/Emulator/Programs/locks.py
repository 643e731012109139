# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 64
    lock, data = np.zeros(1, np.int32), np.zeros(2, np.int32)
    p.launch("critical", 2, n // 2, lock, data)
    p.equal("critical", data, np.array([n, n * (n + 1) // 2]))

    a = p.random.integers(0, 1000, n, np.int32)
    locks, sums = np.zeros(4, np.int32), np.zeros(4, np.int32)
    p.launch("cells", 2, 40, locks, sums, a, np.int32(n))
    p.equal("sums", sums, np.bincount(a & 3, a, minlength=4).astype(np.int32))
