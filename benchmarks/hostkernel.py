"""A program as tc compiles it for this machine's CPU, called through ctypes."""

import ctypes
import json
import os
import subprocess

import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}


class _Package:
    """The CPU function of a package that is made at `path`; `program` says of what."""

    def __init__(self, build, path, program, stdin=None):
        command = [
            os.path.join(build, "bin", "tc-compile"), *program, "--chips=none",
            "--host-cpu=native", "--emit=package", "-o", path,
        ]  # fmt: skip
        run = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(run.stderr.strip() or f"tc-compile: exit status {run.returncode}")
        with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        (self.entry,) = manifest["entries"]
        self.library = ctypes.CDLL(os.path.join(path, "lib", f"lib{manifest['package']}.so"))
        runtime = ctypes.CDLL("libtc-runtime.so")  # the one that the package has loaded
        self.last_error = runtime.tcLastError
        self.last_error.restype = ctypes.c_char_p
        self.function = getattr(self.library, f"{self.entry['symbol']}_cpu")
        self.workspace = self._make_workspace()

    def _call(self, arrays):
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
        status = self.function(*pointers, *self.workspace)
        if status != 0:
            raise RuntimeError(f"status {status}: {self.last_error().decode()}")

    def _make_workspace(self):
        size = ctypes.c_size_t()
        getattr(self.library, f"{self.entry['symbol']}_cpu_workspace_size")(ctypes.byref(size))
        if size.value == 0:
            return ctypes.c_void_p(None), ctypes.c_size_t(0)
        self.room = np.empty(size.value + 256, np.uint8)
        aligned = (self.room.ctypes.data + 255) & ~255
        return ctypes.c_void_p(aligned), size


class HostKernel(_Package):
    """An einsum, in a package that is made below `folder`."""

    def __init__(self, build, folder, name, einsum, sizes, dtype):
        program = [
            f"--einsum={einsum}", f"--sizes={sizes}", f"--dtype={dtype}", f"--name={name}",
            "--order=optimal",
        ]  # fmt: skip
        super().__init__(build, os.path.join(folder, f"{name}-{dtype}"), program)
        self.dtype = DTYPES[dtype]
        self.shape = self.entry["arguments"][-1]["shape"]

    def __call__(self, *operands, out=None):
        """The result, in `out` or in a new array. Operands are row-major."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        self._call((*operands, out))
        return out


class HostFunction(_Package):
    """A function on memrefs of static shapes, given as MLIR, in a package at `path`."""

    def __init__(self, build, path, text):
        super().__init__(build, path, ["-"], stdin=text)

    def __call__(self, *arrays):
        """Runs the function on row-major arrays, one for each memref."""
        self._call(arrays)
