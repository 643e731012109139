# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    shape = nz, ny, nx = 5, 21, 37
    a = p.random.integers(-50, 50, shape).astype(np.float32)
    out = p.empty(shape, np.float32)
    p.launch("stencil", (3, 3), (16, 8), a, out, np.int32(nx), np.int32(ny), np.int32(nz))
    wide = np.pad(a, 1)
    want = 6 * a
    for axis in range(3):
        for by in (-1, 1):
            want -= np.roll(wide, by, axis)[1:-1, 1:-1, 1:-1]
    p.equal("stencil", out + 0, want)
