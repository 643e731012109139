# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def mask(bits):
    return sum(1 << i for i, bit in enumerate(bits) if bit)


def run(p):
    n = 64
    a = p.random.integers(-100, 100, n, np.int32)
    a[32:] = 77
    out = p.empty((10, n), np.uint32)
    p.launch("votes", 1, n, a, out)
    quotient = lambda by: np.sign(a) * (np.abs(a) // by)
    for w in range(2):
        lanes = slice(32 * w, 32 * w + 32)
        x = a[lanes]
        same = np.all(x == x[0])
        p.equal("ballot", out[0, lanes], np.full(32, mask(x > 0), np.uint32))
        p.equal("any", out[1, lanes], np.full(32, np.any(x > 90), np.uint32))
        p.equal("all", out[2, lanes], np.full(32, np.all(x > -90), np.uint32))
        for row, by in ((3, 40), (8, 60)):
            q = quotient(by)[lanes]
            p.equal("match any", out[row, lanes], np.array([mask(q == v) for v in q]))
        p.equal("match all", out[4, lanes], np.full(32, 0xFFFFFFFF, np.uint32))
        p.equal("is same", out[5, lanes], np.ones(32, np.uint32))
        p.equal("match value", out[6, lanes], np.full(32, 0xFFFFFFFF * same, np.uint32))
        p.equal("is same value", out[7, lanes], np.full(32, same, np.uint32))
        uniform = np.all(x > 0) or not np.any(x > 0)
        p.equal("uni", out[9, lanes], np.full(32, uniform, np.uint32))

    out = p.empty(n, np.uint32)
    p.launch("parts", 1, n, a, out)
    want = []
    for t in range(n):
        x = a[t - t % 32 : t - t % 32 + 32]
        odd = x % 2 == 1
        if a[t] & 1:
            want.append(mask(odd & (x > 0)))
        else:
            want.append(np.count_nonzero(~odd) + 1000 * np.any((x > 50) & ~odd))
    p.equal("parts", out, np.array(want, np.uint32))

    out = p.empty((6, 40), np.uint32)
    p.launch("ids", 1, 40, out)
    lane = [t % 32 for t in range(40)]
    below = [(1 << i) - 1 for i in lane]
    above = [0xFFFFFFFF ^ ((2 << i) - 1) for i in lane]
    one = [1 << i for i in lane]
    le, ge = [b | o for b, o in zip(below, one)], [v | o for v, o in zip(above, one)]
    p.equal("ids", out, np.array([lane, one, below, le, above, ge], np.uint32))
