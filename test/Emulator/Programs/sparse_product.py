# REQUIRES: nvcc
# RUN: %cuda_program %s
import numpy as np


def run(p):
    rows, columns = 75, 90
    dense = p.random.integers(-9, 9, (rows, columns)).astype(float)
    dense[p.random.random((rows, columns)) < 0.7] = 0
    dense[3], dense[10] = 0, 1
    x = p.random.integers(-9, 9, columns).astype(float)
    index = np.argwhere(dense)
    starts = np.searchsorted(index[:, 0], np.arange(rows + 1)).astype(np.int32)
    arguments = starts, index[:, 1].astype(np.int32), dense[dense != 0], x
    for kernel, threads in (("scalar", 1), ("vector", 32)):
        y = p.empty(rows, np.float64)
        grid = -(-rows * threads // 64)
        p.launch(kernel, grid, 64, *arguments, y, np.int32(rows))
        p.equal(kernel, y + 0.0, dense @ x + 0.0)
