"""Devices of the runtime: streams of others, and memory for them."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from typing import Any, Iterator

from . import _library
from ._library import check

_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...
# Those that tc-compile knows, by compute capability, as benchmarks name them.
_CHIPS = {75: "sm_75", 80: "sm_80", 86: "sm_86", 89: "sm_89", 90: "sm_90a", 100: "sm_100a"}
_CHIPS[120] = "sm_120"

_lock = threading.Lock()
_devices: dict[int, "Device"] = {}


def device(number: int) -> "Device":
    """The CUDA device of this number, of the driver that TC_DRIVER says: NVIDIA's, or
    the emulator where there is none. It stays open."""
    with _lock:
        if number not in _devices:
            _devices[number] = Device(number)
        return _devices[number]


class Device:
    """An open device. Streams are the handles of CUDA as numbers; 0 is the default
    stream."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._runtime = _library.runtime()
        self._handle = ctypes.c_void_p()
        check(self._runtime.tcDeviceOpen(None, None, number, ctypes.byref(self._handle)))

    def _call(self, name: str, *arguments: Any) -> None:
        check(getattr(self._runtime, name)(self._handle, *arguments))

    @property
    def chip(self) -> str:
        """What to compile for: the chip of its compute capability, else the nearest
        older one that runs on it."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("tcDeviceAttribute", _MAJOR, ctypes.byref(major))
        self._call("tcDeviceAttribute", _MINOR, ctypes.byref(minor))
        capability = 10 * major.value + minor.value
        if capability in _CHIPS:
            return _CHIPS[capability]
        older = [c for c, chip in _CHIPS.items() if c < capability and chip[-1].isdigit()]
        return _CHIPS[max(older, default=75)]

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """Its context is current inside: default streams are then those of it."""
        self._call("tcDeviceEnter")
        try:
            yield
        finally:
            self._call("tcDeviceLeave")

    def wait(self, stream: int, other: int) -> None:
        """What comes on `stream` begins when what `other` has so far is done."""
        self._call("tcStreamWait", ctypes.c_void_p(stream), ctypes.c_void_p(other))

    def synchronize(self, stream: int) -> None:
        """Waits for all that the stream was given."""
        self._call("tcStreamSynchronize", ctypes.c_void_p(stream))

    def allocate(self, size: int, stream: int) -> int:
        """Memory for work that `stream` is given from now on."""
        address = ctypes.c_uint64()
        at = ctypes.byref(address)
        self._call("tcAllocateOn", ctypes.c_size_t(max(size, 1)), ctypes.c_void_p(stream), at)
        return address.value

    def free(self, address: int, stream: int) -> None:
        """Frees what `allocate` gave, after all that `stream` has so far."""
        self._call("tcFreeOn", ctypes.c_uint64(address), ctypes.c_void_p(stream))

    def copy_in(self, address: int, source: int, size: int) -> None:
        """Copies from the host, and is done when it returns."""
        self._call(
            "tcCopyIn", ctypes.c_uint64(address), ctypes.c_void_p(source), ctypes.c_size_t(size)
        )

    def copy_out(self, to: int, address: int, size: int) -> None:
        """Copies to the host, and is done when it returns."""
        self._call(
            "tcCopyOut", ctypes.c_void_p(to), ctypes.c_uint64(address), ctypes.c_size_t(size)
        )

    def tensor(self, code: int, bits: int, shape: tuple[int, ...]) -> int:
        """The address of a new DLManagedTensor."""
        tensor = ctypes.c_void_p()
        extents = (ctypes.c_int64 * len(shape))(*shape)
        self._call("tcTensorCreate", code, bits, len(shape), extents, ctypes.byref(tensor))
        return tensor.value or 0


def number_of(address: int) -> int:
    """The device whose memory an address is in; -1 for the host."""
    number = ctypes.c_int()
    device(0)._call("tcAddressDevice", ctypes.c_uint64(address), ctypes.byref(number))
    return number.value
