"""A package from Python: its functions through ctypes, on device or host memory.

Reads the manifest, so that a test needs to know names and extents only. The
environment says which driver is used."""

import ctypes
import json
import os

import numpy as np

POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
STATUS = {
    name: code
    for code, name in {
        0: "OK", 1: "INVALID_ARGUMENT", 2: "NO_DEVICE", 3: "INVALID_IMAGE",
        7: "KERNEL_FAULT", 8: "DRIVER_ERROR", 16: "INVALID_PACKAGE",
        17: "WRONG_EXTENT", 18: "NULL_POINTER", 19: "MISALIGNED", 20: "OVERLAP",
        21: "BUFFER_TOO_SMALL", 22: "WORKSPACE", 23: "WRONG_DEVICE",
        24: "NO_VARIANT", 25: "DRIVER_TOO_OLD", 26: "NO_CPU_VERSION",
    }.items()
}  # fmt: skip
NUMPY = {
    "i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "c64": np.complex64, "c128": np.complex128, "index": np.int64,
}  # fmt: skip
SCALARS = {"f32": ctypes.c_float, "f64": ctypes.c_double, "index": ctypes.c_int64,
           "i32": ctypes.c_int32}  # fmt: skip


class Runtime:
    """The libtc-runtime of a package, with one open device."""

    def __init__(self, folder):
        path = os.path.join(folder, "lib", "libtc-runtime.so")
        self.library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.library.tcLastError.restype = ctypes.c_char_p
        self.library.tcErrorString.restype = ctypes.c_char_p
        self.device = POINTER()
        self.check(self.library.tcDeviceOpen(None, None, 0, ctypes.byref(self.device)))

    def last_error(self):
        return self.library.tcLastError().decode()

    def check(self, status):
        if status != 0:
            raise RuntimeError(f"status {status}: {self.last_error()}")

    def synchronize(self):
        self.check(self.library.tcSynchronize(self.device))

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.check(
            self.library.tcAllocate(self.device, SIZE(max(size, 1)), ctypes.byref(address))
        )
        return address.value

    def free(self, address):
        self.check(self.library.tcFree(self.device, ctypes.c_uint64(address)))

    def to_device(self, array):
        address = self.allocate(array.nbytes)
        self.check(
            self.library.tcCopyIn(
                self.device, ctypes.c_uint64(address), POINTER(array.ctypes.data),
                SIZE(array.nbytes),
            )  # fmt: skip
        )
        return address

    def to_host(self, address, array):
        self.check(
            self.library.tcCopyOut(
                self.device, POINTER(array.ctypes.data), ctypes.c_uint64(address),
                SIZE(array.nbytes),
            )  # fmt: skip
        )


class Package:
    """One package and the functions of one entry of it."""

    def __init__(self, folder, runtime=None, name=None):
        with open(os.path.join(folder, "manifest.json")) as file:
            self.manifest = json.load(file)
        (self.entry,) = [
            e for e in self.manifest["entries"] if name in (None, e["name"])
        ]
        self.runtime = runtime or Runtime(folder)
        name = f"lib{self.manifest['package']}.so"
        self.library = ctypes.CDLL(os.path.join(folder, "lib", name))

    def function(self, suffix=""):
        return getattr(self.library, self.entry["symbol"] + suffix)

    def parameters(self, extents):
        return [ctypes.c_int64(extents[p["name"]]) for p in self.entry["parameters"]]

    def workspace_size(self, extents, suffix=""):
        size = SIZE(1)
        function = self.function(suffix + "_workspace_size")
        self.runtime.check(function(*self.parameters(extents), ctypes.byref(size)))
        return size.value

    def values(self, given):
        """Pointers and scalars as the function takes them."""
        return [
            SCALARS[a["dtype"]](v) if a["kind"] == "scalar" else POINTER(v)
            for a, v in zip(self.entry["arguments"], given)
        ]

    def call(self, given, extents, workspace=0, size=0, stream=0):
        """The status of a launch on these addresses."""
        return self.function()(
            *self.values(given), *self.parameters(extents), POINTER(workspace),
            SIZE(size), POINTER(stream),
        )  # fmt: skip

    def call_cpu(self, given, extents, workspace=0, size=0):
        return self.function("_cpu")(
            *self.values(given), *self.parameters(extents), POINTER(workspace), SIZE(size)
        )

    def run(self, arrays, extents=None, call=None):
        """Runs on the device, and gives the arrays as they are after it. Those that the
        package has in host memory are copies there."""
        extents = extents or {}
        kinds = [
            "scalar" if a["kind"] == "scalar" else a["memory"] for a in self.entry["arguments"]
        ]
        arrays = [a if kind == "scalar" else a.copy() for a, kind in zip(arrays, kinds)]
        put = {
            "scalar": lambda a: a,
            "host": lambda a: a.ctypes.data,
            "device": self.runtime.to_device,
        }
        given = [put[kind](a) for a, kind in zip(arrays, kinds)]
        size = self.workspace_size(extents)
        workspace = self.runtime.allocate(size) if size else 0
        self.runtime.check((call or self.call)(given, extents, workspace, size))
        self.runtime.synchronize()
        for array, address, kind in zip(arrays, given, kinds):
            if kind == "device":
                self.runtime.to_host(address, array)
                self.runtime.free(address)
        if workspace:
            self.runtime.free(workspace)
        return arrays

    def run_cpu(self, arrays, extents=None):
        extents = extents or {}
        copies = [a if np.isscalar(a) else a.copy() for a in arrays]
        given = [a if np.isscalar(a) else a.ctypes.data for a in copies]
        size = self.workspace_size(extents, "_cpu")
        room = np.empty(size + 256, np.uint8)
        workspace = (room.ctypes.data + 255) & ~255
        self.runtime.check(self.call_cpu(given, extents, workspace, size))
        return copies
