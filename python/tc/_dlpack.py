"""DLPack through ctypes: arrays of any library, and memory for any library.

The structures are those of https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from . import _dtypes
from ._arrays import CPU, Buffer, row_major
from ._device import Device

HOST, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_ON_HOST = (HOST, CUDA_HOST)
_READ_ONLY = 1
_TYPES = {
    **{f"i{bits}": (0, bits) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (1, bits) for bits in (8, 16, 32, 64)},
    **{f"f{bits}": (2, bits) for bits in (16, 32, 64)},
    "bf16": (4, 16),
    "f8e4m3": (10, 8),
    "f8e5m2": (12, 8),
    "c64": (5, 64),
    "c128": (5, 128),
    "i1": (6, 8),
}
_NAMES = {kind: name for name, kind in _TYPES.items()}


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("rank", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("owner", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("owner", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


def _python(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_capsule_name = _python("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
_capsule_pointer = _python(
    "PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p
)
_rename_capsule = _python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_new_capsule = _python(
    "PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)
_is_capsule = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_dying_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
# A capsule keeps the pointers to its names.
_KINDS: dict[bytes, tuple[Any, bytes]] = {
    b"dltensor": (_Managed, b"used_dltensor"),
    b"dltensor_versioned": (_Versioned, b"used_dltensor_versioned"),
}
_NAME = b"dltensor"


class _Owner:
    """Holds what a capsule had, and gives it back with the last reference."""

    def __init__(self, address: int, deleter: int) -> None:
        self._address = address
        self._delete = _Deleter(deleter) if deleter else None

    def __del__(self) -> None:
        if self._delete is not None:
            self._delete(self._address)


def device_of(array: Any) -> int:
    """The CUDA device of an array that has `__dlpack_device__`, or CPU."""
    kind, number = array.__dlpack_device__()
    if int(kind) in _ON_HOST:
        return CPU
    if int(kind) in (CUDA, CUDA_MANAGED):
        return int(number)
    raise TypeError(
        f"expected an array on the CPU or on a CUDA device, got one of DLPack's type {kind}"
    )


def view(array: Any, stream: Optional[int]) -> Buffer:
    """An array that has `__dlpack__`. Its library makes `stream` wait for it; None for
    the CPU."""
    options = {} if stream is None else {"stream": stream or 1}  # 0 is not allowed.
    try:
        capsule = array.__dlpack__(max_version=(1, 0), **options)
    except TypeError:  # A library from before DLPack 1.0.
        capsule = array.__dlpack__(**options)
    return _read(capsule)


def _read(capsule: Any) -> Buffer:
    if type(capsule).__name__ != "PyCapsule":
        raise TypeError(f"expected a capsule of DLPack, got {type(capsule).__name__}")
    name = _capsule_name(capsule)
    if name not in _KINDS:
        raise TypeError(f"expected a capsule of DLPack that is not used yet, got {name!r}")
    structure, used = _KINDS[name]
    address = _capsule_pointer(capsule, name)
    managed = structure.from_address(address)
    if structure is _Versioned and managed.major > 1:
        raise TypeError(f"expected DLPack 1.x, got {managed.major}.{managed.minor}")
    _rename_capsule(capsule, used)
    owner = _Owner(address, managed.deleter)
    is_read_only = structure is _Versioned and bool(managed.flags & _READ_ONLY)
    return _describe(managed.tensor, is_read_only, owner)


def _describe(tensor: _Tensor, is_read_only: bool, owner: Any) -> Buffer:
    kind = (tensor.dtype.code, tensor.dtype.bits)
    if kind not in _NAMES or tensor.dtype.lanes != 1:
        raise TypeError(
            f"expected an element type of {', '.join(_TYPES)}, got DLPack's code {kind[0]} of "
            f"{kind[1]} bits and {tensor.dtype.lanes} lanes"
        )
    shape = tuple(tensor.shape[: tensor.rank])
    strides = tuple(tensor.strides[: tensor.rank]) if tensor.strides else row_major(shape)
    device = CPU if tensor.device.type in _ON_HOST else tensor.device.number
    pointer = (tensor.data or 0) + tensor.byte_offset
    return Buffer(pointer, shape, strides, _NAMES[kind], device, is_read_only, owner)


class DeviceArray:
    """A result in memory of a device, for libraries that nobody here knows: they look
    at it through `__cuda_array_interface__`, or take it through `__dlpack__`, once. Kernels
    take it as it is.

    `stream` is the one that writes it.
    """

    def __init__(self, device: Device, shape: tuple[int, ...], dtype: str, stream: int) -> None:
        self.device = device
        self.shape = shape
        self.dtype = dtype
        self.stream = stream
        self._address: Optional[int] = device.tensor(*_TYPES[dtype], shape)
        self.pointer = _Managed.from_address(self._address).tensor.data or 0

    def __repr__(self) -> str:
        extents = ", ".join(map(str, self.shape))
        return f"<tc.DeviceArray {self.dtype}[{extents}] on device {self.device.number}>"

    def __del__(self) -> None:
        address = getattr(self, "_address", None)
        if address is not None:
            _Deleter(_Managed.from_address(address).deleter)(address)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._address is None:
            raise AttributeError("the array was given away by __dlpack__")
        return {
            "shape": self.shape,
            "typestr": _dtypes.to_numpy(self.dtype).str,
            "data": (self.pointer, False),
            "strides": None,
            "version": 3,
            "stream": self.stream or 1,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CUDA, self.device.number)

    def __dlpack__(
        self,
        *,
        stream: Optional[int] = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        """Gives the memory away, once."""
        if copy:
            raise BufferError("expected to share memory: this array makes no copies")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"expected the device {self.__dlpack_device__()}, got {dl_device}")
        if self._address is None:
            raise BufferError("the array was given away before")
        if stream != -1:
            self.device.wait(1 if stream is None else stream, self.stream or 1)
        address, self._address = self._address, None
        return _new_capsule(address, _NAME, ctypes.cast(_free_unused, ctypes.c_void_p))

    def buffer(self) -> Buffer:
        """The same as an argument of a kernel."""
        if self._address is None:
            raise ValueError("the array was given away by __dlpack__")
        strides = row_major(self.shape)
        return Buffer(
            self.pointer, self.shape, strides, self.dtype, self.device.number, False, self
        )


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _free_unused(capsule: int) -> None:
    """The destructor of a capsule: deletes the tensor that nobody took. The capsule is
    an address here, as an object it would live again."""
    if _is_capsule(capsule, _NAME):
        address = _dying_pointer(capsule, _NAME)
        _Deleter(_Managed.from_address(address).deleter)(address)
