# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    for rows, columns in ((64, 64), (45, 70), (1, 33)):
        a = p.random.standard_normal((rows, columns)).astype(np.float32)
        out = p.empty((columns, rows), np.float32)
        grid = (-(-columns // 32), -(-rows // 32))
        p.launch("transpose", grid, (32, 8), a, out, np.int32(rows), np.int32(columns))
        p.equal(f"{rows}x{columns}", out, a.T)
    a = p.random.standard_normal((48, 48))
    want = a.T.copy()
    p.launch("in_place", (3, 3), (16, 16), a, np.int32(48))
    p.equal("in place", a, want)
