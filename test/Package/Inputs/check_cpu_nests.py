"""Nests on the CPU against NumPy: vectors, tiles and tasks of odd extents.

    check_cpu_nests.py FOLDER CPU...

Values are small whole numbers, so that results have to be equal."""

import os
import subprocess
import sys

import numpy as np
from package import NUMPY, Package

TYPES = {"c64": "complex<f32>", "c128": "complex<f64>"}
# Numbers that NumPy does not have are moved as their bits.
BITS = {"bf16": np.uint16}
EXTENTS = [(0, 5), (5, 0), (1, 1), (1, 1009), (331, 1), (131, 257), (64, 192), (512, 96), (38, 4500)]
MOVED = ["f32", "f64", "f16", "bf16", "i1", "i8", "c64", "c128"]


def memref(shape, dtype):
    return f"memref<{'x'.join(map(str, [*shape, TYPES.get(dtype, dtype)]))}>"


def function(name, arrays, body):
    """MLIR of a function of `arrays`, pairs of a shape and a type, called %a, %b, ..."""
    names = "abcdefg"[: len(arrays)]
    types = {n: memref(*array) for n, array in zip(names, arrays)}
    arguments = ", ".join(f"%{n}: {t}" for n, t in types.items())
    for n, t in types.items():
        body = body.replace(f"@{n}", t)
    return f"func.func @{name}({arguments}) {{\n{body}\n  return\n}}\n"


def zero(dtype):
    part = {"c64": "f32", "c128": "f64"}.get(dtype)
    if part:
        return f"complex.constant [0.0 : {part}, 0.0 : {part}] : {TYPES[dtype]}"
    return f"arith.constant {'0' if dtype[0] == 'i' else '0.0'} : {dtype}"


def transposed(m, n, dtype):
    body = f"""
  tc.par (%i, %j) = (0, 0) to ({m}, {n}) {{
    %x = memref.load %a[%i, %j] : @a
    memref.store %x, %b[%j, %i] : @b
  }}"""
    return [((m, n), dtype), ((n, m), dtype)], body, lambda a, _: a.T


def backwards(m, n, dtype):
    body = f"""
  tc.par (%i, %j) = (0, 0) to ({m}, {n}) {{
    %k = affine.apply affine_map<(d0) -> ({m - 1} - d0)>(%i)
    %l = affine.apply affine_map<(d0) -> ({n - 1} - d0)>(%j)
    %x = memref.load %a[%k, %l] : @a
    memref.store %x, %b[%i, %j] : @b
  }}"""
    return [((m, n), dtype)] * 2, body, lambda a, _: a[::-1, ::-1]


def in_place(m, n, dtype):
    add = "complex.add" if dtype[0] == "c" else "arith.addi" if dtype[0] == "i" else "arith.addf"
    body = f"""
  tc.par (%j, %i) = (0, 0) to ({n}, {m}) {{
    %x = memref.load %a[%i, %j] : @a
    %y = {add} %x, %x : {TYPES.get(dtype, dtype)}
    memref.store %y, %a[%i, %j] : @a
  }}"""
    return [((m, n), dtype)], body, lambda a: a + a


def recurrence(m, n, dtype):
    """Each element is what came before it in its column, modulo 64, plus the input."""
    body = f"""
  %zero = {zero(dtype)}
  %small = arith.constant 63 : {dtype}
  tc.par (%j) = (0) to ({n}) {{
    tc.seq (%i) = (0) to ({m}) init(%s = %zero : {dtype}) {{
      %x = memref.load %a[%i, %j] : @a
      %r = arith.andi %s, %small : {dtype}
      %t = arith.addi %r, %x : {dtype}
      memref.store %t, %b[%i, %j] : @b
      tc.yield %t : {dtype}
    }}
  }}"""

    def compute(a, b):
        b = b.copy()
        s = np.zeros(n, a.dtype)
        for i in range(m):
            s = (s & 63) + a[i]
            b[i] = s
        return b

    return [((m, n), dtype)] * 2, body, compute


def scan(m, n, dtype):
    body = f"""
  %zero = {zero(dtype)}
  tc.par (%j) = (0) to ({n}) {{
    tc.scan (%i) = (0) to ({m}) init(%zero : {dtype}) exclusive {{
      %x = memref.load %a[%i, %j] : @a
      tc.yield %x : {dtype}
    }} combine (%x: {dtype}, %y: {dtype}) {{
      %s = arith.addf %x, %y : {dtype}
      tc.yield %s : {dtype}
    }} finish (%i: index, %s: {dtype}) {{
      memref.store %s, %b[%i, %j] : @b
    }}
  }}"""
    return [((m, n), dtype)] * 2, body, lambda a, _: np.cumsum(a, axis=0) - a


