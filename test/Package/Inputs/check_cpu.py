"""Kernels for the CPU against NumPy, for CPUs that this machine can be.

    check_cpu.py FOLDER few|all

Values are small whole numbers, so that results have to be equal."""

import os
import subprocess
import sys

import numpy as np
from package import NUMPY, Package

# Beside each: what it is a case of.
EINSUMS = [
    ("ik,kj->ij", "i=61,k=300,j=103", "f32"),  # tiles, blocks and sums with rests
    ("ki,kj->ij", "i=64,k=32,j=96", "f64"),  # whole tiles
    ("ik,jk->ji", "i=37,k=80,j=53", "f32"),  # columns of the first input
    ("ik,kj->ij", "i=61,k=300,j=53", "c64"),  # two parts
    ("ik,kj->ij", "i=40,k=300,j=50", "i8,i8->i32"),  # converted into panels
    ("ik,kj->ij", "i=40,k=300,j=50", "i64"),
    ("ik,kj->ij", "i=40,k=40,j=50", "f16"),  # converted out of registers
    ("ik,kj->ij", "i=40,k=300,j=50", "f16"),  # and through accumulators
    ("bik,bkj->bij", "b=13,i=31,j=53,k=30", "f32"),  # a batch in tasks
    ("bik,bkj->ijb", "b=24,i=13,j=15,k=17", "f32"),  # a batch innermost: loops
    # Columns padded to vectors: transposed in tiles, as they lie, converted.
    ("dabfe,fc->edcba", "a=29,b=5,c=7,d=6,e=42,f=13", "f32"),
    ("fcea,debf->dcba", "a=31,b=5,c=7,d=6,e=22,f=21", "f32"),
    ("fcea,debf->dcba", "a=15,b=5,c=17,d=6,e=12,f=11", "f16,f16->f32"),
    ("aged,cbfg->fedcba", "a=24,b=6,c=5,d=7,e=6,f=4,g=24", "f32"),
    ("adb,cd->cba", "a=48,b=32,c=9,d=21", "f32"),  # tiles of columns
    ("aebf,dfce->abcd", "a=12,b=6,c=15,d=17,e=32,f=48", "f32"),  # interleaved sums
    ("iik,kj->ij", "i=30,k=40,j=50", "f32"),  # a diagonal
    ("ij->ji", "i=301,j=103", "f32"),
    ("ij->j", "i=301,j=103", "f32"),
    ("ij,i->j", "i=301,j=603", "i32"),  # sums outside of results
    ("aij,i->aj", "a=3,i=301,j=260", "f16"),
    ("ij->", "i=301,j=103", "f64"),
    ("ij,j->i", "i=301,j=103", "f32"),
    ("i,jk->kij", "i=30,j=31,k=32", "f32"),
    ("ijk,il,jm->klm", "i=10,j=13,k=15,l=17,m=9", "f64"),
    ("ik,kj->ij", "i=5,k=0,j=7", "f32"),
    ("ik,kj->ij", "i=1,k=20000,j=1", "f32"),
]
FEW = 15
# At run time: enough terms for tiles, and too few; none at all; a row.
RUNS = [(61, 300, 103), (7, 5, 9), (5, 0, 7), (0, 3, 4), (1, 257, 1000)]


def build(folder, name, *arguments, function=None):
    path = os.path.join(folder, name)
    function = f"--name={function or name}"
    command = ["tc-compile", "--emit=package", "--chips=none", function, "-o", path]
    subprocess.run([*command, *arguments], check=True)
    return Package(path)


def make_arrays(subscripts, extents, dtype):
    rng = np.random.default_rng(7)
    source = dtype.split(",")[0]
    inputs, output = subscripts.split("->")
    arrays = []
    for labels in inputs.split(","):
        shape = [extents[label] for label in labels]
        values = rng.integers(-3, 4, shape)
        if source.startswith("c"):
            values = values + 1j * rng.integers(-3, 4, shape)
        if source == "f16":
            values %= 2
        arrays.append(values.astype(NUMPY[source]))
    result = NUMPY[dtype.split("->")[-1]]
    arrays.append(np.full([extents[label] for label in output], 77, result))
    return arrays


