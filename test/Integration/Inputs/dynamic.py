"""One compiled function with run-time extents and strides, at many of them.

dynamic.py --folder=F [--sets=N] [--seed=S] CASE...

Each case is a function on memrefs of run-time layout, compiled once to a shared
library (host code with its kernels) and called at every set of extents and
strides on the emulator, with all of its checks. The results are compared with
NumPy in float64.
"""

import argparse
import ctypes
import os
import random
import subprocess
import sys

import numpy

# name: einsum, whether the old result is added to, and a schedule if not the default.
CASES = {
    "dot": ("a,a->", True),
    "matvec": ("ab,b->a", False),
    "matmul": ("ik,kj->ij", False),
    "batched": ("bik,bkj->bij", False),
    "outer": ("a,b->ba", False),
    "reduce": ("abc->b", True),
    "transpose": ("abcd->dbca", False),
    "rank4": ("abcd,dceb->ae", True),
    "sd": ("aciq,qbjk->abcijk", False),
    "split": ("a,a->", True, "thread = [a = 8], step = [a = 8], split = [a = 5]"),
    "split2": ("iqr,rqj->ij", False, "thread = [i = 8, j = 8], split = [q = 2, r = 3]"),
    "tiles": ("a,b->ba", False, "thread = [a = 64], register = [a = 4, b = 8]"),
}
# Extents that each case meets among others.
EXTENTS = [0, 1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 33, 64, 65, 128, 129, 131, 256]


def memref(rank):
    """The type of an array of this rank, of which nothing else is known."""
    if rank == 0:
        return "memref<f32, strided<[], offset: ?>>"
    strides = ", ".join("?" * rank)
    return f"memref<{'?x' * rank}f32, strided<[{strides}], offset: ?>>"


def write_program(name):
    """A function that takes the operands and the extents of all labels."""
    einsum, accumulates, *schedule = CASES[name]
    inputs, output = einsum.split("->")
    inputs = inputs.split(",")
    labels = sorted(set("".join(inputs)))
    operands = [*inputs, output]
    arguments = [f"%m{i}: {memref(len(o))}" for i, o in enumerate(operands)]
    arguments += [f"%{label}: index" for label in labels]
    uses = [
        f"%m{i}[{', '.join(o)}] : {memref(len(o))}" for i, o in enumerate(operands)
    ]
    attributes = "".join(
        f" {{schedule = #tc.schedule<{factors}, kernel = fma>}}" for factors in schedule
    )
    return (
        f"func.func @{name}({', '.join(arguments)}) {{\n"
        f"  tc.contract ({', '.join(f'{label} = %{label}' for label in labels)})\n"
        f"      ins({', '.join(uses[:-1])})\n"
        f"      outs({uses[-1]}) {'' if accumulates else 'overwrite'}{attributes}\n"
        f"  return\n}}\n"
    )


def compile_program(name, folder, options):
    """The path of the shared library with the function and its kernels."""
    stem = os.path.join(folder, name)
    with open(stem + ".mlir", "w") as file:
        file.write(write_program(name))
    passes = [f"--tc-to-nvvm={options}"] if options else ["--tc-to-nvvm"]
    commands = [
        ["tc-opt", stem + ".mlir", *passes, "-o", stem + ".llvm.mlir"],
        ["mlir-translate", "--mlir-to-llvmir", stem + ".llvm.mlir", "-o", stem + ".ll"],
        ["llc", "-filetype=obj", "-relocation-model=pic", stem + ".ll", "-o", stem + ".o"],
        ["c++", "-shared", stem + ".o", "-o", stem + ".so"],
    ]
    for command in commands:
        subprocess.run(command, check=True)
    return stem + ".so"


class Device:
    """The emulator behind the mgpu functions."""

    def __init__(self, library):
        self.mgpu = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        for name in ("mgpuMemAlloc", "mgpuStreamCreate"):
            getattr(self.mgpu, name).restype = ctypes.c_void_p
        self.mgpu.tcMgpuLastError.restype = ctypes.c_char_p
        if self.mgpu.tcMgpuOpen(b"emulator", None) != 0:
            raise RuntimeError(self.error())

    def error(self):
        return self.mgpu.tcMgpuLastError().decode()

    def copy(self, to, source, size):
        stream = ctypes.c_void_p(self.mgpu.mgpuStreamCreate())
        self.mgpu.mgpuMemcpy(
            ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(size), stream
        )
        self.mgpu.mgpuStreamSynchronize(stream)
        self.mgpu.mgpuStreamDestroy(stream)

    def allocate(self, size):
        return self.mgpu.mgpuMemAlloc(ctypes.c_uint64(size), None, ctypes.c_bool(False))

    def release(self, address):
        self.mgpu.mgpuMemFree(ctypes.c_void_p(address), None)


