"""What the CPU versions of packaged copies write, against NumPy.

    check_copies.py FOLDER

FOLDER is the package of copies.mlir."""

import sys

import numpy as np
from package import Package


def check(name, got, expected):
    if not np.array_equal(got, expected):
        sys.exit(f"{name}: expected\n{expected}\ngot\n{got}")
    print(f"{name}: equal")


def main(folder):
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    dense = Package(folder, name="dense")
    runtime = dense.runtime
    check("dense", dense.run_cpu([a, np.zeros_like(a)])[-1], a)
    rows = Package(folder, runtime, "rows")
    check("rows", rows.run_cpu([a, np.zeros_like(a)])[-1], a[::-1])

    strided = Package(folder, runtime, "strided")
    parameters = {
        "A_extent0": 3, "A_extent1": 4, "C_extent0": 3, "C_extent1": 4,
        "C_stride0": 1, "C_stride1": 3,
    }  # fmt: skip
    target = np.zeros((4, 3), np.float32)
    check("strided", strided.run_cpu([a, target], parameters)[-1], a.T)

    bufferized = Package(folder, runtime, "bufferized")
    x, y = np.arange(8, dtype=np.float32), np.full(8, 3, np.float32)
    results = bufferized.run_cpu([x, y, np.zeros_like(x), np.zeros_like(x)])
    check("bufferized", np.stack(results[-2:]), np.stack([x + y, (x + y) * y]))


if __name__ == "__main__":
    main(sys.argv[1])
