# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def ackermann(m, n):
    return [n + 1, n + 2, 2 * n + 3][m]


def walk(nodes, node, path, rising):
    if node < 0:
        return 0
    left, right, value = (int(x) for x in nodes[node])
    path = [*path, value]
    head = path[:6]
    wanted = not rising or all(a <= b for a, b in zip(head, head[1:]))
    total = value * len(path) if wanted else 0
    return total + sum(walk(nodes, n, path, rising) for n in (left, right))


def run(p):
    t = np.arange(64)
    a, even = p.empty(64, np.int32), p.empty(64, np.int32)
    p.launch("numbers", 1, 64, a, even)
    p.equal("ackermann", a, np.array([ackermann(i % 3, i % 7) for i in t]))
    p.equal("even", even, 1 - t * 3 % 2)
    data = p.random.integers(-50, 50, (96, 40), np.int32)
    want = data.copy()
    for i, row in enumerate(want):
        row[: 40 - i % 4].sort()
    p.launch("sort", 2, 48, data, np.int32(40))
    p.equal("sorted", data, want)
    count = 100
    nodes = np.full((count, 3), -1, np.int32)
    nodes[:, 2] = p.random.integers(0, 100, count)
    for child in range(1, count):
        parent, side = int(p.random.integers(child)), int(p.random.integers(2))
        while nodes[parent, side] >= 0:
            parent = int(nodes[parent, side])
        nodes[parent, side] = child
    roots = p.random.integers(-1, count, 64, np.int32)
    sums = p.empty(64, np.int64)
    p.launch("tree", 1, 64, nodes, roots, sums)
    want = [walk(nodes, int(r), [], i & 1) for i, r in enumerate(roots)]
    p.equal("tree", sums, np.array(want))
    out = p.empty(64, np.int32)
    p.launch("overflow", 1, 64, out, np.int32(200))
    p.equal("deep", out, np.where(t == 3, 202, t + 2))
    n, text = np.int32(1 << 20), "thread (3,0,0)"
    p.fails("CUDA_ERROR_LAUNCH_FAILED", "overflow", 1, 64, out, n, text=text)
    text = "stack overflow"
    p.fails("CUDA_ERROR_LAUNCH_FAILED", "overflow", 1, 64, out, n, text=text)
