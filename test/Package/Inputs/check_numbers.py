"""Packaged kernels against NumPy: on the emulator with all checks, and on the CPU.

    check_numbers.py FOLDER all|few

Packages are written below FOLDER. All values are small whole numbers, so that
results have to be equal."""

import os
import subprocess
import sys

import numpy as np
from package import NUMPY, Package

LETTERS = "icaqbjk"
# name, subscripts, sizes ('' = that number at run time), dtype, options
EINSUMS = [
    ("fixed", "ik,kj->ij", "i=33,k=17,j=20", {}, "f32", []),
    ("at_run_time", "ik,kj->ij", "i=?,k=?,j=?", {"i": 33, "k": 17, "j": 20}, "f32", []),
    ("aligned", "ik,kj->ij", "i=?,k=?,j=?", {"i": 128, "k": 16, "j": 64}, "f32", []),
    ("no_rows", "ik,kj->ij", "i=?,k=?,j=?", {"i": 0, "k": 17, "j": 20}, "f32", []),
    ("no_terms", "ik,kj->ij", "i=?,k=?,j=?", {"i": 5, "k": 0, "j": 20}, "f32", []),
    ("in_parts", "ik,kj->ij", "i=64,k=4096,j=64", {}, "f32", []),
    ("chain", "ab,bc,cd->ad", "a=?,b=?,c=?,d=?", {"a": 9, "b": 5, "c": 7, "d": 12},
     "f32", ["--order=optimal"]),
    ("fixed_chain", "ab,bc,cd->ad", "a=9,b=5,c=7,d=12", {}, "f64", ["--order=optimal"]),
    ("triples", "icaq,qbjk->abcijk", ",".join(f"{i}=4" for i in LETTERS), {}, "f64", []),
    ("trace", "ii->", "i=?", {"i": 37}, "f32", []),
    ("complex", "ik,kj->ij", "i=16,k=16,j=16", {}, "c64", []),
    ("whole", "ik,kj->ij", "i=16,k=16,j=16", {}, "i32", []),
    ("half", "ik,kj->ij", "i=16,k=16,j=16", {}, "f16", []),
    ("two_chips", "ik,kj->ij", "i=?,k=?,j=?", {"i": 33, "k": 17, "j": 20}, "f32",
     ["--chips=sm_80,sm_90a,sm_120"]),
    ("opt_in", "ik,kj->ij", "i=256,k=96,j=128", {}, "f64",
     ["--chips=sm_80,sm_90a", "--schedule=#tc.schedule<thread = [i = 16, j = 16], "
      "register = [i = 8, j = 8], step = [k = 32], stages = 2, kernel = fma>"]),
    ("older_chip", "ik,kj->ij", "i=33,k=17,j=20", {}, "f32", ["--chips=sm_75"]),
]  # fmt: skip

FEW = ("at_run_time", "in_parts", "chain", "half", "opt_in")


def build(folder, name, arguments):
    path = os.path.join(folder, name)
    command = ["tc-compile", *arguments, f"--name={name}", "--emit=package", "-o", path]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return path


def extents_of(sizes, given):
    fixed = (entry.split("=") for entry in sizes.split(","))
    return {label: given[label] if size == "?" else int(size) for label, size in fixed}


def make_arrays(subscripts, extents, dtype):
    rng = np.random.default_rng(len(subscripts))
    inputs, output = subscripts.split("->")
    arrays = [
        rng.integers(-3, 4, [extents[i] for i in labels]).astype(NUMPY[dtype])
        for labels in inputs.split(",")
    ]
    # What lies in the result before must not matter.
    arrays.append(np.full([extents[i] for i in output], 77, NUMPY[dtype]))
    return arrays


def check(name, got, expected):
    if not np.array_equal(got, expected):
        sys.exit(f"{name}: expected\n{expected}\ngot\n{got}")