class Operand:
    """An array of given extents and strides, in a buffer just large enough."""

    def __init__(self, generator, extents, strides):
        self.extents, self.strides = extents, strides
        reach = [s * (n - 1) for n, s in zip(extents, strides)]
        empty = 0 in extents
        self.offset = 0 if empty else -sum(min(r, 0) for r in reach)
        elements = 0 if empty else self.offset + sum(max(r, 0) for r in reach) + 1
        # One element of another's before the array, so that offsets count.
        self.offset += 1
        self.buffer = numpy.zeros(elements + 1, "f4")
        self.buffer[:] = generator.standard_normal(elements + 1)

    def view(self, buffer):
        return numpy.lib.stride_tricks.as_strided(
            buffer[min(self.offset, len(buffer)) :],
            self.extents,
            [4 * s for s in self.strides],
        )

    def descriptor(self, address):
        words = [address, address, self.offset, *self.extents, *self.strides]
        return [ctypes.c_int64(word) for word in words]


def choose_strides(draw, extents, is_result):
    """Strides of a dense array in some order, spread, reversed or repeated."""
    order = list(range(len(extents)))
    if draw.random() < 0.5:
        draw.shuffle(order)
    strides = [0] * len(extents)
    step = draw.choice([1, 1, 1, 2, 3])
    for d in reversed(order):
        strides[d] = step
        step *= max(extents[d], 1)
        if draw.random() < 0.3:
            step += draw.randint(1, 5)
    for d in order:
        if draw.random() < 0.15:
            strides[d] = -strides[d]
        elif not is_result and draw.random() < 0.1:
            strides[d] = 0
    return strides


def choose_sets(draw, labels, count):
    """Extents of each label: some all alike, the rest mixed; small in total."""
    sets = [dict.fromkeys(labels, n) for n in (0, 1, 2, 3, 5, 7, 16)]
    for label in labels:
        sets.append({**dict.fromkeys(labels, 3), label: 0})
    while len(sets) < count:
        extents = {label: draw.choice(EXTENTS) for label in labels}
        points = numpy.prod([max(n, 1) for n in extents.values()], dtype=float)
        if points <= 1 << 18:
            sets.append(extents)
    return sets[:count]


def run_set(device, function, einsum, accumulates, extents, draw, generator):
    """Calls the function once; returns the largest error against NumPy."""
    inputs, output = einsum.split("->")
    operands = [*inputs.split(","), output]
    arrays = []
    for i, labels in enumerate(operands):
        shape = [extents[label] for label in labels]
        strides = choose_strides(draw, shape, i + 1 == len(operands))
        arrays.append(Operand(generator, shape, strides))
    addresses, words = [], []
    for array in arrays:
        address = device.allocate(array.buffer.nbytes)
        device.copy(address, array.buffer.ctypes.data, array.buffer.nbytes)
        addresses.append(address)
        words += array.descriptor(address)
    words += [ctypes.c_int64(extents[label]) for label in sorted(extents)]
    function(*words)
    result = numpy.empty_like(arrays[-1].buffer)
    device.copy(result.ctypes.data, addresses[-1], result.nbytes)
    for address in addresses:
        device.release(address)
    if device.error():
        raise RuntimeError(device.error())
    values = [a.view(a.buffer).astype("f8") for a in arrays]
    expected = numpy.einsum(einsum, *values[:-1], optimize=True)
    scale = numpy.einsum(einsum, *map(numpy.abs, values[:-1]), optimize=True)
    if accumulates:
        expected, scale = expected + values[-1], scale + abs(values[-1])
    # What is not the result's must not change.
    untouched = arrays[-1].buffer.copy()
    arrays[-1].view(untouched)[...] = 0
    found = result.copy()
    arrays[-1].view(found)[...] = 0
    if not numpy.array_equal(found, untouched):
        return numpy.inf
    terms = numpy.prod([extents[l] for l in extents if l not in output], dtype=float)
    error = abs(arrays[-1].view(result) - expected) / (terms + 2) * 2**24
    return float(numpy.max(error / numpy.maximum(scale, 1e-30), initial=0.0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--library", required=True, help="the mgpu library")
    parser.add_argument("--sets", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", default="", help="of tc-to-nvvm")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    device = Device(arguments.library)
    failed = False
    for name in arguments.cases or CASES:
        library = compile_program(name, arguments.folder, arguments.options)
        function = getattr(ctypes.CDLL(library), name)
        function.restype = None
        einsum, accumulates, *_ = CASES[name]
        draw = random.Random(f"{arguments.seed} {name}")
        generator = numpy.random.default_rng(arguments.seed)
        labels = sorted(set(einsum) - set(",->"))
        good = 0
        for extents in choose_sets(draw, labels, arguments.sets):
            error = run_set(
                device, function, einsum, accumulates, extents, draw, generator
            )
            if error < 1:
                good += 1
            else:
                failed = True
                print(f"{name}: {extents}: an error of {error}")
        print(f"{name}: {good} sets verified", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
