"""A package's versions for the levels of x86-64: that each computes right, and which
of them round alike.

    check_levels.py FOLDER         makes packages, and runs itself for each level
    check_levels.py FOLDER LEVEL   runs them in a process of this level"""

import ctypes
import hashlib
import os
import subprocess
import sys

import numpy as np
from check_cpu import EINSUMS, RUNS, make_arrays
from package import Package

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
# A product, its parts, conversions, f16, and sums outside of results.
CASES = [0, 1, 3, 4, 7, 8, 14]


def build(folder, name, *arguments):
    command = ["tc-compile", "--emit=package", "--chips=none", f"--name={name}"]
    subprocess.run([*command, *arguments, "-o", os.path.join(folder, name)], check=True)


def make(folder):
    for number in CASES:
        subscripts, sizes, dtype = EINSUMS[number]
        build(
            folder, f"case{number}", f"--einsum={subscripts}", f"--sizes={sizes}",
            f"--dtype={dtype}",
        )  # fmt: skip
    build(folder, "dynamic", "--einsum=ik,kj->ij", "--sizes=i=?,k=?,j=?")
    build(folder, "ordered", os.path.join(HERE, "ordered_sums.mlir"), "--keep-order")


def check(package, subscripts, arrays, parameters):
    wide = [a.astype(np.complex128 if a.dtype.kind == "c" else float) for a in arrays[:-1]]
    expected = np.einsum(subscripts, *wide).astype(arrays[-1].dtype)
    got = package.run_cpu(arrays, parameters)[-1]
    if not np.array_equal(got, expected):
        sys.exit(f"{subscripts}: expected\n{expected}\ngot\n{got}")


def level_of(package):
    function = package.runtime.library.tcCpuLevel
    function.restype = ctypes.c_char_p
    return function().decode()


def digest(array):
    return hashlib.sha256(array.tobytes()).hexdigest()[:12]


def run(folder, level):
    for number in CASES:
        subscripts, sizes, dtype = EINSUMS[number]
        extents = {k: int(v) for k, v in (entry.split("=") for entry in sizes.split(","))}
        package = Package(os.path.join(folder, f"case{number}"))
        check(package, subscripts, make_arrays(subscripts, extents, dtype), {})
    dynamic = Package(os.path.join(folder, "dynamic"))
    for extents in RUNS:
        arrays = make_arrays("ik,kj->ij", dict(zip("ikj", extents)), "f32")
        parameters = {f"extent_{k}": v for k, v in zip("ikj", extents)}
        check(dynamic, "ik,kj->ij", arrays, parameters)
    if level_of(dynamic) != level:
        sys.exit(f"expected {level}, got {level_of(dynamic)}")
    # Values whose sums round.
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal((300, 70)).astype(np.float32) for _ in "ab")
    parameters = {"extent_i": 70, "extent_k": 300, "extent_j": 70}
    free = dynamic.run_cpu([a.T.copy(), b, np.zeros((70, 70), np.float32)], parameters)[-1]
    ordered = Package(os.path.join(folder, "ordered"))
    kept = ordered.run_cpu([a, b[:, 0].copy(), np.zeros(70, np.float32)])[-1]
    print(digest(free), digest(kept))


def main():
    folder = sys.argv[1]
    if len(sys.argv) == 3:
        return run(folder, sys.argv[2])
    make(folder)
    highest = level_of(Package(os.path.join(folder, "dynamic")))
    rounded = {}
    for level in LEVELS[: LEVELS.index(highest) + 1]:
        environment = {**os.environ, "TC_CPU": level}
        command = [sys.executable, __file__, folder, level]
        output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
        rounded[level] = output.stdout.split()
        print(f"{level}: {len(CASES) + len(RUNS)} right")
    free, kept = ([of_level[i] for of_level in rounded.values()] for i in (0, 1))
    print("sums in the order of the program:", "alike" if len(set(kept)) == 1 else kept)
    # Only later levels fuse: they would agree if the same code ran for all.
    print("sums in any order, v2 and v3:", "alike" if free[0] == free[1] else "not alike")


if __name__ == "__main__":
    main()
