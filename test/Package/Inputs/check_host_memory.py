"""What the functions of host_memory.mlir compute, against NumPy: check_host_memory.py FOLDER.

FOLDER is their package."""

import sys

import numpy as np
from package import STATUS, Package


def check(name, got, expected):
    if not np.array_equal(got, expected):
        sys.exit(f"{name}: expected\n{expected}\ngot\n{got}")
    print(f"{name}: equal")


def main(folder):
    a = np.arange(32 * 40, dtype=np.float32).reshape(32, 40)
    pieces = Package(folder, name="pieces")
    runtime = pieces.runtime
    for run in (pieces.run, pieces.run_cpu):
        _, b, c = run([a, np.zeros_like(a), np.zeros_like(a)])
        check("pieces", np.stack([b, c]), np.stack([-2 * a, 2 * a]))

    strided = Package(folder, runtime, "strided")
    for name, shape, strides in (
        ("transposed", (40, 32), (1, 40)),
        ("rows", (32, 20), (40, 1)),
        ("every other", (16, 20), (80, 2)),
        ("one row", (7, 40), (0, 1)),
        ("nothing", (0, 40), (40, 1)),
    ):
        parameters = {
            "A_extent0": shape[0], "A_extent1": shape[1],
            "C_extent0": shape[0], "C_extent1": shape[1],
            "A_stride0": strides[0], "A_stride1": strides[1],
        }  # fmt: skip
        view = np.lib.stride_tricks.as_strided(a, shape, [4 * s for s in strides])
        for run in (strided.run, strided.run_cpu):
            got = run([a, np.zeros(shape, np.float32)], parameters)[-1]
            check(name, got, 2 * view)

    there = runtime.to_device(a)
    status = pieces.call([there, a.ctypes.data, there], {})
    assert status == STATUS["OVERLAP"], status
    status = pieces.call([there, a.ctypes.data, runtime.to_device(a)], {}, *room(pieces))
    assert status == STATUS["WRONG_DEVICE"], status
    print(runtime.last_error())


def room(package):
    size = package.workspace_size({})
    return package.runtime.allocate(size), size


if __name__ == "__main__":
    main(sys.argv[1])