def check_sums_at_run_time(folder, cpu):
    """Several sums of dynamic extents, and a result that is not their type."""
    package = build(
        folder, f"{cpu}_sums".replace("-", "_"), "--einsum=iab,baj->ij", "--dtype=f16",
        "--sizes=i=?,a=?,b=20,j=?", f"--host-cpu={cpu}",
    )  # fmt: skip
    extents = {"i": 20, "a": 30, "b": 20, "j": 50}
    arrays = make_arrays("iab,baj->ij", extents, "f16")
    parameters = {f"extent_{k}": v for k, v in extents.items()}
    # Sums above 2048 have no f16 of their own: those of f16 would be others.
    arrays[0] += 50
    check(package, "iab,baj->ij", arrays, parameters, f"sums at run time for {cpu}")


def check_reversed(folder, cpu):
    """A file whose input goes backwards along what its tiles of columns take."""
    source = os.path.join(os.path.dirname(__file__), "reversed.mlir")
    package = build(
        folder, f"{cpu}_reversed".replace("-", "_"), source, f"--host-cpu={cpu}",
        function="reversed",
    )  # fmt: skip
    rng = np.random.default_rng(3)
    a = rng.integers(-3, 4, (48, 21, 32)).astype(np.float32)
    b = rng.integers(-3, 4, (9, 21)).astype(np.float32)
    c = np.zeros((9, 32, 48), np.float32)
    got = package.run_cpu([a, b, c])[-1]
    if not np.array_equal(got, np.einsum("adb,cd->cba", a[:, :, ::-1], b)):
        sys.exit(f"reversed for {cpu}: got\n{got}")


def check(package, subscripts, arrays, parameters, what):
    wide = [a.astype(np.complex128 if a.dtype.kind == "c" else np.float64) for a in arrays[:-1]]
    expected = np.einsum(subscripts, *wide).astype(arrays[-1].dtype)
    got = package.run_cpu(arrays, parameters)[-1]
    if not np.array_equal(got, expected):
        sys.exit(f"{what}: expected\n{expected}\ngot\n{got}")


def check_fixed(folder, cpu, number):
    subscripts, sizes, dtype = EINSUMS[number]
    package = build(
        folder, f"{cpu}_{number}".replace("-", "_"), f"--einsum={subscripts}",
        f"--sizes={sizes}", f"--dtype={dtype}", f"--host-cpu={cpu}",
    )  # fmt: skip
    extents = {k: int(v) for k, v in (entry.split("=") for entry in sizes.split(","))}
    what = f"{subscripts} {sizes} {dtype} for {cpu}"
    check(package, subscripts, make_arrays(subscripts, extents, dtype), {}, what)


def check_at_run_time(folder, cpu, dtype):
    package = build(
        folder, f"{cpu}_{dtype}".replace("-", "_"), "--einsum=ik,kj->ij",
        "--sizes=i=?,k=?,j=?", f"--dtype={dtype}", f"--host-cpu={cpu}",
    )  # fmt: skip
    for run in RUNS:
        extents = dict(zip("ikj", run))
        arrays = make_arrays("ik,kj->ij", extents, dtype)
        parameters = {f"extent_{k}": v for k, v in extents.items()}
        check(package, "ik,kj->ij", arrays, parameters, f"{run} {dtype} for {cpu}")


def check_own_buffers(folder):
    """Tasks that sum into a buffer, each into its own: tiles of a sum over rows, for
    which vectors of 16 bytes are too narrow. They run at the same time, or not."""
    arguments = ["--einsum=ij,i->j", "--sizes=i=301,j=603", "--dtype=i32", "--host-cpu=x86-64"]
    package = build(folder, "own_buffers", *arguments)
    arrays = make_arrays("ij,i->j", {"i": 301, "j": 603}, "i32")
    for _ in range(20):
        arrays[-1][:] = 77
        check(package, "ij,i->j", arrays, {}, "buffers of tasks")


def main():
    folder, amount = sys.argv[1:]
    check_own_buffers(folder)
    cpus = ["native"] if amount == "few" else ["native", "x86-64", "x86-64-v3"]
    for cpu in cpus:
        numbers = range(FEW if amount == "few" else len(EINSUMS))
        for number in numbers:
            check_fixed(folder, cpu, number)
        for dtype in ["f32"] if amount == "few" else ["f32", "c128", "i32"]:
            check_at_run_time(folder, cpu, dtype)
        check_reversed(folder, cpu)
        check_sums_at_run_time(folder, cpu)
        print(f"{cpu}: {len(numbers)} einsums")


if __name__ == "__main__":
    main()
