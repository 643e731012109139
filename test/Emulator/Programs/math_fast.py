# REQUIRES: nvcc
# RUN: %cuda_program %s
# Bounds of the CUDA programming guide, section "Intrinsic functions", and of the
# PTX ISA document for tanh.approx (2^-11 relative).
import numpy as np

FLAGS = {"nvcc": ["--use_fast_math"], "clang": ["-ffast-math", "-fgpu-flush-denormals-to-zero"]}


def run(p):
    n = 500
    a = p.random.uniform(-np.pi, np.pi, n).astype(np.float32)
    b = p.random.uniform(0.01, 20, n).astype(np.float32)
    out = p.empty((12, n), np.float32)
    p.launch("approximate", 2, 256, a, b, out, np.int32(n))
    x, y = a.astype(np.float64), b.astype(np.float64)
    p.near("__sinf", out[0], np.sin(x), absolute=2**-21.19)
    p.near("__cosf", out[1], np.cos(x), absolute=2**-21.41)
    p.within_ulps("__expf", out[2], np.exp(x), 2 + np.floor(np.abs(1.173 * x)).max())
    far = np.abs(y - 1) > 0.5
    p.near("__logf near 1", out[3][~far], np.log(y)[~far], absolute=2**-21.41)
    p.within_ulps("__logf", out[3][far], np.log(y)[far], 3)
    p.near("__log2f near 1", out[4][~far], np.log2(y)[~far], absolute=2**-22)
    p.within_ulps("__log2f", out[4][far], np.log2(y)[far], 2)
    p.near("__powf", out[5], y**x, relative=2**-18)
    p.within_ulps("__fdividef", out[6], x / y, 2)
    p.within_ulps("/", out[7], x / y, 2)
    p.within_ulps("sqrt", out[8], np.sqrt(y), 3)
    p.within_ulps("rsqrt", out[9], 1 / np.sqrt(y), 2)
    p.near("product", out[10], np.sin(x) * np.exp(x), relative=2**-20, absolute=2**-16)
    p.near("tanh", out[11], np.tanh(x), relative=2**-11)