def sums_of_planes(m, n, dtype):
    """The sums of the columns of planes, each by its number, added to what is there: columns have
    ops of their own before the loop, in it and behind it."""
    body = f"""
  tc.par (%p, %j) = (0, 0) to (3, {n}) {{
    %k = arith.index_cast %j : index to i32
    %w = arith.sitofp %k : i32 to {dtype}
    %old = memref.load %b[%p, %j] : @b
    %s = tc.seq (%i) = (0) to ({m}) init(%t = %old : {dtype}) {{
      %x = memref.load %a[%p, %i, %j] : @a
      %y = arith.mulf %x, %w : {dtype}
      %u = arith.addf %t, %y : {dtype}
      tc.yield %u : {dtype}
    }}
    %r = arith.addf %s, %w : {dtype}
    memref.store %r, %b[%p, %j] : @b
  }}"""

    def compute(a, b):
        number = np.arange(n).astype(b.dtype)
        return b + number * a.sum(1) + number

    return [((3, m, n), dtype), ((3, n), dtype)], body, compute


def first_largest(m, n, dtype):
    """Of each column the largest element, and where it is first."""
    body = f"""
  %low = arith.constant -9.0 : {dtype}
  %none = arith.constant -1 : i32
  tc.par (%j) = (0) to ({n}) {{
    tc.reduce (%i) = (0) to ({m}) init(%low : {dtype}, %none : i32) {{
      %x = memref.load %a[%i, %j] : @a
      %k = arith.index_cast %i : index to i32
      tc.yield %x, %k : {dtype}, i32
    }} combine (%x: {dtype}, %k: i32, %y: {dtype}, %l: i32) {{
      %less = arith.cmpf olt, %x, %y : {dtype}
      %z = arith.select %less, %y, %x : {dtype}
      %at = arith.select %less, %l, %k : i32
      tc.yield %z, %at : {dtype}, i32
    }} finish (%x: {dtype}, %k: i32) {{
      memref.store %k, %b[%j] : @b
    }}
  }}"""

    def compute(a, _):
        return a.argmax(0) if m else np.full(n, -1)

    return [((m, n), dtype), ((n,), "i32")], body, compute


def gathered(m, n, dtype):
    body = f"""
  tc.par (%j, %i) = (0, 0) to ({n}, {m}) {{
    %k = memref.load %b[%i] : @b
    %r = arith.index_cast %k : i32 to index
    %x = memref.load %a[%r, %j] : @a
    memref.store %x, %c[%i, %j] : @c
  }}"""
    arrays = [((m, n), dtype), ((m,), "i32"), ((m, n), dtype)]
    return arrays, body, lambda a, b, _: a[b]


def histogram(m, n, dtype):
    """Iterations in several tasks update one element."""
    body = f"""
  %one = arith.constant 1 : {dtype}
  %small = arith.constant 3 : {dtype}
  tc.par (%i, %j) = (0, 0) to ({m}, {n}) {{
    %x = memref.load %a[%i, %j] : @a
    %k = arith.andi %x, %small : {dtype}
    %at = arith.index_cast %k : {dtype} to index
    %old = memref.atomic_rmw addi %one, %b[%at] : ({dtype}, memref<4x{dtype}>) -> {dtype}
  }}"""

    def compute(a, b):
        return b + np.bincount(a.ravel() & 3, minlength=4).astype(b.dtype)

    return [((m, n), dtype), ((4,), dtype)], body, compute


def softmax(m, n, dtype):
    """Of rows in which all elements but the first are so small that they become 0."""
    body = f"""
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %far = arith.constant 200.0 : f32
  tc.par (%i) = (0) to ({m}) {{
    %most = tc.seq (%j) = (0) to ({n}) init(%s = %low : f32) {{
      %x = memref.load %a[%i, %j] : @a
      %t = arith.maximumf %s, %x : f32
      tc.yield %t : f32
    }}
    %sum = tc.seq (%j) = (0) to ({n}) init(%s = %zero : f32) {{
      %x = memref.load %a[%i, %j] : @a
      %d = arith.subf %x, %most : f32
      %w = arith.mulf %d, %far : f32
      %e = math.exp %w : f32
      memref.store %e, %b[%i, %j] : @b
      %t = arith.addf %s, %e : f32
      tc.yield %t : f32
    }}
    tc.par (%j) = (0) to ({n}) {{
      %e = memref.load %b[%i, %j] : @b
      %p = arith.divf %e, %sum : f32
      memref.store %p, %b[%i, %j] : @b
    }}
  }}"""

    def compute(a, b):
        largest = a == a.max(1, keepdims=True) if n else b
        return (largest / np.maximum(largest.sum(1, keepdims=True), 1)).astype(np.float32)

    return [((m, n), "f32")] * 2, body, compute


