"""Runs einsums of every form and type through tc-run, from .npy files and into
one, and compares the results with NumPy's in f64, complex128 or exactly.

einsum.py TC_RUN FOLDER TYPE...: prints a line for each case.
"""

import json
import subprocess
import sys

import numpy as np

# Subscripts, shapes of the operands.
FORMS = [
    ("ik,kj->ij", [(3, 5), (5, 4)]),
    ("ij,jk", [(2, 3), (1, 5)]),
    ("...ij,...jk", [(2, 1, 3, 4), (5, 4, 2)]),
    ("i...->...i", [(2, 3, 4)]),
    ("...", [(3, 4)]),
    ("bA", [(3, 4)]),
    ("ii", [(5, 5)]),
    ("ii->i", [(5, 5)]),
    ("ijji->j", [(3, 4, 4, 3)]),
    ("ij->", [(4, 7)]),
    (",", [(), ()]),
    (" i j , j -> i ", [(4, 3), (3,)]),
    ("ab,bc,cd->ad", [(2, 3), (3, 4), (4, 2)]),
    ("i,i,i->", [(4,), (4,), (4,)]),
    ("i,i->", [(3001,), (3001,)]),
    ("ij->", [(70, 90)]),
    ("ij->i", [(5, 1000)]),
    ("ij->j", [(1000, 5)]),
    ("ij,j->i", [(70, 300), (300,)]),
    ("ii", [(300, 300)]),
    ("ki,kj->ij", [(1000, 3), (1000, 4)]),
    ("ik,kj->ij", [(3, 0), (0, 4)]),
]
# Types of the inputs, type of the result, type to compute in, largest error.
TYPES = {
    "f16": ("<f2", "<f2", "f8", 2e-3),
    "bf16": ("bf16", "bf16", "f8", 1.6e-2),
    "f32": ("<f4", "<f4", "f8", 1e-6),
    "f64": ("<f8", "<f8", "f8", 1e-14),
    "c64": ("<c8", "<c8", "c16", 1e-6),
    "c128": ("<c16", "<c16", "c16", 1e-14),
    "i8": ("|i1", "<i4", "i8", 0),
    "i8->i64": ("|i1", "<i8", "i8", 0),
    "i16": ("<i2", "<i4", "i8", 0),
    "i32": ("<i4", "<i4", "i8", 0),
    "i64": ("<i8", "<i8", "i8", 0),
    "i1": ("|b1", "|b1", "?", 0),
    "f16->f32": ("<f2", "<f4", "f8", 1e-6),
}


def to_bf16(values):
    """The upper halves of f32, which must hold all there is."""
    bits = np.asarray(values, "<f4").view("<u4")
    return (bits >> 16).astype("<u2").view("V2")


def from_bf16(array):
    bits = np.frombuffer(array.tobytes(), "<u2").astype("<u4") << 16
    return bits.view("<f4").astype("f8").reshape(array.shape)


def make(rng, shape, kind):
    """Values that every type represents, so products are exact, or nearly."""
    values = rng.integers(-8, 8, shape)
    if kind == "|b1":
        return values > 3
    if kind == "bf16":
        return to_bf16(values / 8.0)
    if kind[1] == "c":
        return (values / 8 + 1j * rng.integers(-8, 8, shape) / 8).astype(kind)
    return (values / 8 if kind[1] == "f" else values).astype(kind)


def compare(subscripts, arrays, got, kind, wide, limit):
    wide_arrays = [from_bf16(a) if a.dtype.kind == "V" else a.astype(wide) for a in arrays]
    expected = np.einsum(subscripts, *wide_arrays)
    expected_kind = "V2" if kind == "bf16" else kind
    if got.dtype != np.dtype(expected_kind) or got.shape != expected.shape:
        return f"expected {expected_kind} {expected.shape}, got {got.dtype.str} {got.shape}"
    result = from_bf16(got) if kind == "bf16" else got.astype(wide)
    if limit == 0:
        return "" if np.array_equal(result, expected) else "other integers"
    magnitude = np.einsum(subscripts, *map(np.abs, wide_arrays))
    error = np.max(np.abs(result - expected) - limit * magnitude, initial=0)
    return "" if error <= 0 else f"an error of {error}"


def run(tool, folder, subscripts, shapes, dtype, rng):
    source, kind, wide, limit = TYPES[dtype]
    arrays = [make(rng, shape, source) for shape in shapes]
    paths = [f"{folder}/{i}.npy" for i in range(len(arrays))]
    for path, array in zip(paths, arrays):
        np.save(path, array)
    command = [tool, f"--einsum={subscripts}", f"--operands={json.dumps(shapes)}",
               f"--dtype={dtype}", "--inputs=" + ",".join(paths),
               f"--output={folder}/out.npy", "--device=emulator", "--verify"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip()
    return compare(subscripts, arrays, np.load(f"{folder}/out.npy"), kind, wide, limit)


def main():
    tool, folder = sys.argv[1:3]
    rng = np.random.default_rng(0)
    failures = 0
    for dtype in sys.argv[3:]:
        forms = FORMS if dtype == "f32" else FORMS[:1] + FORMS[2:3] + FORMS[6:7]
        for subscripts, shapes in forms:
            message = run(tool, folder, subscripts, shapes, dtype, rng)
            failures += message != ""
            print(f"{subscripts!r} {dtype}: {message or 'agrees'}")
    print(f"{failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
