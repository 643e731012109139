# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n, count = 96, 37
    seeds = p.random.integers(0, 1 << 32, n, np.uint32)
    out = p.empty((n, count), np.int32)
    p.launch("sort", 3, 32, seeds, out, np.int32(count))
    state, values = seeds.copy(), []
    for _ in range(count):
        state = state * np.uint32(1664525) + np.uint32(1013904223)
        values.append((state >> np.uint32(8)).astype(np.int32) % 1000)
    p.equal("sorted", out, np.sort(np.array(values).T, axis=1))

    n = 60
    order = p.random.integers(0, 100, n, np.int32)
    out = p.empty(n, np.float64)
    p.launch("record", 1, n, order, out)
    t, want = np.arange(n), np.zeros(n)
    for i in range(3):
        k = order + i
        c, s, d = t + k % 7, t * (k % 5) - 100, t * 0.5 + k % 3
        want += c + s * d
    p.equal("record", out, want)
