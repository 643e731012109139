# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    for kind, (left, right) in enumerate(("ss", "us", "uu", "ss")):
        types = {"s": np.int8, "u": np.uint8}
        a = p.random.integers(0, 256, (16, 32), np.uint8).view(types[left])
        b = p.random.integers(0, 256, (32, 8), np.uint8).view(types[right])
        c = p.random.integers(-1000, 1000, (16, 8), np.int32)
        k = 16 if kind == 3 else 32
        want = a[:, :k].astype(np.int64) @ b[:k].astype(np.int64) + c
        if kind == 2:
            c[:] = 2**31 - 1000
            want = np.minimum(want - want + c + a.astype(np.int64) @ b, 2**31 - 1)
        columns = np.ascontiguousarray(b.T)
        p.launch("tile", 1, 32, a, columns, c, np.int32(kind))
        p.equal(f"kind {kind}", c, want.astype(np.int32))
