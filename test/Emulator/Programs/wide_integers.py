# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

MASK = (1 << 128) - 1


def numbers(array):
    low, high = array[..., 0].tolist(), array[..., 1].tolist()
    return [h << 64 | l for l, h in zip(low, high)]


def words(values, count, bits):
    kind = np.uint32 if bits == 32 else np.uint64
    mask = (1 << bits) - 1
    rows = [[v >> (bits * k) & mask for k in range(count)] for v in values]
    return np.array(rows, kind)


def run(p):
    n = 64
    a = p.random.integers(0, 1 << 64, (n, 2), np.uint64)
    b = p.random.integers(0, 1 << 64, (n, 2), np.uint64)
    a[0], b[0] = (2**64 - 1, 2**64 - 1), (1, 0)
    a[1], b[1] = (0, 0), (1, 0)
    b[2:20, 1] = 0
    out = p.empty((8, n, 2), np.uint64)
    p.launch("wide", 1, n, a, b, out, np.int32(n))
    x, y = numbers(a), numbers(b)
    signed = [v - (1 << 128) if v >> 127 else v for v in x]
    pairs = list(zip(x, y, signed))
    references = {
        "sum": [u + v for u, v, _ in pairs],
        "difference": [u - v for u, v, _ in pairs],
        "product": [u * v for u, v, _ in pairs],
        "left shift": [u << (v & 127) for u, v, _ in pairs],
        "right shift": [u >> (v & 127) for u, v, _ in pairs],
        "and": [u & v for u, v, _ in pairs],
        "smaller": [min(u, v) for u, v, _ in pairs],
        "signed shift": [s >> (v & 127) for _, v, s in pairs],
    }
    for row, (name, want) in enumerate(references.items()):
        p.equal(name, out[row], words([w & MASK for w in want], 2, 64))

    n = 40
    a = p.random.integers(0, 1 << 32, (n, 3), np.uint32)
    b = p.random.integers(0, 1 << 32, (n, 3), np.uint32)
    a[0], b[0] = 0xFFFFFFFF, (1, 0, 0)
    total, difference, product = (p.empty((n, 3), np.uint32) for _ in range(3))
    p.launch("chain", 1, n, a, b, total, difference, product)
    x = [sum(int(w) << (32 * k) for k, w in enumerate(row)) for row in a]
    y = [sum(int(w) << (32 * k) for k, w in enumerate(row)) for row in b]
    p.equal("carry", total, words([u + v for u, v in zip(x, y)], 3, 32))
    p.equal("borrow", difference, words([u - v for u, v in zip(x, y)], 3, 32))
    want = [(u % (1 << 64)) * (v % (1 << 32)) + (u >> 64) for u, v in zip(x, y)]
    p.equal("product", product, words(want, 3, 32))
