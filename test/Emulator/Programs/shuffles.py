# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def source(mode, lane, by, width):
    """The lane that `lane` reads (CUDA programming guide, "Warp shuffle functions")."""
    base = lane - lane % width
    if mode == "idx":
        return base + by % width
    if mode == "up":
        return lane - by if lane - by >= base else lane
    if mode == "down":
        return lane + by if lane + by < base + width else lane
    other = lane ^ by
    return other if other < base + width else lane


def run(p):
    n = 64
    a = p.random.integers(-1000, 1000, n, np.int32)
    lanes = p.random.integers(0, 32, n, np.int32)
    out = p.empty((8, n), np.int32)
    p.launch("modes", 1, n, a, lanes, out)
    rows = [("idx", 0, 32), ("up", 3, 32), ("down", 5, 32), ("xor", 9, 32)]
    rows += [("idx", 0, 8), ("up", 2, 16), ("down", 1, 4), ("xor", 6, 8)]
    for row, (mode, by, width) in enumerate(rows):
        index = [
            t - t % 32 + source(mode, t % 32, int(lanes[t]) if mode == "idx" else by, width)
            for t in range(n)
        ]
        p.equal(f"{mode} by {by}, width {width}", out[row], a[index])

    x = p.random.integers(-1000, 1000, n).astype(np.float64)
    y = p.random.integers(-(2**50), 2**50, n, np.int64)
    total, scan = p.empty(n, np.float64), p.empty(n, np.int64)
    p.launch("wide", 1, n, x, y, total, scan)
    p.equal("sum", total, np.repeat(x.reshape(2, 32).sum(1), 32))
    p.equal("scan", scan, np.cumsum(y.reshape(2, 32), axis=1).ravel())

    f = p.random.integers(-100, 100, n).astype(np.float32)
    out = p.empty(n, np.float32)
    p.launch("halves", 1, n, f, out)
    groups = f.reshape(4, 16)
    p.equal("sums", out.reshape(4, 16)[::2, 0], groups[::2].sum(1))
    p.equal("maxima", out.reshape(4, 16)[1::2, 0], groups[1::2].max(1))

    out = p.empty((32, 2), np.int32)
    p.launch("predicates", 1, 32, out)
    lane = np.arange(32)
    p.equal("values", out[:, 0], np.where(lane < 4, lane, lane - 4) * 10)
    p.equal("valid", out[:, 1], (lane >= 4).astype(np.int32))
