# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def philox(counter, key):
    words, key = [int(w) for w in counter], list(key)
    mask = 0xFFFFFFFF
    for _ in range(10):
        first, second = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        words = [
            (second >> 32) ^ words[1] ^ key[0],
            second & mask,
            (first >> 32) ^ words[3] ^ key[1],
            first & mask,
        ]
        key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
    return words


def pcg(t, count):
    state, mask = 0x853C49E6748FEA9B + t, (1 << 64) - 1
    for _ in range(count):
        old = state
        state = (old * 6364136223846793005 + 2 * t + 1) & mask
        mixed, by = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF, old >> 59
        yield (mixed >> by | mixed << (-by & 31)) & 0xFFFFFFFF


def run(p):
    n, seed = 100, 12345
    out = p.empty((n, 4), np.uint32)
    p.launch("counters", 2, 50, out, np.uint32(seed))
    want = [philox((t, 1, 2, 3), (seed, ~seed & 0xFFFFFFFF)) for t in range(n)]
    p.equal("philox", out, np.array(want, np.uint32))

    out = p.empty((64, 10), np.uint32)
    p.launch("pcg", 1, 64, out, np.int32(10))
    p.equal("pcg", out, np.array([list(pcg(t, 10)) for t in range(64)], np.uint32))

    hits, threads, count = np.zeros(1, np.uint64), 256, 40
    p.launch("circle", 4, threads // 4, hits, np.uint32(7), np.int32(count))
    p.near("pi", 4 * hits[0] / (threads * count), np.pi, absolute=0.06)
