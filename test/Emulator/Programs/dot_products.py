# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np

COMPILERS = ("nvcc",)


def run(p):
    n = 64
    a, b, c = (p.random.integers(-(2**31), 2**31, n, np.int32) for _ in range(3))
    b[:8] = a[:8] ^ 0xFF00
    out = p.empty((8, n), np.int32)
    p.launch("dots", 1, n, a, b, c, out)
    bytes_of = lambda v, kind: v.view(kind).reshape(n, -1)
    wide = lambda v: v.astype(np.int64).astype(np.int32)
    sa, sb = (bytes_of(v, np.int8).astype(np.int64) for v in (a, b))
    ua, ub = (bytes_of(v, np.uint8).astype(np.int64) for v in (a, b))
    p.equal("signed", out[0], wide((sa * sb).sum(1) + c))
    p.equal("unsigned", out[1], wide((ua * ub).sum(1) + c))
    halves = bytes_of(a, np.int16).astype(np.int64)
    p.equal("low", out[2], wide((halves * sb[:, :2]).sum(1) + c))
    p.equal("high", out[3], wide((halves * sb[:, 2:]).sum(1) + c))
    packed = lambda v, kind: np.ascontiguousarray(v.astype(kind)).view(np.int32).ravel()
    p.equal("add", out[4], packed(ua + ub, np.uint8))
    high = np.maximum(bytes_of(a, np.int16), bytes_of(b, np.int16))
    p.equal("max", out[5], packed(high, np.int16))
    p.equal("average", out[6], packed((ua + ub + 1) >> 1, np.uint8))
    p.equal("equal", out[7], packed(np.where(ua == ub, 255, 0), np.uint8))
