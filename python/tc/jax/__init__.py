"""Einsums of JAX, computed by kernels of tc on the CPU: under `jit`, differentiable to any
order in both modes, and with a rule for `vmap`.

    from tc.jax import einsum
    jax.jit(jax.grad(lambda a, b: einsum("ij,jk->", a, b)))(a, b)

One primitive of JAX stands for all einsums that have an output, no ellipsis, no label twice
in a term, and one extent for each label. Its derivatives are einsums of the same kind. XLA
computes it where it runs on anything but a CPU."""

from __future__ import annotations

import functools
from typing import Any, Optional, Sequence

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .._einsum._simple import common_extents, gradient_terms, simplify
from .._einsum._subscripts import LETTERS, parse_lists, parse_string, resolve

__all__ = ["einsum"]

if not hasattr(jax, "ffi"):
    raise ImportError(f"tc.jax: expected JAX 0.5 or later, found {jax.__version__}")

from ._handler import TARGET, ready  # noqa: E402 (what needs jax.ffi)


def einsum(*arguments: Any) -> jax.Array:
    """The einsum of arrays, as a new one of their common type by JAX's rules.

    `einsum(subscripts, *arrays)` or `einsum(array, labels, ..., [labels])`, as
    `jax.numpy.einsum` has it: spaces, `...`, an implicit output, diagonals, and extents of 1
    that broadcast.

    Raises ValueError for subscripts that do not fit; on the CPU CompileError for what the
    compiler refuses.
    """
    if arguments and isinstance(arguments[0], str):
        terms, given = parse_string(arguments[0]), list(arguments[1:])
    else:
        terms, given = parse_lists(arguments)
    if not given:
        raise ValueError("expected at least one array, got none")
    dtype = jnp.result_type(*given)
    operands = [jnp.asarray(operand, dtype) for operand in given]
    resolved = resolve(terms, [operand.ndim for operand in operands])
    extents = common_extents(resolved.inputs, [operand.shape for operand in operands])
    simple = [simplify(t, o, extents, _diagonal) for t, o in zip(resolved.inputs, operands)]
    subscripts = ",".join(term for term, _ in simple) + "->" + resolved.output
    return _bind(*(operand for _, operand in simple), subscripts=subscripts)


def _diagonal(operand: jax.Array, first: int, second: int) -> jax.Array:
    return jnp.diagonal(operand, axis1=first, axis2=second)


# ------------------------------------------------------------------------------
# The primitive
# ------------------------------------------------------------------------------

_einsum_p = Primitive("tc_einsum")


@functools.partial(jax.jit, static_argnames="subscripts")
def _bind(*operands: jax.Array, subscripts: str) -> jax.Array:
    return _einsum_p.bind(*operands, subscripts=subscripts)


_einsum_p.def_impl(_bind)


def _split(subscripts: str) -> tuple[list[str], str]:
    inputs, _, output = subscripts.partition("->")
    return inputs.split(","), output


@_einsum_p.def_abstract_eval
def _describe(*operands: Any, subscripts: str) -> jax.core.ShapedArray:
    inputs, output = _split(subscripts)
    extents = {l: e for term, one in zip(inputs, operands) for l, e in zip(term, one.shape)}
    return jax.core.ShapedArray(tuple(extents[label] for label in output), operands[0].dtype)


def _lower(context: Any, *operands: Any, subscripts: str) -> Any:
    """Compiles the kernel now, so that a call has only to look it up."""
    arrays = [*context.avals_in, *context.avals_out]
    ready(subscripts, [one.shape for one in arrays], arrays[0].dtype)
    return jax.ffi.ffi_lowering(TARGET)(context, *operands, subscripts=subscripts)


mlir.register_lowering(_einsum_p, _lower, platform="cpu")
mlir.register_lowering(
    _einsum_p,
    mlir.lower_fun(
        lambda *operands, subscripts: jnp.einsum(subscripts, *operands), multiple_results=False
    ),
)

# ------------------------------------------------------------------------------
# Derivatives: an einsum is linear in each operand.
# ------------------------------------------------------------------------------


def _differentiate(primals: Sequence[Any], tangents: Sequence[Any], *, subscripts: str) -> Any:
    result = _einsum_p.bind(*primals, subscripts=subscripts)
    terms = [
        _einsum_p.bind(*primals[:n], tangent, *primals[n + 1 :], subscripts=subscripts)
        for n, tangent in enumerate(tangents)
        if not isinstance(tangent, ad.Zero)
    ]
    return result, functools.reduce(ad.add_tangents, terms)


def _transpose(gradient: Any, *operands: Any, subscripts: str) -> list[Optional[Any]]:
    (number,) = [n for n, operand in enumerate(operands) if ad.is_undefined_primal(operand)]
    inputs, output = _split(subscripts)
    wanted = operands[number].aval
    result: Any = ad.Zero(wanted)
    if not isinstance(gradient, ad.Zero):
        others = [operand for n, operand in enumerate(operands) if n != number]
        back, varying = gradient_terms(number, inputs, output)
        result = _einsum_p.bind(gradient, *others, subscripts=back)
        places = [place for place, label in enumerate(inputs[number]) if label in varying]
        result = jax.lax.broadcast_in_dim(result, wanted.shape, places)
    return [result if n == number else None for n in range(len(operands))]


def _batch(operands: Sequence[Any], places: Sequence[Any], *, subscripts: str) -> Any:
    inputs, output = _split(subscripts)
    unused = [letter for letter in LETTERS if letter not in subscripts]
    if not unused:
        raise ValueError(f"expected a letter to be left for the batch in '{subscripts}'")
    terms = [
        term if place is None else term[:place] + unused[0] + term[place:]
        for term, place in zip(inputs, places)
    ]
    batched = ",".join(terms) + "->" + unused[0] + output
    return _einsum_p.bind(*operands, subscripts=batched), 0


ad.primitive_jvps[_einsum_p] = _differentiate
ad.primitive_transposes[_einsum_p] = _transpose
batching.primitive_batchers[_einsum_p] = _batch
