# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    n = 192
    a = p.random.integers(-1000, 1000, n, np.int32)
    cells = np.array([5, 5, 500, -500, -1, 0, 99, -1], np.int32)
    ucells = np.array([2**32 - 1, 0, 0, 20], np.uint32)
    before, ubefore = cells.copy(), ucells.copy()
    old = p.empty((12, n), np.int32)
    p.launch("operations", 3, 64, a, cells, ucells, old)
    u = a.view(np.uint32)
    p.equal("add", cells[0], 5 + a.sum())
    p.equal("sub", cells[1], 5 - a.sum())
    p.equal("min", cells[2], a.min())
    p.equal("max", cells[3], a.max())
    p.equal("and", cells[4], ~0xFFFF)
    p.equal("or", cells[5], -1)
    p.equal("xor", cells[6], 99 ^ np.bitwise_xor.reduce(a))
    p.equal("umin", ucells[0], u.min())
    p.equal("umax", ucells[1], u.max())
    p.equal("inc", ucells[2], n % 37)
    # 20 steps down to 0, then rounds of 51.
    p.equal("dec", ucells[3], 50 - (n - 21) % 51)
    # Each addition saw the sum of those before it, in some order of the threads.
    p.equal("sums", np.sort(np.append(old[0], cells[0])), np.sort(np.append(old[0] + a, 5)))
    p.equal("inc values", np.sort(old[10]), np.sort(np.arange(n) % 37))
    swapped = np.sort(np.append(old[7], cells[7]))
    p.equal("exchanged", swapped, np.arange(-1, n))
    p.equal("minima", old[2].max(), before[2])
    p.equal("maxima", old[3].min(), before[3])
    p.equal("umaxima", old[9].view(np.uint32).min(), ubefore[1])

    product = np.array([7], np.uint32)
    p.launch("multiply", 2, 40, product, np.uint32(3))
    p.equal("product", product, np.array([7 * 3**80 % 2**32], np.uint32))

    index = p.random.integers(0, 64, n, np.int32)
    bins, sums = np.zeros(128, np.int32), np.zeros(64, np.float32)
    p.launch("scatter", 3, 64, index, bins, sums)
    counts = np.bincount(index, minlength=64)
    p.equal("bins", bins[:64], counts)
    p.equal("sums", sums, counts * np.float32(0.5))
    last = np.zeros(64, np.int32)
    np.maximum.at(last, index[1::2], np.arange(n)[1::2])
    p.equal("last", bins[64:], last)
