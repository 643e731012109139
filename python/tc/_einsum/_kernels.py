"""The kernels that einsums of arrays on the host run: which one a problem takes, and
a call of it that has nothing left to find out."""

from __future__ import annotations

import functools
import math
from typing import Callable, Optional

import numpy

from .. import _compile
from ._problem import Problem, labels_of
from .._kernel import Kernel
from .._library import check
from .._workspace import on_host

__all__ = ["HostCall", "host_call"]

# Kernels learn extents at the call, so that other sizes need no other kernel, but for
# short loops of problems of many points: to unroll them saves more than it takes to
# compile, and they are seldom of many lengths.
SMALL = 1 << 18  # points
SHORT = 16  # steps of a loop


class HostCall:
    """A kernel with its extents. It takes pointers to the inputs and to the result."""

    __slots__ = ("_function", "_extents", "_tail", "_workspace_bytes")

    def __init__(self, kernel: Kernel, extents: dict[str, int]) -> None:
        library = kernel._library
        self._function: Callable[..., int] = library.cpu
        self._extents = tuple(
            extents[name.rpartition("_")[2]] for name in library.signature.parameters
        )
        self._workspace_bytes = library.workspace_bytes(self._extents, on_cpu=True)
        self._tail = (*self._extents, None, 0)

    def run(self, *pointers: int) -> int:
        """Gives a tcStatus."""
        if not self._workspace_bytes:
            return self._function(*pointers, *self._tail)
        place, _room = on_host(self._workspace_bytes)
        return self._function(*pointers, *self._extents, place, self._workspace_bytes)

    def __call__(self, *arrays: numpy.ndarray) -> None:
        """Raises LaunchError for what the runtime refuses."""
        check(self.run(*(array.ctypes.data for array in arrays)))


@functools.lru_cache(maxsize=4096)
def host_call(problem: Problem, optimize: bool) -> HostCall:
    """`optimize`: two operands at a time, in the order of fewest operations."""
    subscripts, extents, dtype = problem
    is_small = math.prod(extents) < SMALL
    is_ordered = optimize and not is_small and subscripts.count(",") > 1
    known = tuple(
        # The best order depends on all extents.
        extent if is_ordered or (extent < SHORT and not is_small) else None
        for extent in extents
    )
    kernel = _find_kernel(subscripts, dtype, known, is_ordered)
    return HostCall(kernel, dict(zip(labels_of(subscripts), extents)))


@functools.lru_cache(maxsize=4096)
def _find_kernel(
    subscripts: str, dtype: str, extents: tuple[Optional[int], ...], is_ordered: bool
) -> Kernel:
    known = dict(zip(labels_of(subscripts), extents))
    terms = subscripts.partition("->")[0].split(",")
    return _compile.compile(
        subscripts,
        *(tuple(known[label] for label in term) for term in terms),
        dtype=dtype,
        result_dtype=dtype,
        order="optimal" if is_ordered else "as-written",
        chips=(),
    )
