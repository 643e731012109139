"""What XLA calls on the CPU for `tc.jax.einsum`: a handler of its foreign function interface.

It knows nothing of an einsum but what the call says (subscripts as an attribute; types,
shapes and addresses of buffers), so what XLA compiled and kept serves other processes, too.
The structures are those of XLA's C interface (xla/ffi/api/c_api.h), version 0.x."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Sequence

import jax
import numpy

from .. import _compile, _dtypes
from .._einsum import einsum, prefetch

__all__ = ["TARGET", "ready"]

TARGET = "tc_einsum"
_EXECUTE = 3  # the stage of a call in which buffers have their contents
_METADATA = 1  # the extension by which XLA asks for the version
_VERSION = (0, 1)  # the first that has all that is used here
_INTERNAL = 13  # the code of an error of ours

# By the numbers of XLA's element types.
_DTYPES = {
    1: "i1",
    2: "i8",
    3: "i16",
    4: "i32",
    5: "i64",
    6: "u8",
    7: "u16",
    8: "u32",
    9: "u64",
    10: "f16",
    11: "f32",
    12: "f64",
    15: "c64",
    16: "bf16",
    18: "c128",
    19: "f8e5m2",
    20: "f8e4m3",
}

_Memory = ctypes.c_char * sys.maxsize  # any, of which an array takes its part

_HEAD: list[tuple[str, Any]] = [("struct_size", c_size_t), ("extensions", c_void_p)]


class _Extension(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("type", c_int), ("next", c_void_p)]


class _Version(ctypes.Structure):
    _fields_ = [*_HEAD, ("major", c_int), ("minor", c_int)]


class _Metadata(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("version", _Version), ("traits", ctypes.c_uint32)]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("base", _Extension), ("metadata", POINTER(_Metadata))]


class _Buffer(ctypes.Structure):
    _fields_ = [
        *_HEAD,
        ("dtype", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("dims", POINTER(c_int64)),
    ]


class _Text(ctypes.Structure):
    _fields_ = [("start", c_void_p), ("size", c_size_t)]


class _Values(ctypes.Structure):
    """Operands or results."""

    _fields_ = [
        *_HEAD,
        ("size", c_int64),
        ("types", c_void_p),
        ("buffers", POINTER(POINTER(_Buffer))),
    ]


class _Attributes(ctypes.Structure):
    _fields_ = [
        *_HEAD,
        ("size", c_int64),
        ("types", c_void_p),
        ("names", c_void_p),
        ("values", POINTER(POINTER(_Text))),
    ]


class _Error(ctypes.Structure):
    _fields_ = [*_HEAD, ("message", c_char_p), ("code", c_int)]


class _Api(ctypes.Structure):
    _fields_ = [
        *_HEAD,
        ("version", _Version),
        ("internal", c_void_p),
        ("create_error", ctypes.CFUNCTYPE(c_void_p, POINTER(_Error))),
    ]


class _CallFrame(ctypes.Structure):
    _fields_ = [
        *_HEAD,
        ("api", POINTER(_Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("operands", _Values),
        ("results", _Values),
        ("attributes", _Attributes),
    ]


def ready(subscripts: str, shapes: Sequence[tuple[int, ...]], dtype: Any) -> None:
    """Compiles the kernel for row-major arrays of these shapes, the result last."""
    *arrays, out = [numpy.empty(shape, dtype) for shape in shapes]
    if _is_numpy(out.dtype):
        prefetch(subscripts, arrays, out)
    else:
        _compile.compile(subscripts, *arrays, result_dtype=out.dtype)


def _compute(subscripts: str, arrays: list[numpy.ndarray], out: numpy.ndarray) -> None:
    if _is_numpy(out.dtype):
        einsum(subscripts, *arrays, out=out, optimize=True)
    else:
        kernel = _compile.compile(subscripts, *arrays, result_dtype=out.dtype)
        kernel(*arrays, out=out)


def _is_numpy(dtype: numpy.dtype) -> bool:
    """Whether NumPy's rules of types know it: not those of bfloat16 and floats of 8 bits."""
    return _dtypes.of_numpy(dtype) not in _dtypes.EXTENSIONS


def _array(buffer: _Buffer) -> numpy.ndarray:
    shape = tuple(buffer.dims[: buffer.rank])
    dtype = _dtypes.to_numpy(_DTYPES[buffer.dtype])
    if 0 in shape:
        return numpy.empty(shape, dtype)
    memory: Any = _Memory.from_address(buffer.data)
    return numpy.ndarray(shape, dtype, memory)


def _call(frame: _CallFrame) -> None:
    text = frame.attributes.values[0].contents  # There is one attribute.
    operands, results = frame.operands, frame.results
    _compute(
        ctypes.string_at(text.start, text.size).decode(),
        [_array(operands.buffers[n].contents) for n in range(operands.size)],
        _array(results.buffers[0].contents),
    )


def _tell_version(extension: _MetadataExtension) -> None:
    version = extension.metadata.contents.version
    version.major, version.minor = _VERSION


@ctypes.CFUNCTYPE(c_void_p, POINTER(_CallFrame))
def _handler(pointer: Any) -> Any:
    """Gives null, or an error that XLA made."""
    frame = pointer.contents
    try:
        if frame.extensions:
            extension = _MetadataExtension.from_address(frame.extensions)
            if extension.base.type == _METADATA:
                _tell_version(extension)
                return None
        if frame.stage == _EXECUTE:
            _call(frame)
        return None
    except BaseException as error:  # Nothing may pass through XLA but as its error.
        text = f"{type(error).__name__}: {error}".encode()
        args = _Error(ctypes.sizeof(_Error), None, text, _INTERNAL)
        return frame.api.contents.create_error(args)


def _capsule(function: Any) -> Any:
    make: Callable[..., Any] = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (c_void_p, c_char_p, c_void_p)  # type: ignore[attr-defined]
    return make(ctypes.cast(function, c_void_p), None, None)


jax.ffi.register_ffi_target(TARGET, _capsule(_handler), platform="cpu")
