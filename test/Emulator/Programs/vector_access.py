# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 300
    f = p.random.standard_normal((n, 4)).astype(np.float32)
    s = p.random.integers(-(2**15), 2**15, (n, 4), np.int16)
    c = p.random.integers(0, 256, (n, 4), np.uint8)
    d = p.random.standard_normal((n, 2))
    l = p.random.integers(-(2**40), 2**40, (n, 2), np.int64)
    outs = [p.empty(v.shape, v.dtype) for v in (f, s, c, d, l)]
    p.launch("vectors", 3, 100, f, s, c, d, l, *outs, np.int32(n))
    p.equal("float4", outs[0], f[:, ::-1])
    p.equal("short4", outs[1], s[:, [1, 0, 3, 2]])
    p.equal("uchar4", outs[2], c[:, ::-1] + np.array([1, 2, 3, 4], np.uint8))
    p.equal("double2", outs[3], np.stack([d[:, 1], -d[:, 0]], 1))
    p.equal("longlong2", outs[4], np.stack([l[:, 0] + l[:, 1], l[:, 0] - l[:, 1]], 1))

    a = p.random.integers(-1000, 1000, (n, 4), np.int32)
    b = p.random.integers(-1000, 1000, n).astype(np.float32)
    out, sums = p.empty((n, 4, 4), np.int32), p.empty(n, np.float32)
    p.launch("cached", 2, 160, a, b, out, sums, np.int32(n))
    orders = [0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]
    for row, order in enumerate(orders):
        p.equal(f"cache operator {row}", out[:, row], a[:, order])
    p.equal("sums", sums, 3 * b)

    n = 50
    pair = np.dtype({"names": ["a", "b"], "formats": ["i2", "f4"], "offsets": [0, 4]})
    records = np.zeros(n, pair)
    records["a"] = p.random.integers(-100, 100, n)
    records["b"] = p.random.integers(-100, 100, n)
    swapped = p.empty(n, pair)
    c = p.random.integers(0, 256, (n, 3), np.uint8)
    rotated = p.empty((n, 3), np.uint8)
    p.launch("records", 1, n, records, swapped, c, rotated, np.uint64(0), np.int32(n))
    p.equal("record a", swapped["a"], records["a"][::-1] * 2)
    p.equal("record b", swapped["b"], (records["b"] + records["a"])[::-1])
    p.equal("bytes", rotated, c[:, [2, 0, 1]])
