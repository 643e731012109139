"""Einsums of arrays in the host's memory: NumPy decides types and layouts, a kernel
computes."""

from __future__ import annotations

import collections
from typing import Any, Optional, Sequence

import numpy

from ._kernels import HostCall, host_call
from ._numpy import Diagonal, Options, dtype_name, extents_of, plan, take_diagonal
from ._problem import Operand, is_row_major, make_problem, memory_order, place, walked_labels
from ._subscripts import ResolvedTerms

__all__ = ["Ready", "calls", "common_dtype", "contract"]

# How many einsums went which way: "kernel", "empty" (nothing to add up), "view", and
# "numpy: TYPE" (handed over, since tc has no such element type).
calls: collections.Counter[str] = collections.Counter()

# Before NumPy 2 the type of a result may depend on the values of numbers.
_KEEPS_TYPES = int(numpy.__version__.partition(".")[0]) >= 2


class Ready:
    """A call for arrays of the types, shapes and strides of an earlier one."""

    __slots__ = ("_run", "_copies", "_shape", "_axes", "_dtype")

    def __init__(
        self, call: HostCall, operands: Sequence[Operand], result: numpy.ndarray
    ) -> None:
        self._run = call.run
        copies = [operand.copy for operand in operands]
        self._copies = copies if any(copies) else None
        # A new array is made as it lies, and then transposed.
        axes = sorted(range(result.ndim), key=lambda axis: -result.strides[axis])
        self._shape = tuple(result.shape[axis] for axis in axes)
        self._axes = None if axes == sorted(axes) else tuple(numpy.argsort(axes))
        self._dtype = result.dtype

    def __call__(self, arrays: Sequence[numpy.ndarray], out: Optional[numpy.ndarray]) -> Any:
        """The result; None where the kernel refuses, as of an array out of line."""
        result = numpy.empty(self._shape, self._dtype) if out is None else out
        if self._copies is not None:
            pairs = zip(arrays, self._copies)
            arrays = [array if copy is None else copy(array) for array, copy in pairs]
        pointers = [array.ctypes.data for array in arrays]
        if self._run(*pointers, result.ctypes.data):
            return None
        calls["kernel"] += 1
        if out is not None:
            return out
        if self._axes is not None:
            return result.transpose(self._axes)
        return result if self._shape else result[()]


def common_dtype(
    terms: ResolvedTerms, arrays: Sequence[numpy.ndarray], options: Options
) -> numpy.dtype:
    """The type in which products and sums are taken. Raises what numpy.einsum would."""
    return plan(_take_diagonals(terms, arrays), terms, options)[1]


def contract(
    terms: ResolvedTerms,
    arrays: Sequence[numpy.ndarray],
    options: Options,
    optimize: bool,
) -> tuple[Optional[numpy.ndarray], numpy.dtype, Optional[Ready]]:
    """The result (options.out where that is given), the type of its sums, and, where
    the next call of its kind has nothing to find out, that call. No result where tc has
    no such element type. Raises what numpy.einsum would."""
    diagonals = _take_diagonals(terms, arrays)
    result, dtype = plan(diagonals, terms, options)
    name = dtype_name(dtype)
    if name is None or result.dtype.kind not in "biufc":
        return None, dtype, None
    extents = extents_of(diagonals)
    if 0 in extents.values():
        calls["empty"] += 1
        result[...] = 0
        return result, dtype, None
    walked = walked_labels(diagonals)
    operands = [
        place(array, term, diagonal, walked, dtype)
        for array, term, diagonal in zip(arrays, terms.inputs, diagonals)
    ]
    inputs = [operand.array for operand in operands]
    # An `out` may be larger than the operands are: it then repeats what they give.
    axes = [axis for axis in memory_order(result) if extents[terms.output[axis]] != 1]
    written = "".join(terms.output[axis] for axis in axes)
    subscripts = (*(operand.term for operand in operands), written)
    problem = make_problem(subscripts, tuple(extents.items()), name)
    call = host_call(problem, optimize)
    calls["kernel"] += 1
    if _takes(result, axes, dtype, inputs, options):
        call(*inputs, result)
        is_ready = _KEEPS_TYPES or all(array.ndim or array.dtype == dtype for array in arrays)
        return result, dtype, Ready(call, operands, result) if is_ready else None
    target = numpy.empty([result.shape[axis] for axis in axes], dtype)
    call(*inputs, target)
    ordered = target.transpose(numpy.argsort(axes))
    whole = ordered.reshape([extents[label] for label in terms.output])
    numpy.copyto(result, whole, casting="unsafe")  # which the plan has allowed
    return result, dtype, None


def _take_diagonals(terms: ResolvedTerms, arrays: Sequence[numpy.ndarray]) -> list[Diagonal]:
    pairs = enumerate(zip(arrays, terms.inputs))
    return [take_diagonal(array, term, number) for number, (array, term) in pairs]


def _takes(
    result: numpy.ndarray,
    axes: Sequence[int],
    dtype: numpy.dtype,
    inputs: Sequence[numpy.ndarray],
    options: Options,
) -> bool:
    """Whether a kernel that writes these dimensions can write the result itself."""
    if result.dtype != dtype or len(axes) != len(memory_order(result)):
        return False
    if options.out is not None:
        if any(numpy.may_share_memory(result, array) for array in inputs):
            return False
    return is_row_major(result, axes)
