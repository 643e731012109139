# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 100
    index = p.random.integers(0, 1000, n, np.int32)
    filled = p.random.integers(0, 1 << 62, 64, np.uint64)
    p.set_variable("filled", filled)
    out, scaled = p.empty(n, np.float32), p.empty(n, np.float64)
    copied, letters = p.empty(n, np.uint64), p.empty(n, np.int32)
    p.launch("tables", 1, n, index, out, scaled, copied, letters)
    weights = np.array([0.5, -1.25, 3, 0, 1e10], np.float32)
    value = np.array([1.5, 2.5, -3.5], np.float32)
    pair = np.array([[1, 2], [3, 4], [-5, 6]])
    k = index % 3
    want = weights[index % 5] + value[k] * pair[k, index & 1] + (ord("a") + k)
    p.near("tables", out, want, relative=1e-6)
    p.equal("scaled", scaled, 2.5 * index)
    p.equal("filled", copied, filled[index % 64] + filled[np.arange(n) % 64])
    text = [ord(c) for c in ("z", "n", "o")]
    p.equal("letters", letters, np.array(text)[k])

    p.launch("globals", 1, 32)
    p.launch("globals", 1, 32)
    p.equal("counters", p.variable("counters", np.int32), [10, 25, 35, 40])
    p.equal("scale", p.variable("scale", np.float64), [2.5])
    want = np.array([10, 25] * 4) + np.arange(8)
    p.equal("results", p.variable("results", np.int32), want)
