# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 128
    a = p.random.integers(-(2**60), 2**60, n, np.int64)
    cells = np.array([2**62, -(2**62)], np.int64)
    full = 2**64 - 1
    ucells = np.array([1, full, 0, full, 0, 77, full, 5], np.uint64)
    old = p.empty((9, n), np.int64)
    p.launch("integers", 2, 64, a, cells, ucells, old)
    u = a.view(np.uint64)
    p.equal("min", cells[0], a.min())
    p.equal("max", cells[1], a.max())
    wants = [u.sum(dtype=np.uint64) + np.uint64(1), u.min(), u.max(), 0, full]
    wants += [np.uint64(77) ^ np.bitwise_xor.reduce(u), None, 5 + 3 * n]
    for cell, want in enumerate(wants):
        if want is not None:
            p.equal(f"cell {cell}", ucells[cell], np.uint64(want))
    p.equal("exchanged", np.sort(np.append(old[8], ucells[6].astype("i8"))), np.arange(-1, n))

    x = p.random.integers(-500, 500, n).astype(np.float64)
    sums, fsums = np.zeros(1), np.zeros(3, np.float32)
    pair = np.zeros(2, np.float16)
    p.launch("floats", 2, 64, x, sums, fsums, pair)
    p.equal("f64 sum", sums[0], x.sum())
    p.equal("f32 sum", fsums[0], np.float32(x.sum()))
    p.equal("f32 exchange", fsums[1] + fsums[2], np.float32(n * (n - 1) / 2))
    p.equal("pair", pair, np.array([n, -n / 2], np.float16))

    # Compilers may go through the 32 bits around them.
    cell, half = np.array([1, 7], np.uint16), np.zeros(2, np.float16)
    p.launch("small", 2, 32, cell, half)
    want = 1
    for _ in range(64):
        want = (want * 3 + 1) % 2**16
    p.equal("16 bits", cell, np.array([want, 7], np.uint16))
    p.equal("half", half, np.array([16, 0], np.float16))
