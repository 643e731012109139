"""The operator `torch.ops.tc.einsum`: an einsum that has an output, no ellipsis, no label
twice in a term, and one extent for each label. Its derivatives are einsums, too.

PyTorch's dispatcher calls, of what stands here, what a tensor's keys ask for:

| key                            | what                                                |
|--------------------------------|-----------------------------------------------------|
| FuncTorchDynamicLayerFrontMode | transforms of torch.func: Differentiable, by theirs |
| Autograd                       | Differentiable: reverse and forward mode            |
| Batched                        | the older vmap, of is_grads_batched, vectorize=True |
| CompositeExplicitAutograd      | the values                                          |

`torch.library.custom_op` has no forward mode (tangents are dropped, not refused) and no
transforms of gradients, so the operator is registered by hand.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy
import torch
import torch.autograd.forward_ad as forward_ad
from torch import Tensor
from torch._C._functorch import TransformType, get_interpreter_stack

from ._einsum import einsum as _compute
from ._libraries import find_derivative
from ._einsum._simple import gradient_terms
from ._einsum._subscripts import LETTERS

__all__: List[str] = []

_library = torch.library.Library("tc", "FRAGMENT")
_library.define(
    "einsum(str equation, Tensor[] operands) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,)
)


def _split(equation: str) -> Tuple[List[str], str]:
    inputs, output = equation.split("->")
    return inputs.split(","), output


# ------------------------------------------------------------------------------
# Values
# ------------------------------------------------------------------------------


@torch.compiler.disable
def _evaluate(equation: str, operands: Sequence[Tensor]) -> Tensor:
    # Conjugates may be a mark on a tensor, which nobody else knows.
    plain = [operand.detach().resolve_conj().resolve_neg() for operand in operands]
    if plain[0].is_cpu and plain[0].dtype != torch.bfloat16:
        return _evaluate_by_numpy(equation, plain)
    return _compute(equation, *plain, optimize=True)


def _evaluate_by_numpy(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """On the same memory as arrays of NumPy: small ones share kernels for all extents."""
    arrays = [operand.numpy() for operand in operands]
    result = numpy.asarray(_compute(equation, *arrays, optimize=True))
    # An operator gives no views of what it was given, as einsums without sums are.
    shares = any(numpy.may_share_memory(result, array) for array in arrays)
    is_fresh = result.flags.c_contiguous and not shares
    return torch.from_numpy(result if is_fresh else result.copy(order="C"))


def _describe(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """For fake tensors."""
    inputs, output = _split(equation)
    extents = {l: e for t, o in zip(inputs, operands) for l, e in zip(t, o.shape)}
    return operands[0].new_empty([extents[label] for label in output])


# ------------------------------------------------------------------------------
# Derivatives. An einsum is linear in each operand: its derivative along tangents is the
# sum of the einsums that take one operand's tangent each. Of `A,B->C` the gradient of A
# is `C,B->A` of the gradient and B's conjugate, and does not vary with labels that A
# alone has and that were summed.
# ------------------------------------------------------------------------------


class Differentiable(torch.autograd.Function):
    """The operator with its derivatives, and with a batch as one more label."""

    @staticmethod
    def forward(equation: str, *operands: Tensor) -> Tensor:
        with torch._C._AutoDispatchBelowAutograd():
            return torch.ops.tc.einsum(equation, operands)

    @staticmethod
    def setup_context(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
        ctx.equation, *operands = inputs
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*operands)
        ctx.save_for_forward(*operands)

    @staticmethod
    def backward(ctx: Any, gradient: Optional[Tensor]) -> Tuple[Optional[Tensor], ...]:
        operands = ctx.saved_tensors
        if gradient is None:
            return (None,) * (1 + len(operands))
        return None, *(
            _gradient_of(number, ctx.equation, operands, gradient) if wanted else None
            for number, wanted in enumerate(ctx.needs_input_grad[1:])
        )

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Optional[Tensor]) -> Optional[Tensor]:
        # PyTorch calls this with forward mode off. That would drop the tangents of an outer
        # jvp, too, so what is off here are those of this one alone.
        with forward_ad._set_fwd_grad_enabled(True):
            operands = [forward_ad.unpack_dual(o).primal for o in ctx.saved_tensors]
            result = None
            for number, tangent in enumerate(tangents):
                if tangent is not None:
                    along = [*operands[:number], tangent, *operands[number + 1 :]]
                    term = torch.ops.tc.einsum(ctx.equation, along)
                    result = term if result is None else result + term
            return result

    @staticmethod
    def vmap(
        info: Any, in_dims: Tuple[Optional[int], ...], equation: str, *operands: Tensor
    ) -> Tuple[Tensor, int]:
        inputs, output = _split(equation)
        unused = [letter for letter in LETTERS if letter not in equation]
        if not unused:
            raise ValueError(f"expected a letter to be left for the batch in '{equation}'")
        label = unused[0]
        terms = [
            term if place is None else term[:place] + label + term[place:]
            for term, place in zip(inputs, in_dims[1:])
        ]
        return torch.ops.tc.einsum(",".join(terms) + "->" + label + output, operands), 0


def _gradient_of(
    number: int, equation: str, operands: Sequence[Tensor], gradient: Tensor
) -> Tensor:
    inputs, output = _split(equation)
    others = [operand.conj() for n, operand in enumerate(operands) if n != number]
    equation, varying = gradient_terms(number, inputs, output)
    result = torch.ops.tc.einsum(equation, [gradient, *others])
    for place, label in enumerate(inputs[number]):
        if label not in varying:
            result = result.unsqueeze(place)
    return result.expand(operands[number].shape)


@torch.compiler.disable
def _differentiate(equation: str, operands: Sequence[Tensor]) -> Tensor:
    if any(map(find_derivative, operands)):
        return Differentiable.apply(equation, *operands)
    return Differentiable.forward(equation, *operands)


# ------------------------------------------------------------------------------
# Transforms
# ------------------------------------------------------------------------------


@torch.compiler.disable
def _transform(equation: str, operands: Sequence[Tensor]) -> Tensor:
    # Functions of autograd have no rule for torch.func.functionalize.
    stack = get_interpreter_stack() or ()
    if any(layer.key() == TransformType.Functionalize for layer in stack):
        return _decompose(equation, operands)
    return Differentiable.apply(equation, *operands)


def _decompose(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """By PyTorch's own operations."""
    return torch.ops.aten.einsum.default.decompose(equation, operands)


_library.impl("einsum", _evaluate, "CompositeExplicitAutograd")
_library.impl("einsum", _differentiate, "Autograd")
_library.impl("einsum", _transform, "FuncTorchDynamicLayerFrontMode")
_library.impl("einsum", _decompose, "Batched")
torch.library.register_fake("tc::einsum", _describe, lib=_library)
