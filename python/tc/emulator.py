"""Runs, checks and counts CUDA kernels (PTX) on the CPU.

    from tc.emulator import Emulator

    x = numpy.arange(1000, dtype="f4")
    y = numpy.ones(1000, dtype="f4")
    module = Emulator().module(open("axpy.ptx").read())
    report = module.launch("axpy", grid=4, block=256, args=[1000, 2.0, x, y])
    print(report["findings"])  # [] when nothing is wrong; y has the result

The library is libtc-cuda-emulator.so: as the environment's TC_EMULATOR_LIBRARY
names it, or in lib/ of this package as it is installed, or beside the package's folder
in lib/ or build/lib/, or as the dynamic linker finds it. Only ctypes and NumPy are needed.
"""

import ctypes
import json
import os
import pathlib

import numpy

__all__ = ["Buffer", "Emulator", "EmulatorError", "Module"]

_NAME = "libtc-cuda-emulator.so"
_ERROR = 1  # TC_EMU_ERROR; TC_EMU_FAULT is told by the report


class EmulatorError(RuntimeError):
    """A call was refused: malformed PTX, a launch that no GPU would take, misuse."""


def _candidates():
    chosen = os.environ.get("TC_EMULATOR_LIBRARY")
    if chosen:
        return [chosen]
    package = pathlib.Path(__file__).resolve().parent
    root = package.parents[1]
    folders = [package / "lib", root / "lib", root / "build" / "lib"]
    return [str(f / _NAME) for f in folders if (f / _NAME).exists()] + [_NAME]


def _open(path):
    library = ctypes.CDLL(path or _candidates()[0])
    handle, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    three, place = ctypes.c_uint32 * 3, ctypes.POINTER
    for name, result, arguments in (
        ("tcEmuLastError", text, []),
        ("tcEmuCreate", handle, []),
        ("tcEmuDestroy", None, [handle]),
        ("tcEmuSet", int, [handle, text, text]),
        ("tcEmuLoad", int, [handle, text, place(handle)]),
        ("tcEmuUnload", int, [handle]),
        ("tcEmuParameters", int, [handle, text, place(size), size, place(size)]),
        ("tcEmuAllocate", int, [handle, size, place(ctypes.c_uint64)]),
        ("tcEmuFree", int, [handle, ctypes.c_uint64]),
        ("tcEmuCopyIn", int, [handle, ctypes.c_uint64, handle, size]),
        ("tcEmuCopyOut", int, [handle, handle, ctypes.c_uint64, size]),
        (
            "tcEmuLaunch",
            int,
            [handle, text, three, three, ctypes.c_uint32, place(handle), size],
        ),
        ("tcEmuReport", text, [handle]),
        ("tcEmuClearReport", None, [handle]),
    ):
        function = getattr(library, name)
        function.restype = ctypes.c_int if result is int else result
        function.argtypes = arguments
    return library


def _extents(value):
    """(x, y, z) from a number or up to three of them."""
    values = (value,) if isinstance(value, (int, numpy.integer)) else tuple(value)
    if not 1 <= len(values) <= 3:
        raise EmulatorError(f"expected one to three extents, got {value!r}")
    return (ctypes.c_uint32 * 3)(*values, *(1,) * (3 - len(values)))


class Buffer:
    """Device memory with the shape and type of an array. It lives until `free`, or
    as long as its emulator."""

    def __init__(self, emulator, shape, dtype):
        self._emulator = emulator
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = numpy.dtype(dtype)
        address = ctypes.c_uint64()
        emulator._call("tcEmuAllocate", emulator._handle, self.nbytes, address)
        self.address = address.value

    @property
    def nbytes(self):
        """The size in bytes."""
        return int(numpy.prod(self.shape, dtype=numpy.int64)) * self.dtype.itemsize

    def write(self, array):
        """Copies an array of the same size and type to the device."""
        array = numpy.ascontiguousarray(array, dtype=self.dtype)
        if array.nbytes != self.nbytes:
            raise EmulatorError(f"expected {self.nbytes} bytes, got {array.nbytes}")
        self._copy("tcEmuCopyIn", self.address, array.ctypes.data)
        return self

    def numpy(self):
        """A copy of what the device has."""
        array = numpy.empty(self.shape, self.dtype)
        self._copy("tcEmuCopyOut", array.ctypes.data, self.address)
        return array

    def free(self):
        """Gives the memory back; a kernel that uses it from then on is at fault."""
        self._emulator._call("tcEmuFree", self._emulator._handle, self.address)

    def _copy(self, call, to, source):
        self._emulator._call(call, self._emulator._handle, to, source, self.nbytes)


