# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    k = 48
    a = p.random.integers(-8, 8, (16, k)).astype(np.float16)
    b = p.random.integers(-8, 8, (k, 8)).astype(np.float16)
    c = p.random.integers(-8, 8, (16, 8)).astype(np.float32)
    want = a.astype(np.float32) @ b.astype(np.float32) + c
    p.launch("tile", 1, 32, a, b, c, np.int32(k))
    p.equal("f32", c, want)

    a = p.random.standard_normal((16, k)).astype(np.float16)
    b = p.random.standard_normal((k, 8)).astype(np.float16)
    c = np.zeros((16, 8), np.float32)
    p.launch("tile", 1, 32, a, b, c, np.int32(k))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    scale = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    p.near("f32 of any numbers", (c - exact) / scale, np.zeros((16, 8)), absolute=k * 2**-22)

    a = p.random.integers(-8, 8, (16, 8)).astype(np.float16)
    b = p.random.integers(-8, 8, (8, 8)).astype(np.float16)
    c = p.random.integers(-8, 8, (16, 8)).astype(np.float16)
    want = a.astype(np.float32) @ b.astype(np.float32) + c
    p.launch("fragments", 1, 32, a, np.ascontiguousarray(b.T), c)
    p.equal("f16", c, want.astype(np.float16))
