# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def fold(values, t):
    sums, count, largest = 0, 0, -1
    for i, x in enumerate(values):
        step = ("add" if t & 1 else "count", "keep" if t & 2 else "add", "keep")[i % 3]
        sums += x if step == "add" else 0
        count += x & 1 if step == "count" else 0
        largest = max(largest, x) if step == "keep" else largest
    return sums, count, largest


def run(p):
    n = 64
    a, b = (p.random.integers(-99, 99, n).astype(np.float32) for _ in range(2))
    index = p.random.integers(0, 3, n, np.int32)
    out = p.empty(n, np.float32)
    p.launch("table", 1, n, index, a, b, out)
    p.equal("table", out, np.choose(index, [a + b, a - b, a * b]))
    p.set_variable("chosen", p.variable("operations", np.uint64)[2:3])
    out = p.empty(n, np.float32)
    p.launch("uniform", 1, n, a, b, out)
    p.equal("uniform", out, (a - b) + a)
    values = p.random.integers(0, 1000, 50, np.int32)
    sums, counts = p.empty(n, np.float64), p.empty(n, np.int32)
    largest = p.empty(n, np.int32)
    p.launch("folds", 1, n, values, np.int32(50), sums, counts, largest)
    want = np.array([fold([int(x) for x in values[: 50 - t % 5]], t) for t in range(n)])
    p.equal("sums", sums, want[:, 0].astype(np.float64))
    p.equal("counts", counts, want[:, 1])
    p.equal("largest", largest, want[:, 2])
    index[37] = 3
    text = "thread (37,0,0)"
    p.fails("CUDA_ERROR_LAUNCH_FAILED", "table", 1, n, index, a, b, out, text=text)
    text = "call through a null pointer"
    p.fails("CUDA_ERROR_LAUNCH_FAILED", "table", 1, n, index, a, b, out, text=text)
