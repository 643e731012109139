# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    cells = np.zeros(7, np.int32)
    p.launch("scopes", 4, 48, cells)
    p.equal("scopes", cells, np.array([192, 192, 47, 47, 47, 47, 4 * 96]))

    cells, wide, old = np.zeros(3, np.int32), np.zeros(1, np.int64), p.empty(64, np.int32)
    p.launch("orders", 1, 64, cells, wide, old)
    p.equal("cells", cells, np.array([64, -1, 128]))
    p.equal("wide", wide, np.array([-64 * 63 // 2]))
    p.equal("old", np.sort(old), np.arange(64))

    out = p.empty(4, np.int32)
    p.launch("messages", 1, 128, out, np.int32(5))
    p.equal("messages", out, 16 + np.arange(1, 5))
