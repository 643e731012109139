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

from typing import Any, List, Tuple

import torch
from torch import Tensor

from ._einsum._simple import common_extents, simplify
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
    extents = common_extents(resolved.inputs, [operand.shape for operand in operands])
    simple = [simplify(t, o, extents, _diagonal) for t, o in zip(resolved.inputs, operands)]
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


def _diagonal(operand: Tensor, first: int, second: int) -> Tensor:
    return operand.diagonal(dim1=first, dim2=second)
