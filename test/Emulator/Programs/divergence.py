# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def collatz(x):
    if x == 0:
        return -1
    count = 0
    while x != 1:
        x = (3 * x + 1) % 2**32 if x & 1 else x // 2
        count += 1
        if count == 200:
            break
    return count


def nested(a, t):
    total = 0
    for i in range(a[t]):
        if i % 3 == t % 3:
            continue
        for j in range(i, a[t ^ 1], 1 + (t & 3)):
            k = j
            while k > 0:
                total += k & 1
                k >>= 1 + (i & 1)
            if total > 500:
                return total
    return total + 10000


def mandelbrot(width, height, limit):
    cr = (np.arange(width) * 3.0 / width - 2.0)[None]
    ci = (np.arange(height) * 2.0 / height - 1.0)[:, None]
    zr, zi = np.zeros((height, width)), np.zeros((height, width))
    count, running = np.zeros((height, width), np.uint8), np.ones((height, width), bool)
    for _ in range(limit):
        # The kernel may fuse the test's product with its sum: no number is so near 4.
        running &= zr * zr + zi * zi < 4
        zr, zi = (
            np.where(running, zr * zr - zi * zi + cr, zr),
            np.where(running, 2 * zr * zi + ci, zi),
        )
        count += running
    return count


def run(p):
    n = 150
    x = p.random.integers(0, 100000, n, np.uint32)
    x[5] = 0
    steps = p.empty(n, np.int32)
    p.launch("collatz", 3, 64, x, steps, np.int32(n))
    p.equal("collatz", steps, np.array([collatz(int(v)) for v in x]))

    a = p.random.integers(0, 30, 64, np.int32)
    out = p.empty(64, np.int32)
    p.launch("nested", 1, 64, a, out)
    p.equal("nested", out, np.array([nested(a.tolist(), t) for t in range(64)]))

    width, height, limit = 100, 20, 60
    image = p.empty((height, width), np.uint8)
    p.launch("mandelbrot", (2, height), 64, image, np.int32(width), np.int32(limit))
    p.equal("mandelbrot", image, mandelbrot(width, height, limit))

    a = p.random.integers(0, 100, 128, np.int32)
    out = p.empty(96, np.int32)
    p.launch("leaving", 1, 128, a, out)
    sums = a[:96] + np.roll(a[:96], -32) + np.roll(a[:96], -64)
    p.equal("leaving", out, sums[::-1])
