"""What libraries that order contractions, such as opt_einsum, ask of a backend beside
`einsum`: `tensordot`, `transpose` and `einsum_path`, with the meanings that NumPy gives
them."""

from __future__ import annotations

import operator
from typing import Any, Sequence

import numpy

from . import einsum

# A ValueError and an IndexError at once. NumPy 1.25 moved it.
_AxisError = getattr(numpy, "exceptions", numpy).AxisError


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sums of products over some dimensions of `a` and `b`, by `tc.einsum`.

    axes: how many, the last of `a` and the first of `b`; or two sequences of dimensions.

    The result has the other dimensions of `a`, then those of `b`. Raises ValueError where
    dimensions repeat or have other extents than their partners, and NumPy's AxisError, which
    is a ValueError and an IndexError, where they do not exist.
    """
    shapes = _shape_of(a), _shape_of(b)
    ranks = [len(shape) for shape in shapes]
    first, second = _read_axes(axes, ranks)
    if [shapes[0][i] for i in first] != [shapes[1][i] for i in second]:
        extents = [tuple(shape[i] for i in own) for shape, own in zip(shapes, (first, second))]
        raise ValueError(f"expected equal extents along axes, got {extents[0]} and {extents[1]}")
    labels = list(range(ranks[0])), list(range(ranks[0], sum(ranks)))
    for i, j in zip(first, second):
        labels[1][j] = i
    kept = [label for label in labels[0] + labels[1] if label not in first]
    return einsum(a, labels[0], b, labels[1], kept)


def transpose(a: Any, axes: Any = None) -> Any:
    """`a` with its dimensions in another order, by default the reverse: a view, as the
    library of `a` makes it, where it does."""
    rank = len(_shape_of(a))
    order = list(reversed(range(rank))) if axes is None else _normalize(axes, rank)
    if sorted(order) != list(range(rank)):
        raise ValueError(f"expected each of {rank} dimensions once, got {tuple(order)}")
    if hasattr(a, "permute"):  # of torch, whose transpose exchanges two
        return a.permute(order)
    if hasattr(a, "transpose"):
        return a.transpose(order)
    if hasattr(a, "shape"):
        return einsum(a, list(range(rank)), order)
    return numpy.transpose(a, order)


def einsum_path(*operands: Any, optimize: Any = "greedy") -> Any:
    """The order in which to contract the operands of an einsum, two at a time, and a text
    about it, as numpy.einsum_path finds them: for `optimize` of `tc.einsum`. Operands need
    no more than a shape."""
    if operands and isinstance(operands[0], (str, bytes)):
        arrays: Sequence[int] = range(1, len(operands))
    else:
        arrays = range(0, len(operands) - len(operands) % 2, 2)
    stand_ins = list(operands)
    for i in arrays:
        stand_ins[i] = numpy.broadcast_to(numpy.empty(()), _shape_of(operands[i]))
    return numpy.einsum_path(*stand_ins, optimize=optimize)


def _shape_of(a: Any) -> tuple[int, ...]:
    shape = getattr(a, "shape", None)
    return numpy.shape(a) if shape is None else tuple(shape)


def _normalize(axes: Any, rank: int) -> list[int]:
    """Dimensions, counted from 0; negative ones count from the end."""
    try:
        given = [operator.index(axis) for axis in axes]
    except TypeError:
        given = [operator.index(axes)]
    for axis in given:
        if not -rank <= axis < rank:
            raise _AxisError(f"expected an axis of an array of {rank} dimensions, got {axis}")
    return [axis % rank for axis in given]


def _read_axes(axes: Any, ranks: Sequence[int]) -> tuple[list[int], list[int]]:
    """The dimensions of each operand that are summed over."""
    try:
        pair = list(axes)
    except TypeError:
        count = operator.index(axes)
        if not 0 <= count <= min(ranks):
            raise _AxisError(
                f"expected at most {min(ranks)} axes for arrays of {ranks[0]} and {ranks[1]} "
                f"dimensions, got {count}"
            ) from None
        return list(range(ranks[0] - count, ranks[0])), list(range(count))
    if len(pair) != 2:
        raise ValueError(f"expected axes of two arrays, got {len(pair)}")
    first, second = (_normalize(own, rank) for own, rank in zip(pair, ranks))
    if len(first) != len(second) or any(len(set(own)) != len(own) for own in (first, second)):
        raise ValueError(f"expected as many different axes of each array, got {axes}")
    return first, second
