"""A result of more than 2^31 elements, of which the emulator runs some blocks.

large.py --folder=F --library=L

The function of dynamic.py's outer product in tiles of 8 x 256 is called for a small
result and for one whose last elements lie beyond 2^31, in sparse memory. Prints
which kernels ran, and whether the first and the last element are right: their blocks
always run.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys

import numpy

import dynamic


def call(device, function, rows, columns):
    """y x^T; are the first and the last element of the result right?"""
    generator = numpy.random.default_rng(rows)
    x = generator.standard_normal(columns).astype("f4")
    y = generator.standard_normal(rows).astype("f4")
    result = device.allocate(4 * rows * columns)
    words, inputs = [], []
    for array in (x, y):
        address = device.allocate(array.nbytes)
        device.copy(address, array.ctypes.data, array.nbytes)
        inputs.append(address)
        words += [address, address, 0, len(array), 1]
    words += [result, result, 0, rows, columns, columns, 1, columns, rows]
    function(*map(ctypes.c_int64, words))
    if device.error():
        raise RuntimeError(device.error())
    right = True
    for row, column in ((0, 0), (rows - 1, columns - 1)):
        element = numpy.empty(1, "f4")
        place = result + 4 * (row * columns + column)
        device.copy(element.ctypes.data, place, element.nbytes)
        right &= bool(element[0] == y[row] * x[column])
    for address in (result, *inputs):
        device.release(address)
    return right


# 32 bits reach 30001 rows; 32767 too, but not the tile that sticks out.
SHAPES = [(300, 200), (30001, 65536), (32767, 65536), (32768, 65536), (65537, 65536)]


def call_all(arguments):
    """Prints a word for each shape."""
    device = dynamic.Device(arguments.library)
    library = dynamic.compile_program("tiles", arguments.folder, "")
    function = ctypes.CDLL(library).tiles
    function.restype = None
    for shape in SHAPES:
        print("right" if call(device, function, *shape) else "wrong")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--library", required=True, help="the mgpu library")
    parser.add_argument("--call", action="store_true", help="(of this program alone)")
    arguments = parser.parse_args()
    if arguments.call:
        return call_all(arguments)
    os.makedirs(arguments.folder, exist_ok=True)
    # The report is whole when the process has ended.
    report = os.path.join(arguments.folder, "report.json")
    settings = {"TC_EMU_REPORT": report, "TC_EMU_SAMPLE_BLOCKS": "8"}
    ends = subprocess.run(
        [sys.executable, *sys.argv, "--call"],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()
    with open(report) as file:
        launches = json.load(file)["launches"]
    for shape, end, launch in zip(SHAPES, ends, launches, strict=True):
        print(f"{shape[0]} x {shape[1]}: {launch['kernel']}, {launch['status']}, ends {end}")


if __name__ == "__main__":
    main()
