"""Einsums as their derivatives are taken: each operand has each of its labels once, and one
extent goes with each label."""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence, Tuple

__all__ = ["common_extents", "gradient_terms", "simplify"]

# By names that PyTorch's compiler traces in all its versions.


def common_extents(inputs: Sequence[str], shapes: Sequence[Sequence[int]]) -> Dict[str, int]:
    """The extent of each label, where 1 gives way to any other. Raises ValueError where
    operands disagree."""
    extents: Dict[str, int] = {}
    for number, (term, shape) in enumerate(zip(inputs, shapes)):
        for label, extent in zip(term, shape):
            known = extents.setdefault(label, extent)
            if known == 1:
                extents[label] = extent
            elif extent != 1 and extent != known:
                raise ValueError(
                    f"operand {number}: label '{label}' has the extent {extent}, "
                    f"which is {known} before"
                )
    return extents


def simplify(
    term: str, operand: Any, extents: Dict[str, int], diagonal: Callable[[Any, int, int], Any]
) -> Tuple[str, Any]:
    """The operand as a view without labels that repeat or that it does not vary with.
    `diagonal` takes that of two dimensions, as a last dimension."""
    for place in reversed(range(len(term))):
        if operand.shape[place] == 1 and extents[term[place]] != 1:
            operand = operand.squeeze(place)
            term = term[:place] + term[place + 1 :]
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            operand = diagonal(operand, first, second)
            rest = term[:first] + term[first + 1 : second] + term[second + 1 :]
            term = rest + label
    return term, operand


def gradient_terms(number: int, inputs: Sequence[str], output: str) -> Tuple[str, str]:
    """The einsum of the result's gradient and of the operands but `number` that gives the
    gradient of that one: its subscripts, and the labels that it has. It does not vary with
    labels of the operand that are nowhere else."""
    others = [term for n, term in enumerate(inputs) if n != number]
    reached = output + "".join(others)
    varying = "".join(label for label in inputs[number] if label in reached)
    return ",".join([output, *others]) + "->" + varying, varying
