"""Einsums on PyTorch's tensors, as the operator `torch.ops.tc.einsum`.

    import torch
    from tc.torch import einsum

    z = einsum("icaq,qbjk->abcijk", x, y)

Tensors of the CPU are computed there, those of a GPU on the current stream of their
device, by kernels that are compiled once and kept. Gradients of any order,
`torch.compile(fullgraph=True)`, `torch.func.vmap` and fake tensors work. PyTorch has
to be 2.5 or later.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy
import torch
from torch import Tensor

from ._einsum import einsum as _compute
from ._subscripts import LETTERS, Terms, parse_lists, parse_string, resolve

__all__ = ["einsum"]

if not hasattr(torch.library, "register_vmap"):
    raise ImportError(f"tc.torch: expected PyTorch 2.5 or later, found {torch.__version__}")


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


# ------------------------------------------------------------------------------
# The operator. Its equation has an output, no ellipsis, no label twice in a term, and
# one extent for each label.
# ------------------------------------------------------------------------------


@torch.library.custom_op("tc::einsum", mutates_args=())
def _einsum(equation: str, operands: Sequence[Tensor]) -> Tensor:
    # Conjugates may be a mark on a tensor, which nobody else knows.
    plain = [operand.detach().resolve_conj().resolve_neg() for operand in operands]
    if plain[0].is_cpu and plain[0].dtype != torch.bfloat16:
        return _compute_by_numpy(equation, plain)
    return _compute(equation, *plain, optimize=True)


def _compute_by_numpy(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """On the same memory as arrays of NumPy: small ones share kernels for all extents."""
    arrays = [operand.numpy() for operand in operands]
    result = numpy.asarray(_compute(equation, *arrays, optimize=True))
    # An operator gives no views of what it was given, as einsums without sums are.
    shares = any(numpy.may_share_memory(result, array) for array in arrays)
    is_fresh = result.flags.c_contiguous and not shares
    return torch.from_numpy(result if is_fresh else result.copy(order="C"))


@_einsum.register_fake
def _(equation: str, operands: Sequence[Tensor]) -> Tensor:
    inputs, output = _split(equation)
    extents = {l: e for t, o in zip(inputs, operands) for l, e in zip(t, o.shape)}
    return operands[0].new_empty([extents[label] for label in output])


def _split(equation: str) -> Tuple[List[str], str]:
    inputs, output = equation.split("->")
    return inputs.split(","), output


# ------------------------------------------------------------------------------
# Gradients: an einsum, too. Of `A,B->C` that of A is `C,B->A` of the gradient and B's
# conjugate, and does not vary with labels that A alone has and that were summed.
# ------------------------------------------------------------------------------


def _save(ctx: Any, inputs: Tuple[str, Sequence[Tensor]], output: Tensor) -> None:
    ctx.equation, operands = inputs
    ctx.save_for_backward(*operands)


def _differentiate(ctx: Any, gradient: Tensor) -> Tuple[None, List[Any]]:
    operands = ctx.saved_tensors
    needed = ctx.needs_input_grad[1]
    return None, [
        _gradient_of(number, ctx.equation, operands, gradient) if wanted else None
        for number, wanted in enumerate(needed)
    ]


def _gradient_of(
    number: int, equation: str, operands: Sequence[Tensor], gradient: Tensor
) -> Tensor:
    inputs, output = _split(equation)
    others = [n for n in range(len(operands)) if n != number]
    reached = output + "".join(inputs[n] for n in others)
    term = inputs[number]
    varying = "".join(label for label in term if label in reached)
    equation = ",".join([output, *(inputs[n] for n in others)]) + "->" + varying
    result = torch.ops.tc.einsum(equation, [gradient, *(operands[n].conj() for n in others)])
    for place, label in enumerate(term):
        if label not in reached:
            result = result.unsqueeze(place)
    return result.expand(operands[number].shape)


_einsum.register_autograd(_differentiate, setup_context=_save)


# ------------------------------------------------------------------------------
# Under vmap a batch is one more label.
# ------------------------------------------------------------------------------


@_einsum.register_vmap
def _(info: Any, in_dims: Tuple[None, Sequence[Any]], equation: str, operands: Sequence[Tensor]):
    inputs, output = _split(equation)
    unused = [letter for letter in LETTERS if letter not in equation]
    if not unused:
        raise ValueError(f"expected a letter to be left for the batch in '{equation}'")
    label = unused[0]
    terms = [
        term if place is None else term[:place] + label + term[place:]
        for term, place in zip(inputs, in_dims[1])
    ]
    batched = ",".join(terms) + "->" + label + output
    return torch.ops.tc.einsum(batched, list(operands)), 0
