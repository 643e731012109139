# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

COMPILERS = ("nvcc",)


def run(p):
    n = 64
    index = p.random.integers(0, 3, n, np.int32)
    a, b = (p.random.integers(-50, 50, n).astype(np.float32) for _ in range(2))
    out = p.empty(n, np.float32)
    p.launch("table", 1, n, index, a, b, out)
    p.equal("table", out, np.choose(index, [a + b, a - b, a * b]))

    kind = p.random.integers(0, 2, n, np.int32)
    size = p.random.integers(1, 50, n).astype(np.float32)
    area, corners = p.empty(n, np.float32), p.empty(n, np.int32)
    p.launch("shapes", 1, n, kind, size, area, corners)
    p.equal("area", area, np.where(kind == 1, 1, 3) * size * size)
    p.equal("corners", corners, kind * 4)
