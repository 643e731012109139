"""What is left of an einsum once its arrays are known: dimensions of extent 1 and
repeated elements are gone, each operand is row-major, and dimensions that lie side by
side in all operands are one. So many einsums are the same kernel."""

from __future__ import annotations

from typing import Callable, Mapping, NamedTuple, Optional, Sequence

import numpy
from numpy import einsum as numpy_einsum  # also where tc.einsum stands in for it

from ._numpy import Diagonal

__all__ = [
    "Copy",
    "Operand",
    "Problem",
    "is_row_major",
    "labels_of",
    "make_problem",
    "memory_order",
    "place",
    "walked_labels",
]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Problem(NamedTuple):
    """An einsum of row-major operands of one element type."""

    subscripts: str  # explicit; labels are a, b, ... as they first appear
    extents: tuple[int, ...]  # of a, b, ...
    dtype: str  # as tc calls it


Copy = Callable[[numpy.ndarray], numpy.ndarray]


class Operand(NamedTuple):
    """What a kernel takes for an array: elements without gaps in the order of `term`, the
    labels of its dimensions of more than one element. `copy` makes it of the array; None:
    the array is that already."""

    term: str
    copy: Optional[Copy]


def memory_order(array: numpy.ndarray) -> list[int]:
    """The dimensions of more than one element, from the largest stride on."""
    strides, shape = array.strides, array.shape
    axes = [axis for axis in range(array.ndim) if shape[axis] != 1]
    return sorted(axes, key=lambda axis: -strides[axis])


def is_row_major(array: numpy.ndarray, axes: Sequence[int]) -> bool:
    """Whether the elements lie without gaps in the order of `axes`, where a kernel
    can read and write them."""
    stride = array.itemsize
    for axis in reversed(axes):
        if array.strides[axis] != stride:
            return False
        stride *= array.shape[axis]
    return array.ctypes.data % array.itemsize == 0


def walked_labels(diagonals: Sequence[Diagonal]) -> set[str]:
    """Labels along which some operand has elements of its own. A dimension that
    repeats one element is needed for other labels only."""
    return {
        label
        for view, term in diagonals
        for label, stride, extent in zip(term, view.strides, view.shape)
        if stride and extent != 1
    }


def place(
    array: numpy.ndarray,
    term: str,
    diagonal: Diagonal,
    walked: set[str],
    dtype: numpy.dtype,
) -> Operand:
    """The operand as it lies where that will do, else a copy of its diagonal. A label
    that the copy is the first to walk along is added to `walked`."""
    axes = memory_order(array)
    if is_row_major(array, axes):
        labels = "".join(term[axis] for axis in axes)
        if array.dtype == dtype:
            return Operand(labels, None)
        return Operand(labels, lambda given: given.astype(dtype))
    view, labels = diagonal
    kept = [
        axis
        for axis in memory_order(view)
        if view.strides[axis] or labels[axis] not in walked
    ]
    walked.update(labels[axis] for axis in kept)
    index = (*(slice(None) if axis in kept else 0 for axis in range(view.ndim)), ...)
    left = sorted(kept)  # the dimensions of view[index]
    order = [left.index(axis) for axis in kept]

    def copy(given: numpy.ndarray) -> numpy.ndarray:
        once = given if labels == term else numpy_einsum(f"{term}->{labels}", given)
        return once[index].transpose(order).astype(dtype, order="C")

    return Operand("".join(labels[axis] for axis in kept), copy)


def labels_of(subscripts: str) -> list[str]:
    """The labels as they first appear."""
    return [label for label in dict.fromkeys(subscripts) if label not in ",->"]


def make_problem(
    subscripts: tuple[str, ...], extents: Mapping[str, int], dtype: str
) -> Problem:
    """`subscripts` are those of the inputs, and of the result as the last one."""
    terms, merged = list(subscripts), dict(extents)
    while pair := _find_neighbours(terms):
        first, second = pair
        merged[first] *= merged[second]
        terms = [term.replace(second, "") for term in terms]
    labels = labels_of("".join(terms))
    names = dict(zip(labels, _LETTERS))
    renamed = ["".join(names[label] for label in term) for term in terms]
    return Problem(
        ",".join(renamed[:-1]) + "->" + renamed[-1],
        tuple(merged[label] for label in labels),
        dtype,
    )


def _find_neighbours(terms: Sequence[str]) -> Optional[tuple[str, str]]:
    """Two labels that are nowhere one without the other right behind it."""
    after: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    for term in terms:
        for first, second in zip("," + term, term + ","):
            after.setdefault(first, set()).add(second)
            before.setdefault(second, set()).add(first)
    for first, followers in after.items():
        second = next(iter(followers))
        if len(followers) == 1 and second != first and before[second] == {first}:
            if "," not in (first, second):
                return first, second
    return None