NESTS = [
    *((nest, dtype) for nest in (transposed, backwards) for dtype in MOVED),
    *((in_place, dtype) for dtype in ("f32", "f16", "i64", "c64")),
    *((recurrence, dtype) for dtype in ("i8", "i32", "i64")),
    *((scan, dtype) for dtype in ("f32", "f64")),
    *((sums_of_planes, dtype) for dtype in ("f32", "f64")),
    *((first_largest, dtype) for dtype in ("f32", "f64", "f16")),
    *((gathered, dtype) for dtype in ("f32", "c128")),
    (histogram, "i32"),
    (softmax, "f32"),
]


def write_cases():
    """(name, MLIR, arrays, what NumPy computes) of each nest and extent."""
    for number, (nest, dtype) in enumerate(NESTS):
        for at, extents in enumerate(EXTENTS):
            arrays, body, compute = nest(*extents, dtype)
            name = f"{nest.__name__}_{number}_{at}"
            yield name, function(name, arrays, body), arrays, compute


def fill(rng, shape, dtype):
    numpy = BITS.get(dtype) or NUMPY[dtype]
    values = rng.integers(0, 4, shape)
    if dtype[0] == "c":
        values = values + 1j * rng.integers(0, 4, shape)
    return values.astype(numpy)


def check(folder, cpu, cases):
    path = os.path.join(folder, cpu)
    with open(path + ".mlir", "w") as file:
        file.write("".join(text for _, text, _, _ in cases))
    command = ["tc-compile", path + ".mlir", "--emit=package", "--chips=none"]
    command += ["--package-name=cpu_nests", f"--host-cpu={cpu}"]
    subprocess.run([*command, "-o", path], check=True)
    runtime = None
    rng = np.random.default_rng(3)
    for name, _, arrays, compute in cases:
        package = Package(path, runtime, name)
        runtime = package.runtime
        given = [fill(rng, *array) for array in arrays]
        if "gathered" in name:
            given[1] %= max(1, min(4, len(given[0])))
        expected = compute(*given)
        got = package.run_cpu(given)[-1]
        if not np.array_equal(got, expected):
            sys.exit(f"{name} for {cpu}: {arrays}: expected\n{expected}\ngot\n{got}")
    print(f"{cpu}: {len(cases)} nests")


def check_dynamic(folder, cpu):
    """A transposition and a recurrence whose extents are known when they run."""
    runtime = None
    path = os.path.join(folder, f"dynamic-{cpu}")
    source = os.path.join(os.path.dirname(__file__), "cpu_nests.mlir")
    command = ["tc-compile", source, "--emit=package", "--chips=none", "--package-name=dynamic"]
    subprocess.run([*command, f"--host-cpu={cpu}", "-o", path], check=True)
    for name, compute in (("transpose", lambda a: a.T), ("sums", lambda a: np.cumsum(a, 0))):
        for m, n in [*EXTENTS, (3000, 77), (2, 70000)]:
            package = Package(path, runtime, name)
            runtime = package.runtime
            a = np.random.default_rng(5).integers(0, 4, (m, n)).astype(np.float32)
            expected = compute(a)
            sizes = [*a.shape, *expected.shape]
            extents = {p["name"]: e for p, e in zip(package.entry["parameters"], sizes)}
            b = np.full(expected.shape, 77, np.float32)
            got = package.run_cpu([a, b], extents)[-1]
            if not np.array_equal(got, expected):
                sys.exit(f"{name} of {m} by {n} for {cpu}: expected\n{expected}\ngot\n{got}")
    print(f"{cpu}: dynamic nests")


def check_exponentials(folder, cpu):
    """Functions of f32 are off by at most what docs/Accuracy.md says, subnormals included."""
    count = 1 << 20
    path = os.path.join(folder, f"exponentials-{cpu}")
    body = f"""
  tc.par (%i) = (0) to ({count}) {{
    %x = memref.load %a[%i] : @a
    %y = math.exp %x : f32
    memref.store %y, %b[%i] : @b
  }}"""
    with open(path + ".mlir", "w") as file:
        file.write(function("exponentials", [((count,), "f32")] * 2, body))
    command = ["tc-compile", path + ".mlir", "--emit=package", "--chips=none"]
    subprocess.run([*command, f"--host-cpu={cpu}", "-o", path], check=True)
    x = np.linspace(-104, 88.7, count).astype(np.float32)
    got = Package(path).run_cpu([x, np.empty_like(x)])[-1].astype(np.float64)
    expected = np.exp(x.astype(np.float64))
    error = np.max(np.abs(got - expected) / np.spacing(expected.astype(np.float32)))
    ends = np.resize(np.array([np.inf, -np.inf, np.nan, 0, 89, -105], np.float32), count)
    limits = Package(path).run_cpu([ends, np.empty_like(x)])[-1][:6]
    print(f"{cpu}: exp is off by at most {error:.1f} units, at the ends {limits}")


def main(folder, *cpus):
    cases = list(write_cases())
    for cpu in cpus:
        check(folder, cpu, cases)
        check_dynamic(folder, cpu)
        check_exponentials(folder, cpu)


if __name__ == "__main__":
    main(*sys.argv[1:])
