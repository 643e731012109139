"""Einsums on PyTorch's tensors, as the operator `torch.ops.tc.einsum`.

    import torch
    from tc.torch import einsum

    z = einsum("icaq,qbjk->abcijk", x, y)

Tensors of the CPU are computed there, those of a GPU on the current stream of their
device, by kernels that are compiled once and kept. Derivatives of any order, in reverse
and in forward mode, the transforms of `torch.func`, `torch.compile(fullgraph=True)` and
fake tensors work. PyTorch has to be 2.5 or later.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import torch
from torch import Tensor

from ._einsum._subscripts import Terms, parse_lists, parse_string, resolve

__all__ = ["einsum"]

if not hasattr(torch.library, "register_vmap"):
    raise ImportError(f"tc.torch: expected PyTorch 2.5 or later, found {torch.__version__}")

from . import _torch_operator  # noqa: E402,F401 (torch.ops.tc.einsum)


def einsum(*arguments: Any) -> Tensor:
    """The einsum of tensors of one dtype and one device, as a new row-major tensor.

    `einsum(subscripts, *tensors)` or `einsum(tensor, labels, ..., [labels])`, by the
    rules of `torch.einsum`: spaces, `...`, an implicit output, diagonals, and extents of
    1 that broadcast. Differentiable, complex tensors included.

    Raises ValueError for subscripts that do not fit, TypeError for tensors of several
    dtypes, and what `tc.einsum` raises.
    """
    terms, operands = _read(arguments)
    if not operands:
        raise ValueError("expected at least one tensor, got none")
    resolved = resolve(terms, [operand.dim() for operand in operands])
    extents = _extents(resolved.inputs, [operand.shape for operand in operands])
    simple = [_simplify(t, o, extents) for t, o in zip(resolved.inputs, operands)]
    equation = ",".join(term for term, _ in simple) + "->" + resolved.output
    return torch.ops.tc.einsum(equation, [operand for _, operand in simple])


def _read(arguments: Tuple[Any, ...]) -> Tuple[Terms, List[Tensor]]:
    if arguments and isinstance(arguments[0], str):
        terms, operands = _parse_string(arguments[0]), list(arguments[1:])
    else:
        terms, operands = parse_lists(arguments)
    for number, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(f"operand {number}: expected a tensor, got {type(operand).__name__}")
        first = operands[0]
        if operand.dtype != first.dtype:
            raise TypeError(f"operand {number}: expected {first.dtype}, got {operand.dtype}")
        if operand.device != first.device:
            raise ValueError(f"operand {number}: expected {first.device}, got {operand.device}")
    return terms, operands


@torch.compiler.assume_constant_result
def _parse_string(subscripts: str) -> Terms:
    """What torch.compile need not trace: the same for the same text."""
    return parse_string(subscripts)


def _extents(inputs: Sequence[str], shapes: Sequence[Sequence[int]]) -> Dict[str, int]:
    """The extent of each label, where 1 gives way to any other."""
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


def _simplify(term: str, operand: Tensor, extents: Dict[str, int]) -> Tuple[str, Tensor]:
    """The operand as a view without labels that repeat or that it does not vary with."""
    for place in reversed(range(len(term))):
        if operand.shape[place] == 1 and extents[term[place]] != 1:
            operand = operand.squeeze(place)
            term = term[:place] + term[place + 1 :]
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            operand = operand.diagonal(dim1=first, dim2=second)
            rest = term[:first] + term[first + 1 : second] + term[second + 1 :]
            term = rest + label
    return term, operand
