"""The call of a kernel that has nothing left to find out: NumPy arrays of the types, shapes
and strides of an earlier call."""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional, Sequence

import numpy
from numpy import empty, ndarray

from .._library import Library
from ._invoke import address_of, call_of
from ._workspace import on_host

__all__ = ["Bound", "key_of"]


def key_of(
    head: tuple[Any, ...], arrays: Sequence[Any], out: Any
) -> Optional[tuple[Any, ...]]:
    """What a bound call is kept by: `head`, which says what is called, and what its arrays
    are. None where one of them is not plainly NumPy's."""
    key = head
    for array in arrays:
        if type(array) is not ndarray:
            return None
        key += array.dtype, array.shape, array.strides
    if out is not None:
        if type(out) is not ndarray or not out.flags.writeable:
            return None
        key += "out", out.dtype, out.shape, out.strides
    return key


class Bound:
    """A kernel on the CPU with its parameters and workspace, and with the making of its
    result.

    parameters: extents, strides and offsets that only a call knows.
    offsets: bytes from the pointer that the function takes to the first element, of each
        array, the result last; none: 0.
    copies: what makes of each operand the array that the kernel takes; None: nothing.
    shape, dtype: of a new result as it lies in memory, row-major.
    finish: makes of that array what the caller gets; none: nothing.
    """

    __slots__ = (
        "_function",
        "_parameters",
        "_bytes",
        "_call",
        "_offsets",
        "_copies",
        "_shape",
        "_dtype",
        "_finish",
    )

    def __init__(
        self,
        library: Library,
        parameters: tuple[int, ...],
        shape: tuple[int, ...],
        dtype: numpy.dtype,
        offsets: Sequence[int] = (),
        copies: Sequence[Optional[Callable[[numpy.ndarray], numpy.ndarray]]] = (),
        finish: Optional[Callable[[numpy.ndarray], Any]] = None,
    ) -> None:
        self._function: Callable[..., int] = library.cpu
        self._parameters = parameters
        self._bytes = library.workspace_bytes(parameters, on_cpu=True)
        self._offsets = offsets if any(offsets) else None
        self._copies = copies if any(copies) else None
        is_plain = not (self._offsets or self._bytes)
        self._call = call_of(library.cpu, (*parameters, None, 0)) if is_plain else None
        self._shape = shape
        self._dtype = dtype
        self._finish = finish

    def __call__(self, arrays: Sequence[numpy.ndarray], out: Optional[numpy.ndarray]) -> Any:
        """The result; None where the kernel refuses, as of an array out of line: whoever
        asked says why."""
        result = empty(self._shape, self._dtype) if out is None else out
        if self.run(arrays, result):
            return None
        return result if out is not None or self._finish is None else self._finish(result)

    def run(self, arrays: Sequence[numpy.ndarray], result: numpy.ndarray) -> int:
        """Writes the result, and gives a tcStatus."""
        if self._copies is not None:
            pairs = zip(arrays, self._copies)
            arrays = [array if copy is None else copy(array) for array, copy in pairs]
        if self._call is not None:
            return self._call(arrays, result)
        pointers = map(address_of, (*arrays, result))
        if self._offsets is not None:
            pointers = map(operator.sub, pointers, self._offsets)
        if not self._bytes:
            return self._function(*pointers, *self._parameters, None, 0)
        place, _room = on_host(self._bytes)  # which stays until the call is done
        return self._function(*pointers, *self._parameters, place, self._bytes)
