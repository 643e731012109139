"""CUDA kernels that others wrote, described by a small JSON file (README.md): source,
PTX or cubin, and for each launch the grid, the block and the arguments."""

import ctypes
import json
import os
import shutil
import subprocess
import tempfile

import numpy

from ..bundle import digest
from ..contenders import SCALARS, Contender, Missing, PreparedLaunches, Unsupported
from ..driver import DriverError
from .libraries import open_library

_NAMES = {"problem", "dtype", "source", "ptx", "cubin", "options", "launches"}
_NAMES |= {"temporaries", "variables"}


class CudaKernels(Contender):
    """All kernels of one file."""

    def __init__(self, path, libraries):
        self.path, self.libraries = path, libraries
        self.folder = os.path.dirname(os.path.abspath(path))
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.content = json.loads(text)
            self.name = self.content["name"]
            self.kernels = {(k["problem"], k["dtype"]): k for k in self.content["kernels"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: expected a description of kernels: {error!r}") from error
        self.version = digest(text.encode())[:12]
        for kernel in self.content["kernels"]:
            self._check(kernel)

    def _check(self, kernel):
        if unknown := sorted(set(kernel) - _NAMES):
            raise ValueError(f"{self.path}: expected names {sorted(_NAMES)}, got '{unknown[0]}'")
        if sum(form in kernel for form in ("source", "ptx", "cubin")) != 1:
            raise ValueError(f"{self.path}: expected one of source, ptx and cubin for each kernel")
        for launch in kernel["launches"]:
            for argument in launch["arguments"]:
                kind = next(iter(argument), None)
                if len(argument) != 1 or kind not in ("argument", "temporary", *SCALARS):
                    raise ValueError(
                        f"{self.path}: expected an argument, a temporary or a number of "
                        f"{', '.join(SCALARS)}, got {argument}"
                    )

    def find(self, driver):
        return self.version

    def prepare(self, driver, problem, sets):
        kernel = self.kernels.get((problem.name, problem.dtype))
        if kernel is None:
            raise Unsupported("is not described")
        image = self._read_image(kernel, driver.capability)
        temporaries = [
            self._read(part) if isinstance(part, str) else part
            for part in kernel.get("temporaries", [])
        ]
        variables = {name: self._read(file) for name, file in kernel.get("variables", {}).items()}
        sizes = [len(part) if isinstance(part, bytes) else part for part in temporaries]
        try:
            module = driver.load(image)
            for name, content in variables.items():
                place, size = module.variable(name)
                if len(content) > size:
                    raise Unsupported(
                        f"expected at most {size} bytes for '{name}', got {len(content)}"
                    )
                write(driver, place, content)
            prepared = PreparedLaunches(driver, module, kernel | {"temporaries": sizes}, sets)
        except DriverError as error:
            raise Unsupported(f"the driver refuses the kernel: {error}") from error
        for place, content in zip(prepared.temporaries, temporaries):
            if isinstance(content, bytes):
                write(driver, place, content)
        return prepared

    def _read(self, name):
        """The bytes of a file beside the description."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        except OSError as error:
            raise Unsupported(str(error)) from error

    def _read_image(self, kernel, capability):
        form = next(form for form in ("source", "ptx", "cubin") if form in kernel)
        content = self._read(kernel[form])
        if form != "source":
            return content
        path = os.path.join(self.folder, kernel[form])
        return compile_source(content, path, capability, kernel.get("options", []), self.libraries)


def write(driver, place, content):
    """Copies bytes to the device."""
    driver.write(place, numpy.frombuffer(content, numpy.uint8))


def compile_source(content, path, capability, options, libraries):
    """PTX, by NVRTC or nvcc, whichever is found."""
    options = [f"--gpu-architecture=compute_{capability}", *options]
    try:
        nvrtc = open_library("nvrtc", libraries)
    except Missing:
        return _compile_by_nvcc(path, options)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    name = os.path.basename(path).encode()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), content, name, 0, None, None)
    texts = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    failed = nvrtc.nvrtcCompileProgram(program, len(options), texts)
    part = "ProgramLog" if failed else "PTX"
    getattr(nvrtc, f"nvrtcGet{part}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{part}")(program, text)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        raise Unsupported(f"NVRTC: {text.value.decode(errors='replace').strip()}")
    return text.value


def _compile_by_nvcc(path, options):
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None:
        raise Unsupported("neither libnvrtc.so nor nvcc is found")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "kernel.ptx")
        run = subprocess.run(
            [nvcc, "--ptx", *options, "-o", output, path],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise Unsupported(f"nvcc: {run.stderr.strip()}")
        with open(output, "rb") as file:
            return file.read()
