"""What NumPy decides about an einsum of its arrays.

NumPy's own einsum asks NumPy's iterator for element types, casting, broadcasting and
the layout of the result. So does this, with the same flags; errors are the iterator's.
Nothing is walked over."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy
from numpy import einsum as numpy_einsum  # also where tc.einsum stands in for it

from ._subscripts import ResolvedTerms

__all__ = ["Diagonal", "Options", "dtype_name", "extents_of", "plan", "take_diagonal"]

_FLAGS = [
    "external_loop",
    "buffered",
    "delay_bufalloc",
    "growinner",
    "reduce_ok",
    "refs_ok",
    "zerosize_ok",
]
_INPUT = ["readonly", "nbo", "aligned"]
_OUTPUT = ["readwrite", "nbo", "aligned", "allocate", "no_broadcast"]

_DTYPES = {
    "b1": "i1",
    "f2": "f16",
    "f4": "f32",
    "f8": "f64",
    "c8": "c64",
    "c16": "c128",
    **{f"{kind}{size}": f"i{8 * size}" for kind in "iu" for size in (1, 2, 4, 8)},
}


class Options(NamedTuple):
    """What an einsum was asked for beside its operands, as numpy.einsum has it."""

    out: Optional[numpy.ndarray] = None
    dtype: Any = None
    order: Any = "K"
    casting: Any = "safe"


class Diagonal(NamedTuple):
    """A view of an operand, and the labels of its dimensions, each once."""

    view: numpy.ndarray
    term: str


def dtype_name(dtype: numpy.dtype) -> Optional[str]:
    """What tc calls the elements; sums and products of integers without a sign have
    the bits of those with one. None where tc has no such elements."""
    return _DTYPES.get(f"{dtype.kind}{dtype.itemsize}")


def take_diagonal(array: numpy.ndarray, term: str, number: int) -> Diagonal:
    """Operand `number` without repeated labels."""
    extents: dict[str, int] = {}
    for label, extent in zip(term, array.shape):
        known = extents.setdefault(label, extent)
        if known != extent:
            raise ValueError(
                f"dimensions in operand {number} for collapsing index '{label}' don't "
                f"match ({known} != {extent})"
            )
    once = "".join(extents)
    if once == term:
        return Diagonal(array, term)
    return Diagonal(numpy_einsum(f"{term}->{once}", array), once)


def extents_of(diagonals: Sequence[Diagonal]) -> dict[str, int]:
    """Of each label, which an extent of 1 leaves to the other operands."""
    extents: dict[str, int] = {}
    for view, term in diagonals:
        for label, extent in zip(term, view.shape):
            if extent != 1 or label not in extents:
                extents[label] = extent
    return extents


def plan(
    diagonals: Sequence[Diagonal], terms: ResolvedTerms, options: Options
) -> tuple[numpy.ndarray, numpy.dtype]:
    """The result, without values yet where it is a new array, and the element type in
    which products and sums are taken."""
    out = options.out
    rank = len(terms.output)
    if out is not None and out.ndim != rank:
        raise ValueError(
            "out parameter does not have the correct number of dimensions, has "
            f"{out.ndim} but should have {rank}"
        )
    summed = sorted({label for _, term in diagonals for label in term} - set(terms.output))
    axes = [
        [term.find(label) for label in (*terms.output, *summed)] for _, term in diagonals
    ]
    axes.append([*range(rank), *(-1 for _ in summed)])
    dtype = None if options.dtype is None else numpy.dtype(options.dtype)
    nditer: Any = numpy.nditer  # its hints know neither results to make nor axes
    iterator = nditer(
        [*(view for view, _ in diagonals), out],
        flags=_FLAGS if dtype is not None else [*_FLAGS, "common_dtype"],
        op_flags=[*(_INPUT for _ in diagonals), _OUTPUT],
        op_dtypes=None if dtype is None else [dtype] * (len(diagonals) + 1),
        op_axes=axes,
        order=options.order,
        casting=options.casting,
    )
    return iterator.operands[-1], iterator.dtypes[-1]
