"""Orders of contraction that the caller gives."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy

from ._subscripts import ResolvedTerms

__all__ = ["Step", "follow", "take_path"]


class Step(NamedTuple):
    """Some of the arrays that are left, by their places, which the einsum of them replaces
    as the last one."""

    taken: tuple[int, ...]
    terms: ResolvedTerms


def take_path(
    terms: ResolvedTerms, shapes: Sequence[tuple[int, ...]], optimize: Any
) -> Optional[tuple[Step, ...]]:
    """The steps that `optimize` asks for. None where the order is the compiler's. Raises
    what numpy.einsum_path does."""
    if optimize is None or isinstance(optimize, bool) or optimize in ("greedy", "optimal"):
        return None
    # Only the shapes count.
    likenesses = [numpy.broadcast_to(numpy.empty(()), shape) for shape in shapes]
    path, _ = numpy.einsum_path(str(terms), *likenesses, optimize=optimize)
    left, steps = list(terms.inputs), []
    for number, places in enumerate(path[1:], start=1):
        taken = tuple(sorted(places, reverse=True))
        inputs = tuple(left.pop(place) for place in taken)
        output = terms.output
        if number != len(path) - 1:
            wanted = terms.output + "".join(left)
            inner = dict.fromkeys("".join(inputs))
            output = "".join(label for label in inner if label in wanted)
        left.append(output)
        steps.append(Step(taken, ResolvedTerms(inputs, output)))
    return tuple(steps)


def follow(
    steps: Sequence[Step], arrays: Sequence[Any], contract: Callable[[Step, list[Any]], Any]
) -> Any:
    """What the last step gives, where `contract` takes each."""
    left = list(arrays)
    for step in steps:
        left.append(contract(step, [left.pop(place) for place in step.taken]))
    return left[-1]
