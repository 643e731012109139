"""Products of pairs on the CPU against NumPy's, to the last bit: numbers are whole, so that sums
are exact. `check_pairs.py make FOLDER OPTION...` compiles each einsum below in each type;
`check_pairs.py check FOLDER` runs them."""

import ctypes
import json
import os
import subprocess
import sys

import numpy

# Sums along lines, rows along lines, odd ends, several iterators, a batch.
EINSUMS = (
    ("ik,kj->ij", "i=70,j=65,k=67"),
    ("ki,jk->ij", "i=64,j=96,k=64"),
    ("aebd,ce->dcba", "a=12,b=10,c=24,d=9,e=21"),
    ("nik,nkj->nij", "n=3,i=40,j=33,k=301"),
)
TYPES = {"i8": ("i1", "i4", "i8,i8->i32"), "i16": ("i2", "i4", "i16,i16->i32"),
         "bf16": ("u2", "f4", "bf16,bf16->f32")}  # fmt: skip


def make_numbers(rng, dtype, shape):
    """(the values, the bytes that the kernel gets)."""
    if dtype == "bf16":
        values = rng.integers(-8, 9, shape).astype("f4")
        return values, (values.view("u4") >> 16).astype("u2")
    limits = numpy.iinfo(TYPES[dtype][0])
    values = rng.integers(limits.min, limits.max, shape, endpoint=True)
    return values.astype("i4"), values.astype(TYPES[dtype][0])


def check(folder, dtype, einsum, sizes):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        (entry,) = json.load(file)["entries"]
    library = ctypes.CDLL(os.path.join(folder, "lib", "libtc_pairs.so"))
    rng, inputs = numpy.random.default_rng(1), einsum.split("->")[0].split(",")
    extents = dict(part.split("=") for part in sizes.split(","))
    operands = [make_numbers(rng, dtype, [int(extents[l]) for l in labels]) for labels in inputs]
    result = numpy.empty(entry["arguments"][-1]["shape"], TYPES[dtype][1])
    arrays = [numbers for _, numbers in operands] + [result]
    status = library[f"{entry['symbol']}_cpu"](
        *(ctypes.c_void_p(array.ctypes.data) for array in arrays), None, ctypes.c_size_t(0)
    )
    wanted = numpy.einsum(einsum, *(values for values, _ in operands))
    return status == 0 and numpy.array_equal(result, wanted)


def main():
    command, folder, *options = sys.argv[1:]
    for dtype, (_, _, types) in TYPES.items():
        for number, (einsum, sizes) in enumerate(EINSUMS):
            path = os.path.join(folder, f"{dtype}-{number}")
            if command == "check":
                is_right = check(path, dtype, einsum, sizes)
                print(dtype, einsum, "right" if is_right else "WRONG")
                continue
            what = [f"--einsum={einsum}", f"--sizes={sizes}", f"--dtype={types}"]
            form = ["--name=pairs", "--emit=package", "--chips=none", "-o", path]
            subprocess.run(["tc-compile", *what, *form, *options], check=True)


main()
