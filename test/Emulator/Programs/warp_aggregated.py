# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

COMPILERS = ("nvcc",)


def run(p):
    n = 500
    a = p.random.integers(-100, 100, n, np.int32)
    for kernel, kept in (("by_hand", a > 0), ("by_groups", a % 3 == 0)):
        out, count = np.zeros(n, np.int32), np.zeros(1, np.int32)
        p.launch(kernel, 4, 128, a, out, count, np.int32(n))
        p.equal("count", count, [np.count_nonzero(kept)])
        p.equal(kernel, np.sort(out[: count[0]]), np.sort(a[kept]))
