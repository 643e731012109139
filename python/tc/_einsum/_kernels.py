"""Which kernel of the host a problem takes."""

from __future__ import annotations

import math

from .. import _compile
from .._kernel import Kernel
from ._problem import Problem, labels_of

__all__ = ["parameters_of", "request_of"]

# Kernels learn extents at the call, so that other sizes need no other kernel, but for
# short loops of problems of many points: to unroll them saves more than it takes to
# compile, and they are seldom of many lengths. Where one call takes a good part of the
# time to compile, a kernel for its sizes alone is faster.
SMALL = 1 << 18  # points
SHORT = 16  # steps of a loop
LARGE = 1 << 28  # points


def request_of(problem: Problem, optimize: bool) -> _compile.Request:
    """`optimize`: two operands at a time, in the order of fewest operations."""
    points = math.prod(problem.extents)
    is_small, is_large = points < SMALL, points >= LARGE
    is_ordered = optimize and not is_small and problem.subscripts.count(",") > 1
    known = {
        # The best order depends on all extents.
        label: extent if is_ordered or is_large or (extent < SHORT and not is_small) else None
        for label, extent in zip(labels_of(problem.subscripts), problem.extents)
    }
    terms = problem.subscripts.partition("->")[0].split(",")
    return _compile.describe(
        problem.subscripts,
        *(tuple(known[label] for label in term) for term in terms),
        dtype=problem.dtype,
        result_dtype=problem.dtype,
        order="optimal" if is_ordered else "as-written",
        chips=(),
    )


def parameters_of(kernel: Kernel, problem: Problem) -> tuple[int, ...]:
    """The extents that the kernel's function takes."""
    extents = dict(zip(labels_of(problem.subscripts), problem.extents))
    names = kernel._library.signature.parameters
    return tuple(extents[name.rpartition("_")[2]] for name in names)
