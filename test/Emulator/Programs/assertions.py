# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    a = np.arange(64, dtype=np.int32)
    out = p.empty(64, np.int32)
    p.launch("checked", 2, 32, a, out, np.int32(64))
    p.equal("passed", out, a + 1)
    p.fails("CUDA_ERROR_ASSERT", "checked", 2, 32, a, out, np.int32(40), text="a[t] < limit")
    p.launch("trapped", 1, 8, a)
    p.fails("CUDA_ERROR_LAUNCH_FAILED", "trapped", 1, 32, a)
