"""Calls of C functions that take the addresses of NumPy arrays, at the least cost."""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
import importlib.util
import struct
import sys
from typing import Any, Callable, Optional, Sequence

import numpy

from .. import _tools
from .._errors import ToolError

__all__ = ["address_of", "call_of", "native"]

# NumPy's C interface fixes what an array object begins with: the head of any object, and a
# pointer to the first element. `array.ctypes.data` is the same number, but makes an object
# or two for it, which takes longer than a small kernel.
_DATA = object.__basicsize__
_place = ctypes.c_void_p.from_address


def _has_fields() -> bool:
    """Is it so? Another interpreter than CPython may have objects of another kind."""
    array = numpy.empty(4)[1:]
    return _place(id(array) + _DATA).value == array.ctypes.data


_HAS_FIELDS = sys.implementation.name == "cpython" and _has_fields()


def address_of(array: numpy.ndarray) -> int:
    """The address of element [0, ..., 0]."""
    return (_place(id(array) + _DATA).value or 0) if _HAS_FIELDS else array.ctypes.data


@functools.lru_cache(maxsize=1)
def native() -> Optional[Any]:
    """The extension module tc_invoke beside the runtime library. None where it was not built,
    or is not for this Python."""
    suffix = ".abi3.so"  # which interpreters with objects of another kind do not take
    if not _HAS_FIELDS or suffix not in importlib.machinery.EXTENSION_SUFFIXES:
        return None
    try:
        path = _tools.find_runtime(None).with_name("tc_invoke" + suffix)
        loader = importlib.machinery.ExtensionFileLoader("tc_invoke", str(path))
        spec = importlib.machinery.ModuleSpec("tc_invoke", loader, origin=str(path))
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except (ImportError, ToolError):
        return None
    return module


def call_of(
    function: Any, tail: Sequence[Optional[int]]
) -> Optional[Callable[[Sequence[numpy.ndarray], numpy.ndarray], int]]:
    """`call(arrays, result)`, which calls the function of ctypes with the addresses of the
    arrays and of the result and with `tail`, and gives its status. None where addresses
    are not to be had at once."""
    if not _HAS_FIELDS:
        return None
    module = native()
    if module is not None and len(function.argtypes) <= module.MOST:
        address = ctypes.cast(function, ctypes.c_void_p).value
        words = struct.pack(f"{1 + len(tail)}q", address, *(word or 0 for word in tail))
        return functools.partial(module.invoke, words)
    kinds = function.argtypes[len(function.argtypes) - len(tail) :]
    converted = [kind(word) for kind, word in zip(kinds, tail)]

    def call(arrays: Sequence[numpy.ndarray], result: numpy.ndarray) -> int:
        places = [_place(id(array) + _DATA) for array in arrays]
        return function(*places, _place(id(result) + _DATA), *converted)

    return call
