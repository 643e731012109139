"""Runs mma.mlir on whole numbers and compares with NumPy: check_mma.py MMA_MLIR FOLDER."""

import subprocess
import sys

import numpy


def main():
    program, folder = sys.argv[1:]
    generator = numpy.random.default_rng(0)
    a = generator.integers(-4, 5, (64, 16)).astype(numpy.float16)
    b = generator.integers(-4, 5, (16, 8)).astype(numpy.float16)
    numpy.save(f"{folder}/a.npy", a)
    numpy.save(f"{folder}/b.npy", b)
    command = ["tc-run", program, "--device=emulator", "--checks=all"]
    command += [f"--inputs={folder}/a.npy,{folder}/b.npy", f"--output={folder}/d.npy"]
    subprocess.run(command, check=True)
    got = numpy.load(f"{folder}/d.npy")
    expected = a.astype(numpy.float32) @ b.astype(numpy.float32)
    if not numpy.array_equal(got, expected):
        print("error: expected the product of a and b, got", got, sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