class Module:
    """The kernels of one PTX text."""

    def __init__(self, emulator, ptx):
        self._emulator = emulator
        self._handle = ctypes.c_void_p()
        text = ptx if isinstance(ptx, bytes) else ptx.encode()
        emulator._call("tcEmuLoad", emulator._handle, text, self._handle)

    def parameters(self, kernel):
        """The sizes of a kernel's parameters, in bytes."""
        call, count = self._emulator._call, ctypes.c_size_t()
        call("tcEmuParameters", self._handle, kernel.encode(), None, 0, count)
        sizes = (ctypes.c_size_t * count.value)()
        call("tcEmuParameters", self._handle, kernel.encode(), sizes, len(sizes), count)
        return list(sizes)

    def launch(self, kernel, grid, block, args=(), shared=0):
        """Runs a kernel and returns its report: a dict with what ran, `findings`, and
        `counters` where these were asked for.

        An argument is a `Buffer`; an array, which is copied to the device before and
        back after the kernel; a number, which takes the size of its parameter; or
        `bytes` of that size, for a struct.
        """
        sizes = self.parameters(kernel)
        if len(args) != len(sizes):
            raise EmulatorError(
                f"kernel '{kernel}': expected {len(sizes)} arguments, got {len(args)}"
            )
        emulator, arrays = self._emulator, []
        try:
            values = [self._pack(*pair, arrays) for pair in zip(args, sizes)]
            places = (ctypes.c_void_p * len(values))(
                *(ctypes.cast(value, ctypes.c_void_p) for value in values)
            )
            emulator._library.tcEmuClearReport(emulator._handle)
            emulator._call(
                "tcEmuLaunch",
                self._handle,
                kernel.encode(),
                _extents(grid),
                _extents(block),
                shared,
                places,
                len(values),
            )
            for array, buffer in arrays:
                if array.flags.writeable:
                    array[...] = buffer.numpy().reshape(array.shape)
        finally:
            for _, buffer in arrays:
                buffer.free()
        report = emulator.report()
        return {**report["launches"][0], "findings": report["findings"]}

    def _pack(self, value, size, arrays):
        """One argument as the bytes of its parameter."""
        if isinstance(value, numpy.ndarray) and value.ndim > 0:
            buffer = self._emulator.buffer(value)
            arrays.append((value, buffer))
            value = buffer
        if isinstance(value, Buffer):
            value = value.address
        if isinstance(value, bytes):
            packed = value
        elif isinstance(value, numpy.generic):
            packed = value.tobytes()
        elif isinstance(value, float):
            packed = numpy.array(value, f"f{size}").tobytes() if size in (2, 4, 8) else b""
        else:
            packed = (int(value) % (1 << (8 * size))).to_bytes(size, "little")
        if len(packed) != size:
            raise EmulatorError(
                f"expected an argument of {size} bytes, got {len(packed)}: {value!r}"
            )
        return ctypes.create_string_buffer(packed, size)


class Emulator:
    """A device with memory and options of its own. Options are those of
    docs/Sanitize.md, with `_` for `-`: `Emulator(checks="all", schedule="random:7",
    sample_blocks=16, count=True)`. All checks are on unless said otherwise."""

    def __init__(self, library=None, **options):
        self._handle = None
        self._library = _open(library)
        self._handle = self._library.tcEmuCreate()
        if not self._handle:
            raise EmulatorError(self._library.tcEmuLastError().decode())
        for name, value in options.items():
            self.set(name, value)

    def __del__(self):
        if self._handle:
            self._library.tcEmuDestroy(self._handle)

    def set(self, name, value):
        """Sets an option for the launches to come."""
        text = str(int(value)) if isinstance(value, bool) else str(value)
        option = name.replace("_", "-").encode()
        self._call("tcEmuSet", self._handle, option, text.encode())

    def module(self, ptx):
        """Reads PTX text. Refuses what the emulator does not cover, with its line."""
        return Module(self, ptx)

    def empty(self, shape, dtype):
        """Device memory that nobody has written: to read it is a finding."""
        return Buffer(self, shape, dtype)

    def buffer(self, array):
        """Device memory with a copy of an array."""
        array = numpy.asarray(array)
        return Buffer(self, array.shape, array.dtype).write(array)

    def report(self):
        """What was launched and found since the last launch began."""
        return json.loads(self._library.tcEmuReport(self._handle))

    def _call(self, name, *arguments):
        if getattr(self._library, name)(*arguments) == _ERROR:
            raise EmulatorError(self._library.tcEmuLastError().decode())
