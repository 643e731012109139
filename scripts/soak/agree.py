"""Runs a program with the arrays beside it and compares each result with the one that is
expected, bit for bit: agree.py PROGRAM.mlir, with in0.npy, ... and want0.npy, ..."""

import glob
import subprocess
import sys

import numpy


def main(program):
    inputs = [f"in{n}.npy" for n in range(len(glob.glob("in*.npy")))]
    results = [f"got{n}.npy" for n in range(len(glob.glob("want*.npy")))]
    done = subprocess.run(
        [
            "tc-run",
            program,
            "--device=emulator",
            "--verify",
            f"--inputs={','.join(inputs)}",
            f"--output={','.join(results)}",
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr}"
    for n, name in enumerate(results):
        got, want = numpy.load(name), numpy.load(f"want{n}.npy")
        if not numpy.array_equal(got, want):
            at = tuple(numpy.argwhere(got != want)[0])
            return f"result {n} at {list(map(int, at))}: expected {want[at]}, got {got[at]}"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
