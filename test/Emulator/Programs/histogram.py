# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 5000
    data = p.random.integers(0, 256, n, np.uint8) // 2
    bins = np.zeros(256, np.uint32)
    p.launch("histogram", 6, 96, data, bins, np.int32(n))
    p.equal("histogram", bins, np.bincount(data, minlength=256))

    data = p.random.integers(0, 256, 3 * 20 * 64, np.uint8)
    bins = np.zeros(16, np.uint32)
    p.launch("packed", 3, 64, data, bins, np.int32(20), shared=16 * 64)
    p.equal("packed", bins, np.bincount(data & 15, minlength=16))
