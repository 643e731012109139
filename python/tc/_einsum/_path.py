"""Orders of contraction that the caller gives."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy

from ._numpy import Options
from ._subscripts import ResolvedTerms

__all__ = ["follow", "take_path"]

Path = Sequence[tuple[int, ...]]


def take_path(
    terms: ResolvedTerms, shapes: Sequence[tuple[int, ...]], optimize: Any
) -> Optional[Path]:
    """The steps that `optimize` asks for: which operands meet, whose result becomes
    the last one. None where the order is the compiler's. Raises what
    numpy.einsum_path does."""
    if optimize is None or isinstance(optimize, bool) or optimize in ("greedy", "optimal"):
        return None
    subscripts = ",".join(terms.inputs) + "->" + terms.output
    # Only the shapes count.
    likenesses = [numpy.broadcast_to(numpy.empty(()), shape) for shape in shapes]
    path, _ = numpy.einsum_path(subscripts, *likenesses, optimize=optimize)
    return path[1:]


def follow(
    path: Path,
    terms: ResolvedTerms,
    arrays: Sequence[Any],
    options: Options,
    einsum: Callable[..., Any],
) -> Any:
    """Contracts step by step with `einsum`; the last step has the options' `out`."""
    left = list(zip(terms.inputs, arrays))
    for number, step in enumerate(path, start=1):
        taken = [left.pop(place) for place in sorted(step, reverse=True)]
        output, chosen = terms.output, options
        if number != len(path):
            wanted = terms.output + "".join(term for term, _ in left)
            inner = dict.fromkeys("".join(term for term, _ in taken))
            output = "".join(label for label in inner if label in wanted)
            chosen = options._replace(out=None)
        subscripts = ",".join(term for term, _ in taken) + "->" + output
        operands = (array for _, array in taken)
        left.append((output, einsum(subscripts, *operands, **chosen._asdict())))
    return left[-1][1]
