# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def tf32(x):
    """10 bits of significand, ties away from zero."""
    bits = np.ascontiguousarray(x).view(np.uint32)
    return ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)


def run(p):
    start = np.tile([[1, 2], [3, 4]], (1, 4))[[0] * 8 + [1] * 8].astype(np.float32)
    a = p.random.integers(-500, 500, (16, 12)).astype(np.float32)
    b = p.random.integers(-500, 500, (12, 8)).astype(np.float32)
    c, seen = p.empty((16, 8), np.float32), p.empty((16, 12), np.float32)
    p.launch("tile", 1, 32, a, b, c, seen)
    p.equal("integers", c, start + a @ b)

    a = p.random.standard_normal((16, 12)).astype(np.float32)
    b = p.random.standard_normal((12, 8)).astype(np.float32)
    p.launch("tile", 1, 32, a, b, c, seen)
    p.equal("rounded", seen, tf32(a))
    exact = tf32(a).astype(np.float64) @ tf32(b) + start
    p.near("any numbers", c, exact, absolute=12 * 2.0**-20)
