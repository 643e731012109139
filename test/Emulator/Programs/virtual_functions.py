# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 64
    kind = p.random.integers(0, 3, n, np.int32)
    size = p.random.integers(1, 9, n).astype(np.float32)
    area, cost = p.empty(n, np.float32), p.empty(n, np.float32)
    corners = p.empty(n, np.int32)
    p.launch("shapes", 1, n, kind, size, area, corners, cost)
    wanted = np.choose(kind, [size * size, size * 2, 3 * size * size])
    edges = np.choose(kind, [4, 4, 0])
    p.equal("area", area, wanted)
    p.equal("corners", corners, edges)
    factor = np.choose(kind, [1, 1, 2])
    p.equal("cost", cost, (factor * (wanted / 2 + edges) + kind + 1).astype("f4"))
    total = p.empty(n, np.float32)
    p.launch("pool", 1, n, kind, size, np.int32(n), total)
    each = factor * (wanted + edges)
    p.equal("total", total, np.full(n, each.sum(), np.float32))
