"""An einsum as tc compiles it for this machine's CPU, called through ctypes."""

import ctypes
import json
import os
import subprocess

import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}


class HostKernel:
    """The CPU function of a package that is made below `folder`."""

    def __init__(self, build, folder, name, einsum, sizes, dtype):
        path = os.path.join(folder, f"{name}-{dtype}")
        command = [
            os.path.join(build, "bin", "tc-compile"), f"--einsum={einsum}",
            f"--sizes={sizes}", f"--dtype={dtype}", f"--name={name}", "--order=optimal",
            "--chips=none", "--host-cpu=native", "--emit=package", "-o", path,
        ]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(run.stderr.strip() or f"tc-compile: exit status {run.returncode}")
        with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        (self.entry,) = manifest["entries"]
        self.dtype = DTYPES[dtype]
        self.shape = self.entry["arguments"][-1]["shape"]
        self.library = ctypes.CDLL(os.path.join(path, "lib", f"lib{manifest['package']}.so"))
        runtime = ctypes.CDLL("libtc-runtime.so")  # the one that the package has loaded
        self.last_error = runtime.tcLastError
        self.last_error.restype = ctypes.c_char_p
        self.function = getattr(self.library, f"{self.entry['symbol']}_cpu")
        self.workspace = self._make_workspace()

    def __call__(self, *operands, out=None):
        """The result, in `out` or in a new array. Operands are row-major."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*operands, out)]
        status = self.function(*pointers, *self.workspace)
        if status != 0:
            raise RuntimeError(f"status {status}: {self.last_error().decode()}")
        return out

    def _make_workspace(self):
        size = ctypes.c_size_t()
        getattr(self.library, f"{self.entry['symbol']}_cpu_workspace_size")(ctypes.byref(size))
        if size.value == 0:
            return ctypes.c_void_p(None), ctypes.c_size_t(0)
        self.room = np.empty(size.value + 256, np.uint8)
        aligned = (self.room.ctypes.data + 255) & ~255
        return ctypes.c_void_p(aligned), size
