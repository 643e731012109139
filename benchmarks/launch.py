#!/usr/bin/env python3
"""What a call of a packaged kernel costs the host, without a GPU.

The driver is a stub that answers at once, so the time is that of the checks, the
choice of a variant, the host code and the calls of the driver table, not of
NVIDIA's driver. Measured on this machine; the goal is less than 5 us.

    launch.py --build BUILD [--keep FOLDER]"""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch")
GOAL_NS = 5000
# name, sizes, what it stands for
PACKAGES = [
    ("fixed", "i=64,k=32,j=48", "fixed extents, one kernel"),
    ("dynamic", "i=?,k=?,j=?", "extents of run time, six variants"),
    ("parts", "i=64,k=4096,j=64", "two kernels and workspace"),
]


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def build(folder, arguments):
    """Makes the packages, the stub and the program; gives the program's path."""
    compiler = os.path.join(arguments.build, "bin", "tc-compile")
    flags = []
    for name, sizes, _ in PACKAGES:
        package = os.path.join(folder, name)
        run(compiler, "--einsum=ik,kj->ij", f"--sizes={sizes}", f"--name={name}",
            "--chips=sm_80,sm_90a", "--emit=package", "-o", package)  # fmt: skip
        lib = os.path.join(package, "lib")
        flags += [f"-I{package}/include", f"-L{lib}", f"-ltc_{name}", f"-Wl,-rpath,{lib}"]
    include = os.path.join(os.path.dirname(HERE), os.pardir, "include")
    cxx = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", f"-I{include}"]
    sources = [os.path.join(HERE, f"stub_{part}.cpp") for part in ("driver", "defaults")]
    run(*cxx, "-shared", "-fPIC", *sources, "-o", os.path.join(folder, "libcuda.so.1"))
    program = os.path.join(folder, "launch")
    run(*cxx, os.path.join(HERE, "launch.cpp"), *flags, "-ltc-runtime", "-o", program)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="the build folder")
    parser.add_argument("--keep", help="a folder for what is made")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        program = build(folder, arguments)
        environment = dict(os.environ, LD_LIBRARY_PATH=folder, TC_STUB_DEVICES="90")
        lines = run(program, env=environment, stdout=subprocess.PIPE).stdout.split("\n")
    print("measured on the host, over a driver that only answers; ns a call")
    print(f"{'case':10} {'median':>7} {'least':>7}")
    missed = False
    for line, (name, _, meaning) in zip(lines, PACKAGES):
        _, median, least = line.split()
        missed |= float(median) > GOAL_NS
        print(f"{name:10} {median:>7} {least:>7}  {meaning}")
    print(f"goal: below {GOAL_NS}: {'missed' if missed else 'met'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
