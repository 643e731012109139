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
            "--emit=package", "-o", path,
        ]  # fmt: skip
        _compile(command)
        with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        (self.entry,) = manifest["entries"]
        self.dtype = DTYPES[dtype]
        self.shape = self.entry["arguments"][-1]["shape"]
        self.library = ctypes.CDLL(os.path.join(path, "lib", f"lib{manifest['package']}.so"))
        runtime = ctypes.CDLL(os.path.join(path, "lib", "libtc-runtime.so"))
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
        getattr(self.library, f"{self.entry['symbol']}_workspace_size")(ctypes.byref(size))
        if size.value == 0:
            return ctypes.c_void_p(None), ctypes.c_size_t(0)
        self.room = np.empty(size.value + 256, np.uint8)
        aligned = (self.room.ctypes.data + 255) & ~255
        return ctypes.c_void_p(aligned), size


def _compile(command):
    """For the CPU alone, tuned for this one."""
    run = subprocess.run(
        [*command, "--chips=none", "--host-cpu=native"], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        run = _compile_for_both(command)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip() or f"tc-compile: exit status {run.returncode}")


def _compile_for_both(command):
    """The same where tc-compile has no package for a CPU alone."""
    llc = subprocess.run(
        ["/usr/lib/llvm-22/bin/llc", "--version"], capture_output=True, text=True, check=True
    )
    (cpu,) = (l.split(":")[1].strip() for l in llc.stdout.splitlines() if "Host CPU" in l)
    return subprocess.run(
        [*command, "--chips=sm_80", f"--host-cpu={cpu}"],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, TC_PTXAS="/nowhere"),
    )