def check_einsum(folder, runtime, case):
    name, subscripts, sizes, given, dtype, options = case
    arguments = [f"--einsum={subscripts}", f"--sizes={sizes}", f"--dtype={dtype}"]
    package = Package(build(folder, name, arguments + options), runtime)
    extents = extents_of(sizes, given)
    arrays = make_arrays(subscripts, extents, dtype)
    expected = np.einsum(subscripts, *arrays[:-1])
    parameters = {f"extent_{label}": extent for label, extent in extents.items()}
    check(name, package.run(arrays, parameters)[-1], expected)
    check(f"{name} on the CPU", package.run_cpu(arrays, parameters)[-1], expected)
    print(f"{name}: {package.workspace_size(parameters)} bytes of workspace")
    return package.runtime


def check_strided(folder, runtime, inputs):
    """A file: a strided operand, a scalar, and a result that is added to."""
    path = build(folder, "strided", [os.path.join(inputs, "strided.mlir")])
    package = Package(path, runtime)
    rng = np.random.default_rng(5)
    a = rng.integers(-3, 4, 60).astype(np.float32)
    b = rng.integers(-3, 4, (4, 6)).astype(np.float32)
    c = rng.integers(-3, 4, (3, 6)).astype(np.float32)
    # Element [i, k] of the view is a[2 + 10 i + 2 k].
    view = np.lib.stride_tricks.as_strided(a[2:], (3, 4), (40, 8))
    parameters = {
        "A_extent0": 3, "A_extent1": 4, "B_extent1": 6,
        "A_stride0": 10, "A_stride1": 2, "A_offset": 2,
    }  # fmt: skip
    expected = c + view @ b
    check("strided", package.run([a, b, c], parameters)[-1], expected)
    check("strided, CPU", package.run_cpu([a, b, c], parameters)[-1], expected)
    names = [p["name"] for p in package.entry["parameters"]]
    print("strided:", " ".join(names))


def check_constant(folder, runtime, inputs):
    """A file with weights, which every variant has to bring to the device."""
    arguments = [os.path.join(inputs, "constant.mlir"), "--chips=sm_80,sm_90a"]
    package = Package(build(folder, "constant", arguments), runtime)
    a, c = np.ones((5, 3), np.float32), np.zeros((5, 2), np.float32)
    (parameter,) = package.entry["parameters"]
    expected = a @ np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    check("constant", package.run([a, c], {parameter["name"]: 5})[-1], expected)
    check("constant, CPU", package.run_cpu([a, c], {parameter["name"]: 5})[-1], expected)
    print("constant: done")


def check_unaligned(folder, runtime):
    """Buffers at multiples of 4 bytes only, for which there are variants."""
    package = Package(os.path.join(folder, "at_run_time"), runtime)
    a, b, c = (np.ones(s, np.float32) for s in ((128 * 16 + 1), (16 * 64 + 1), (128 * 64 + 1)))
    places = [runtime.to_device(x) for x in (a, b, c)]
    extents = {"extent_i": 128, "extent_k": 16, "extent_j": 64}
    for shift in (0, 4):
        runtime.check(package.call([place + shift for place in places], extents))
        runtime.to_host(places[2], c)
        check(f"shifted by {shift}", c[shift // 4 :][: 128 * 64], np.full(128 * 64, 16))
    for place in places:
        runtime.free(place)


def check_functions(folder, runtime, inputs):
    """A file of two functions, and a number passed by value."""
    arguments = [os.path.join(inputs, "functions.mlir"), "--chips=sm_80"]
    path = os.path.join(folder, "functions")
    command = ["tc-compile", *arguments, "--package-name=both", "--emit=package"]
    subprocess.run([*command, "-o", path], check=True)
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    sums = Package(path, runtime, "row_sums")
    check("row_sums", sums.run([a, np.zeros(3, np.float32)])[-1], a.sum(axis=1))
    scaled = Package(path, runtime, "scaled")
    for run in (scaled.run, scaled.run_cpu):
        check("scaled", run([a, 2.5, np.zeros_like(a)])[-1], 2.5 * a)
    print("functions:", *(e["symbol"] for e in sums.manifest["entries"]))


def main(folder, which):
    runtime = None
    for case in EINSUMS:
        if which == "all" or case[0] in FEW:
            runtime = check_einsum(folder, runtime, case)
    inputs = os.path.dirname(os.path.abspath(__file__))
    check_strided(folder, runtime, inputs)
    check_constant(folder, runtime, inputs)
    check_unaligned(folder, runtime)
    check_functions(folder, runtime, inputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
