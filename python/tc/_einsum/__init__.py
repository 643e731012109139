"""`tc.einsum`: numpy.einsum, computed by kernels of tc."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy
from numpy import einsum as numpy_einsum  # also where tc.einsum stands in for it

from ._foreign import choose_dtype, contract_foreign, is_foreign, view_all
from ._host import Ready, calls, common_dtype, contract
from ._numpy import Options
from ._path import follow, take_path
from ._subscripts import ResolvedTerms, Terms, parse_lists, parse_string, resolve

__all__ = ["einsum"]

# Calls with nothing left to find out, by subscripts, options and arrays. Emptied when
# it is full: what is in use comes back at its next call.
_ready: dict[tuple, Ready] = {}
_MOST_READY = 4096


def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: Any = "K",
    casting: Any = "safe",
    optimize: Any = False,
) -> Any:
    """Sums of products by Einstein's convention: `einsum("ij,jk->ik", a, b)`, or
    `einsum(a, [0, 1], b, [1, 2], [0, 2])`.

    Operands, options, results and errors are those of numpy.einsum, which see: any
    shapes with broadcasting, ellipses, implicit outputs, views of one operand where
    nothing is summed. The sums are computed by kernels that are compiled once and kept;
    for types that tc does not have (longdouble, object, ...) numpy.einsum does it.

    Arrays of torch, CuPy, JAX and others are computed where they are, on the CPU or on a
    GPU, into a new array of the first operand's library; see docs/Python.md.

    out: array for the result, of its shape.
    dtype: type in which products and sums are taken; that of all operands together.
    order: layout of a new result, "C", "F", "A" or "K".
    casting: which conversions are allowed, "no" to "unsafe".
    optimize: False takes all operands in one nest of loops, as it is written. True,
        "greedy" and "optimal" contract two at a time, in the order of fewest
        operations; ["einsum_path", (0, 1), ...] says the order.

    Raises ValueError and TypeError as numpy.einsum does.
    """
    terms, values = _read(operands)
    options = Options(out, dtype, order, casting)
    key = _key_of(terms, values, options, optimize)
    ready = None if key is None else _ready.get(key)
    if ready is not None:
        result = ready(values, out)
        if result is not None:
            return result
    if any(map(is_foreign, values)):
        return _contract_foreign(terms, values, options, optimize)
    if out is not None and not isinstance(out, numpy.ndarray):
        raise TypeError("keyword parameter out must be an array for einsum")
    # An array of a class of its own is taken as the plain one below it.
    arrays = [numpy.asarray(value) for value in values]
    result = _contract(terms, arrays, options, optimize, key)
    # As NumPy has it, a new array of no dimensions is a number.
    is_number = out is None and isinstance(result, numpy.ndarray) and not result.ndim
    return result[()] if is_number else result


def _read(operands: Sequence[Any]) -> tuple[Terms, Sequence[Any]]:
    """Subscripts and operands of either form."""
    if not operands:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, "
            "or at least one operand and its corresponding subscripts list"
        )
    first = operands[0]
    if isinstance(first, bytes):
        first = first.decode("ascii", "replace")
    if isinstance(first, str):
        if len(operands) == 1:
            raise ValueError(
                "must specify the einstein sum subscripts string and at least one operand"
            )
        return parse_string(first), operands[1:]
    if len(operands) == 1:
        raise ValueError("must provide at least an operand and a subscripts list to einsum")
    return parse_lists(operands)


def _key_of(
    terms: Terms, arrays: Sequence[Any], options: Options, optimize: Any
) -> Optional[tuple]:
    """What a ready call depends on; None for calls that cannot be ready. Of arrays of
    one type the values do not matter to their common type."""
    if type(optimize) is not bool:
        return None
    out, dtype, order, casting = options
    if not (type(order) is str and type(casting) is str):
        return None
    key = [terms, optimize, order, casting]
    for array in arrays if out is None else (*arrays, out):
        if type(array) is not numpy.ndarray:
            return None
        key += array.dtype, array.shape, array.strides
    if dtype is not None:
        key.append(numpy.dtype(dtype))
    if out is not None:
        key.append(out.flags.writeable)
    return tuple(key)


def _contract(
    terms: Terms,
    arrays: Sequence[numpy.ndarray],
    options: Options,
    optimize: Any,
    key: Optional[tuple],
) -> Any:
    resolved = resolve(terms, [array.ndim for array in arrays])
    if options.out is None and len(arrays) == 1:
        if set(resolved.inputs[0]) == set(resolved.output):
            calls["view"] += 1
            return _ask_numpy(resolved, arrays, options, optimize)
    path = take_path(resolved, [array.shape for array in arrays], optimize)
    if path is not None:
        # The type does not depend on the order.
        options = options._replace(dtype=common_dtype(resolved, arrays, options))
        return follow(path, resolved, arrays, options, einsum)
    result, dtype, ready = contract(resolved, arrays, options, bool(optimize))
    if result is None:
        calls[f"numpy: {dtype.name}"] += 1
        return _ask_numpy(resolved, arrays, options, optimize)
    if key is not None and ready is not None:
        if len(_ready) >= _MOST_READY:
            _ready.clear()
        _ready[key] = ready
    return result


def _contract_foreign(
    terms: Terms, values: Sequence[Any], options: Options, optimize: Any
) -> Any:
    arrays = [value if is_foreign(value) else numpy.asarray(value) for value in values]
    buffers = view_all(arrays)
    resolved = resolve(terms, [len(buffer.shape) for buffer in buffers])
    path = take_path(resolved, [buffer.shape for buffer in buffers], optimize)
    if path is not None:
        options = options._replace(dtype=choose_dtype(buffers, options))
        return follow(path, resolved, arrays, options, einsum)
    return contract_foreign(resolved, arrays, buffers, options, bool(optimize))


def _ask_numpy(
    terms: ResolvedTerms,
    arrays: Sequence[numpy.ndarray],
    options: Options,
    optimize: Any,
) -> Any:
    subscripts = ",".join(terms.inputs) + "->" + terms.output
    given = {name: value for name, value in options._asdict().items() if value is not None}
    return numpy_einsum(subscripts, *arrays, optimize=optimize, **given)
