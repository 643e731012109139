"""The short way of a call: NumPy arrays that are just what the kernel was compiled for.

Anything else, wrong or only unusual, goes the long way (`_call`), which says what is
wrong.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy

from . import _dtypes
from ._library import Library, check
from ._signature import Argument
from ._workspace import on_host


class _Plan:
    """What one array has to be."""

    def __init__(self, argument: Argument) -> None:
        self.dtype = _dtypes.to_numpy(argument.dtype)
        self.shape = argument.shape
        self.is_static = all(isinstance(extent, int) for extent in argument.shape)
        size = self.dtype.itemsize
        # None: without gaps, which NumPy knows of each array.
        self.strides: Optional[tuple[int, ...]] = None
        if not argument.is_row_major:
            self.strides = tuple(int(stride) * size for stride in argument.strides)
        self.offset = int(argument.offset) * size


class Quick:
    """Calls of one einsum on NumPy arrays."""

    def __init__(self, library: Library) -> None:
        self._cpu = library.cpu
        self._plans = [_Plan(argument) for argument in library.signature.arguments]
        self._parameters = library.signature.parameters
        self._result = self._plans[-1]
        self._workspace = 0 if self._parameters else library.workspace_bytes((), on_cpu=True)

    def run(self, arrays: tuple[Any, ...], out: Any) -> Optional[Any]:
        """The result; None where the long way has to be taken."""
        known: dict[str, int] = {}
        pointers = []
        for plan, array in zip(self._plans, arrays):
            if not _fits(plan, array, known):
                return None
            pointers.append(array.ctypes.data - plan.offset)
        result = self._result
        if out is None:
            if result.strides is not None:
                return None
            shape = tuple([known[e] if isinstance(e, str) else e for e in result.shape])
            out = numpy.empty(shape, result.dtype)
        elif not _fits(result, out, known) or not out.flags.writeable:
            return None
        pointers.append(out.ctypes.data - result.offset)
        # Of a size that would have to be asked for, the runtime allocates it.
        pointers += [known[name] for name in self._parameters]
        size = self._workspace
        address, _memory = on_host(size) if size else (None, None)
        check(self._cpu(*pointers, address, size))
        return out


def _fits(plan: _Plan, array: Any, known: dict[str, int]) -> bool:
    if type(array) is not numpy.ndarray or array.dtype != plan.dtype:
        return False
    if not (array.flags.c_contiguous if plan.strides is None else array.strides == plan.strides):
        return False
    shape = array.shape
    if plan.is_static:
        return shape == plan.shape
    if len(shape) != len(plan.shape):
        return False
    for extent, got in zip(plan.shape, shape):
        if isinstance(extent, str):
            extent = known.setdefault(extent, got)
        if extent != got:
            return False
    return True


def make(library: Library) -> Optional[Quick]:
    """None for functions of a file, and for types that NumPy does not have."""
    signature = library.signature
    if not signature.is_einsum or any(
        a.dtype in _dtypes.EXTENSIONS for a in signature.arguments
    ):
        return None
    return Quick(library)
