"""Einsums of arrays in the host's memory: NumPy decides types and layouts, a kernel
computes."""

from __future__ import annotations

import collections
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy

from .. import _compile
from .._call._bound import Bound
from .._library import check
from ._kernels import parameters_of, request_of
from ._numpy import Diagonal, Options, dtype_name, extents_of, plan, take_diagonal
from ._problem import (
    Copy,
    Problem,
    is_row_major,
    make_problem,
    memory_order,
    place,
    walked_labels,
)
from ._subscripts import ResolvedTerms

__all__ = ["Prepared", "calls", "common_dtype", "contract", "prepare"]

# How many einsums went which way: "kernel", "empty" (nothing to add up), "view", and
# "numpy: TYPE" (handed over, since tc has no such element type).
calls: collections.Counter[str] = collections.Counter()

# Before NumPy 2 the type of a result may depend on the values of numbers.
_KEEPS_TYPES = int(numpy.__version__.partition(".")[0]) >= 2


class Prepared(NamedTuple):
    """An einsum of NumPy arrays before anything is computed.

    result: `out`, or a new array without values.
    dtype: of products and sums.
    problem: None where tc has no such element type, or there is nothing to add up.
    copies: what makes of each array the one that the kernel takes; None: nothing.
    axes: dimensions of the result that the kernel writes, from the largest stride on.
    extents: of the labels of the result.
    """

    result: numpy.ndarray
    dtype: numpy.dtype
    problem: Optional[Problem] = None
    copies: Sequence[Optional[Copy]] = ()
    axes: Sequence[int] = ()
    extents: Sequence[int] = ()


def common_dtype(
    terms: ResolvedTerms, arrays: Sequence[numpy.ndarray], options: Options
) -> numpy.dtype:
    """The type in which products and sums are taken. Raises what numpy.einsum would."""
    return plan(_take_diagonals(terms, arrays), terms, options)[1]


def prepare(
    terms: ResolvedTerms, arrays: Sequence[numpy.ndarray], options: Options
) -> Prepared:
    """Looks at what the arrays are, not at what they hold. Raises what numpy.einsum would."""
    diagonals = _take_diagonals(terms, arrays)
    result, dtype = plan(diagonals, terms, options)
    name = dtype_name(dtype)
    extents = extents_of(diagonals)
    if name is None or result.dtype.kind not in "biufc" or 0 in extents.values():
        return Prepared(result, dtype)
    walked = walked_labels(diagonals)
    operands = [
        place(array, term, diagonal, walked, dtype)
        for array, term, diagonal in zip(arrays, terms.inputs, diagonals)
    ]
    # An `out` may be larger than the operands are: it then repeats what they give.
    axes = [axis for axis in memory_order(result) if extents[terms.output[axis]] != 1]
    written = "".join(terms.output[axis] for axis in axes)
    subscripts = (*(operand.term for operand in operands), written)
    return Prepared(
        result,
        dtype,
        make_problem(subscripts, extents, name),
        [operand.copy for operand in operands],
        axes,
        [extents[label] for label in terms.output],
    )


def contract(
    prepared: Prepared, arrays: Sequence[numpy.ndarray], options: Options, optimize: bool
) -> tuple[Optional[numpy.ndarray], Optional[Bound]]:
    """The result (options.out where that is given), and, where the next call of its kind
    has nothing to find out, that call. No result where tc has no such element type."""
    result, dtype, problem, copies, axes, extents = prepared
    if problem is None:
        if dtype_name(dtype) is None or result.dtype.kind not in "biufc":
            return None, None
        calls["empty"] += 1
        result[...] = 0
        return result, None
    kernel = _compile.find_or_make(request_of(problem, optimize))
    parameters = parameters_of(kernel, problem)
    calls["kernel"] += 1
    # A new array is made as it lies, and then transposed.
    order = sorted(range(result.ndim), key=lambda axis: -result.strides[axis])
    shape = tuple(result.shape[axis] for axis in order)
    bound = Bound(kernel._library, parameters, shape, dtype, (), copies, _finish_of(order))
    if _takes(result, axes, dtype, arrays, options):
        check(bound.run(arrays, result))
        is_kept = _KEEPS_TYPES or all(array.ndim or array.dtype == dtype for array in arrays)
        return result, bound if is_kept else None
    target = numpy.empty([result.shape[axis] for axis in axes], dtype)
    check(bound.run(arrays, target))
    whole = target.transpose(numpy.argsort(axes)).reshape(extents)
    numpy.copyto(result, whole, casting="unsafe")  # which the plan has allowed
    return result, None


def _finish_of(order: Sequence[int]) -> Optional[Callable[[numpy.ndarray], Any]]:
    """Makes the caller's array of one whose dimensions are in this order; of one without
    dimensions a number."""
    if not order:
        return lambda array: array[()]
    if list(order) == sorted(order):
        return None
    axes = tuple(numpy.argsort(order))
    return lambda array: array.transpose(axes)


def _take_diagonals(terms: ResolvedTerms, arrays: Sequence[numpy.ndarray]) -> list[Diagonal]:
    pairs = enumerate(zip(arrays, terms.inputs))
    return [take_diagonal(array, term, number) for number, (array, term) in pairs]


def _takes(
    result: numpy.ndarray,
    axes: Sequence[int],
    dtype: numpy.dtype,
    arrays: Sequence[numpy.ndarray],
    options: Options,
) -> bool:
    """Whether a kernel that writes these dimensions can write the result itself."""
    if result.dtype != dtype or len(axes) != len(memory_order(result)):
        return False
    if options.out is not None:
        if any(numpy.may_share_memory(result, array) for array in arrays):
            return False
    return is_row_major(result, axes)
