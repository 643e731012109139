"""Sums of 4096 ones in f16 on the CPU. Added up in f16 they stop at 2048.

    check_narrow_sums.py FOLDER

FOLDER is the package of narrow_sums.mlir."""

import sys

import numpy as np
from package import Package


def main(folder):
    runtime = None
    for name in ("sum_and_max", "sum_and_choice", "nest"):
        package = Package(folder, runtime, name)
        runtime = package.runtime
        zeros = np.zeros(2, np.float16)
        _, sums, largest = package.run_cpu([np.ones((2, 4096), np.float16), zeros, zeros])
        print(f"{name}:", *sums, *largest)


if __name__ == "__main__":
    main(sys.argv[1])
