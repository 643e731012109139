# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

def run(p):
    n = 64
    a = p.random.integers(0, 1 << 32, n, np.uint32)
    out = p.empty((8, n), np.uint32)
    p.launch("whole", 1, n, a, out)
    x = a.reshape(2, 32)
    s = x.view(np.int32)
    wants = [x.sum(1, dtype=np.uint32), x.min(1), x.max(1)]
    wants += [s.min(1).view(np.uint32), s.max(1).view(np.uint32)]
    wants += [np.bitwise_and.reduce(x | 0xFF, 1), np.bitwise_or.reduce(x & 0xFF00FF, 1)]
    wants += [np.bitwise_xor.reduce(x, 1)]
    for row, want in enumerate(wants):
        p.equal(f"reduction {row}", out[row], np.repeat(want, 32).astype(np.uint32))

    out = p.empty(n, np.uint32)
    p.launch("parts", 1, n, a, out)
    third = np.arange(32) % 3 == 0
    for w in range(2):
        want = np.where(third, x[w][third].sum(dtype=np.uint32), x[w][~third].max())
        p.equal("parts", out[32 * w : 32 * w + 32], want.astype(np.uint32))
