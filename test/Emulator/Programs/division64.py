# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def truncated(a, b):
    quotient = abs(a) // abs(b)
    quotient = quotient if (a < 0) == (b < 0) else -quotient
    return quotient, a - quotient * b


def column(values):
    return np.array([v % (1 << 64) for v in values], np.uint64)


def run(p):
    n = 500
    # Every length of both numbers is there.
    a = p.random.integers(0, 1 << 64, n, np.uint64)
    a >>= p.random.integers(0, 64, n, np.uint64)
    b = p.random.integers(0, 1 << 64, n, np.uint64)
    b >>= p.random.integers(0, 64, n, np.uint64)
    a[:3] = (1 << 64) - 1, (1 << 64) - 1, 1 << 63
    b[:3] = 1, (1 << 64) - 2, 3
    b[b == 0] = 1
    b[(a == 1 << 63) & (b == (1 << 64) - 1)] = 1
    q, r = p.empty(n, np.uint64), p.empty(n, np.uint64)
    sq, sr = p.empty(n, np.int64), p.empty(n, np.int64)
    p.launch("divide", 1, 96, a, b, q, r, sq, sr, np.int32(n))
    p.equal("quotient", q, a // b)
    p.equal("remainder", r, a % b)
    signed = a.view(np.int64).tolist(), b.view(np.int64).tolist()
    pairs = [truncated(x, y) for x, y in zip(*signed)]
    p.equal("signed quotient", sq, column(x for x, _ in pairs).view(np.int64))
    p.equal("signed remainder", sr, column(y for _, y in pairs).view(np.int64))

    n = 128
    out = p.empty((7, n), np.uint64)
    p.launch("constants", 1, n, a, out, np.int32(n))
    values, negative = a[:n].tolist(), a[:n].view(np.int64).tolist()
    p.equal("/ 3", out[0], column(v // 3 for v in values))
    p.equal("% 1000000007", out[1], column(v % 1000000007 for v in values))
    p.equal("/ 641", out[2], column(v // 641 for v in values))
    p.equal("signed / 7", out[3], column(truncated(v, 7)[0] for v in negative))
    p.equal("signed % -12345", out[4], column(truncated(v, -12345)[1] for v in negative))
    p.equal("u32 / 7", out[5], column(v % (1 << 32) // 7 for v in values))
    p.equal("u32 % 10", out[6], column(v % (1 << 32) % 10 for v in values))
