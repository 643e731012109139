#!/usr/bin/env python3
"""Compiles CUDA programs to PTX and checks what their kernels compute.

NAME.py beside NAME.cu has `run(program)`, which launches kernels and compares
with NumPy. It may have, too:
  FLAGS       options for the compiler (a list, or a dictionary by compiler)
  COMPILERS   those that can compile it, ("nvcc", "clang") without it
  MINIMUM     the lowest sm_ number it needs, 80 without it
  ARCHITECTURE  what it is compiled for in any case, as "90a"
"""

import argparse
import ctypes
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

import driver
import floats
import numpy as np


class Mismatch(Exception):
    """A result that differs from the reference."""


class Program:
    """One module on one device."""

    def __init__(self, library, ptx):
        self.library, self.ptx = library, ptx
        self.random = np.random.default_rng(1)
        self.context = driver.Context(library, ptx)
        self.unset = {}

    # Launches.

    def empty(self, shape, dtype):
        """An array that the next launch gets without content."""
        array = np.zeros(shape, dtype)
        self.unset[id(array)] = array
        return array

    def launch(self, kernel, grid, block, *arguments, shared=0):
        """Runs a kernel. Arrays are copied to the device and back; scalars and
        records are passed by value."""
        grid, block = _three(grid), _three(block)
        addresses, packed = [], []
        function = self.context.function(kernel)
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                address = self.context.allocate(argument.nbytes)
                addresses.append((address, argument))
                if self.unset.pop(id(argument), None) is None:
                    self.context.upload(address, argument)
                packed.append(driver.pointer_bytes(address))
            else:
                packed.append(np.asarray(argument).tobytes())
        self.context.launch(function, grid, block, shared, packed)
        for address, argument in addresses:
            self.context.download(argument, address)
            self.context.release(address)

    def output(self, kernel, grid, block, *arguments, **options):
        """What a kernel prints."""
        sys.stdout.flush()
        saved = os.dup(1)
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), 1)
            try:
                self.launch(kernel, grid, block, *arguments, **options)
            finally:
                # Drivers print through C's stdout.
                ctypes.CDLL(None).fflush(None)
                os.dup2(saved, 1)
                os.close(saved)
            file.seek(0)
            return file.read().decode()

    def fails(self, code, kernel, grid, block, *arguments, text="", **options):
        """Expects a launch to end with that CUDA error and `text` on stderr."""
        sys.stderr.flush()
        saved = os.dup(2)
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), 2)
            try:
                self.launch(kernel, grid, block, *arguments, **options)
                got = "CUDA_SUCCESS"
            except driver.DriverError as error:
                got = error.name
            finally:
                os.dup2(saved, 2)
                os.close(saved)
            file.seek(0)
            reported = file.read().decode()
        self.context.close()
        self.context = driver.Context(self.library, self.ptx)
        if got != code:
            raise Mismatch(f"'{kernel}': expected {code}, got {got}: {reported}")
        if text not in reported:
            raise Mismatch(f"'{kernel}': expected '{text}' in '{reported}'")

    def variable(self, name, dtype):
        """The value of a variable of the module, as a flat array."""
        address, size = self.context.variable(name)
        array = np.zeros(size // np.dtype(dtype).itemsize, dtype)
        self.context.download(array, address)
        return array

    def set_variable(self, name, array):
        address, size = self.context.variable(name)
        if size != array.nbytes:
            raise Mismatch(f"'{name}': expected {array.nbytes} bytes, got {size}")
        self.context.upload(address, np.ascontiguousarray(array))

    # Checks. A label says which result it is.

    def equal(self, label, got, want):
        """Bit for bit, but any NaN equals any other."""
        got, want = np.asarray(got), np.asarray(want)
        same = got == want
        if got.dtype.kind == "f":
            same = same & (np.signbit(got) == np.signbit(want))
            same |= np.isnan(got) & np.isnan(want)
        _require(label, same, got, want)

    def near(self, label, got, want, relative=0.0, absolute=0.0):
        got, want = np.asarray(got), np.asarray(want)
        with np.errstate(invalid="ignore"):
            error = np.abs(got.astype(np.float64) - want)
        bound = absolute + relative * np.abs(want)
        _require(label, (error <= bound) | (got == want), got, want)

    def within_ulps(self, label, got, want, bound):
        """`want` is of a wider type than `got`."""
        distance = floats.ulps(got, want)
        _require(label, distance <= bound, got, want, distance)


def _three(extents):
    extents = (extents,) if isinstance(extents, int) else tuple(extents)
    return extents + (1,) * (3 - len(extents))


def _require(label, same, got, want, distance=None):
    if got.shape != np.broadcast_shapes(got.shape, want.shape):
        raise Mismatch(f"{label}: expected shape {want.shape}, got {got.shape}")
    if np.all(same):
        return
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    wanted = np.broadcast_to(want, got.shape)[index]
    apart = "" if distance is None else f" ({distance[index]:.2f} ulp away)"
    raise Mismatch(
        f"{label}{list(index)}: expected {wanted!r}, got {got[index]!r}{apart};"
        f" {np.count_nonzero(~same)} of {same.size} differ"
    )


def compile_to_ptx(compiler, arch, source, flags, output):
    if compiler == "nvcc":
        command = ["nvcc", "-ptx", f"-arch=sm_{arch}", "-std=c++17", "-lineinfo"]
        if not shutil.which("g++"):
            command += ["-ccbin", "clang++-22", "-allow-unsupported-compiler"]
    else:
        root = pathlib.Path(shutil.which("nvcc")).resolve().parent.parent
        command = ["clang-22", "-x", "cuda", f"--cuda-gpu-arch=sm_{arch}", "-O2"]
        command += ["--cuda-device-only", f"--cuda-path={root}", "-S", "-std=c++17"]
        command += ["-Wno-unknown-cuda-version", f"-I{root}/include/cccl"]
        # Where the toolkit has no cuRAND.
        command += ["-idirafter", str(pathlib.Path(__file__).with_name("without-curand"))]
    subprocess.run([*command, *flags, str(source), "-o", str(output)], check=True)


def load_description(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flags_of(description, compiler):
    flags = getattr(description, "FLAGS", [])
    return flags.get(compiler, []) if isinstance(flags, dict) else flags


def run_program(library, path, description, compiler, arch, options):
    output = pathlib.Path(options.folder, f"{path.stem}.{compiler}.{arch}.ptx")
    if not (options.reuse and output.exists()):
        flags = flags_of(description, compiler)
        compile_to_ptx(compiler, arch, path.with_suffix(".cu"), flags, output)
    ptx = output.read_text(encoding="utf-8")
    if library is None:
        return
    program = Program(library, ptx)
    try:
        description.run(program)
    finally:
        program.context.close()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="the driver to open")
    parser.add_argument("--folder", required=True, help="where the PTX goes")
    parser.add_argument("--target", action="append", help="COMPILER:SM, many times")
    parser.add_argument("--reuse", action="store_true", help="take PTX that is there")
    parser.add_argument("--compile-only", action="store_true", help="run nothing")
    parser.add_argument("--trace", action="store_true", help="show where it failed")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    os.makedirs(arguments.folder, exist_ok=True)
    library = None if arguments.compile_only else driver.Driver(arguments.library)
    passed = failed = 0
    for path in arguments.programs:
        description = load_description(path)
        for target in arguments.target or ["nvcc:90"]:
            compiler, arch = target.split(":")
            if compiler not in getattr(description, "COMPILERS", ("nvcc", "clang")):
                continue
            arch = str(max(int(arch), getattr(description, "MINIMUM", 80)))
            arch = getattr(description, "ARCHITECTURE", arch)
            try:
                run_program(library, path, description, compiler, arch, arguments)
                passed += 1
            except (Mismatch, driver.DriverError, subprocess.CalledProcessError) as e:
                failed += 1
                print(f"{path.stem} ({compiler} sm_{arch}): {e}", flush=True)
                if arguments.trace:
                    traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
