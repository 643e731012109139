"""`tc.einsum`: numpy.einsum, computed by kernels of tc."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy
from numpy import einsum as numpy_einsum  # also where tc.einsum stands in for it

from .. import _compile
from .._arrays import Buffer
from .._call._bound import key_of
from .._recent import recent
from ._foreign import choose_dtype, contract_foreign, is_foreign, prepare_foreign, view_all
from ._host import calls, common_dtype, contract, prepare
from ._kernels import request_of
from ._numpy import Options
from ._path import Step, follow, take_path
from ._subscripts import ResolvedTerms, Terms, parse_lists, parse_string, resolve

__all__ = ["einsum", "prefetch"]


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
    written: Union[str, Terms]
    values: Sequence[Any]
    if operands and type(operands[0]) is str:
        written, values = operands[0], operands[1:]
    else:
        written, values = _read(operands)
    try:
        head = (written, optimize, dtype, order, casting)
        key = key_of(head, values, out) if type(optimize) is bool else None
        bound = None if key is None else recent[key]
    except TypeError:  # Options that are no keys are wrong, which is said below.
        key = bound = None
    if bound is not None:
        result = bound(values, out)
        if result is not None:
            calls["kernel"] += 1
            return result
    terms, values = _read(operands)
    options = Options(out, dtype, order, casting)
    if any(map(is_foreign, values)):
        return _contract_foreign(terms, values, options, optimize)
    if out is not None and not isinstance(out, numpy.ndarray):
        raise TypeError("keyword parameter out must be an array for einsum")
    # An array of a class of its own is taken as the plain one below it.
    arrays = [numpy.asarray(value) for value in values]
    resolved = resolve(terms, [array.ndim for array in arrays])
    result = _contract(resolved, arrays, options, optimize, key)
    # As NumPy has it, a new array of no dimensions is a number.
    is_number = out is None and isinstance(result, numpy.ndarray) and not result.ndim
    return result[()] if is_number else result


def prefetch(subscripts: str, arrays: Sequence[numpy.ndarray], out: numpy.ndarray) -> None:
    """Compiles what `einsum(subscripts, *arrays, out=out, optimize=True)` runs. Nothing is
    read or written."""
    terms = resolve(parse_string(subscripts), [array.ndim for array in arrays])
    problem = prepare(terms, arrays, Options(out)).problem
    if problem is not None:
        _compile.find_or_make(request_of(problem, True))


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


def _follow(
    steps: Sequence[Step],
    arrays: Sequence[Any],
    options: Options,
    likenesses: Sequence[Any],
    look: Callable[..., tuple[Optional[_compile.Request], Any]],
) -> Any:
    """Contracts step by step. Before the first, `look` finds the kernels of all steps, of
    what looks like their operands, so that they compile side by side."""

    def options_of(step: Step) -> Options:
        return options if step is steps[-1] else options._replace(out=None)

    def note(step: Step, taken: Sequence[Any]) -> Any:
        request, likeness = look(step.terms, taken, options_of(step))
        requests.append(request)
        return likeness

    requests: list[Optional[_compile.Request]] = []
    key = key_of((steps, options.dtype, options.order, options.casting), arrays, options.out)
    if key is None or recent[key] is None:
        follow(steps, likenesses, note)
        _compile.find_or_make_all(request for request in requests if request is not None)
        if key is not None:
            recent[key] = True
    return follow(
        steps,
        arrays,
        lambda step, taken: einsum(str(step.terms), *taken, **options_of(step)._asdict()),
    )


#
# Arrays of NumPy
#


def _contract(
    terms: ResolvedTerms,
    arrays: Sequence[numpy.ndarray],
    options: Options,
    optimize: Any,
    key: Optional[tuple[Any, ...]] = None,
) -> Any:
    if _is_view(terms, arrays, options):
        calls["view"] += 1
        return _ask_numpy(terms, arrays, options, optimize)
    steps = take_path(terms, [array.shape for array in arrays], optimize)
    if steps is not None:
        # The type does not depend on the order.
        options = options._replace(dtype=common_dtype(terms, arrays, options))
        return _follow(steps, arrays, options, arrays, _look)
    prepared = prepare(terms, arrays, options)
    result, bound = contract(prepared, arrays, options, bool(optimize))
    if result is None:
        calls[f"numpy: {prepared.dtype.name}"] += 1
        return _ask_numpy(terms, arrays, options, optimize)
    if key is not None and bound is not None:
        recent[key] = bound
    return result


def _look(
    terms: ResolvedTerms, arrays: Sequence[numpy.ndarray], options: Options
) -> tuple[Optional[_compile.Request], numpy.ndarray]:
    """What has to be compiled for a step, and an array like its result."""
    if _is_view(terms, arrays, options):
        return None, _ask_numpy(terms, arrays, options, False)
    prepared = prepare(terms, arrays, options)
    request = None if prepared.problem is None else request_of(prepared.problem, False)
    return request, prepared.result


def _is_view(terms: ResolvedTerms, arrays: Sequence[Any], options: Options) -> bool:
    return options.out is None and len(arrays) == 1 and set(terms.inputs[0]) == set(terms.output)


def _ask_numpy(
    terms: ResolvedTerms,
    arrays: Sequence[numpy.ndarray],
    options: Options,
    optimize: Any,
) -> Any:
    given = {name: value for name, value in options._asdict().items() if value is not None}
    return numpy_einsum(str(terms), *arrays, optimize=optimize, **given)


#
# Arrays of other libraries
#


def _contract_foreign(
    terms: Terms, values: Sequence[Any], options: Options, optimize: Any
) -> Any:
    arrays = [value if is_foreign(value) else numpy.asarray(value) for value in values]
    buffers = view_all(arrays)
    resolved = resolve(terms, [len(buffer.shape) for buffer in buffers])
    steps = take_path(resolved, [buffer.shape for buffer in buffers], optimize)
    if steps is None:
        return contract_foreign(resolved, arrays, buffers, options, bool(optimize))
    options = options._replace(dtype=choose_dtype(buffers, options))
    return _follow(steps, arrays, options, buffers, _look_at_foreign)


def _look_at_foreign(
    terms: ResolvedTerms, buffers: Sequence[Buffer], options: Options
) -> tuple[_compile.Request, Buffer]:
    return prepare_foreign(terms, buffers, options.dtype)
