"""Einsums of arrays of other libraries than NumPy, on the CPU or on their device.

Types follow NumPy's rules. The result is a new array of the first operand's library, row
by row in memory, also where NumPy would give a view; on a device the kernel is launched
on the library's current stream (`tc.Kernel`)."""

from __future__ import annotations

import sys
from typing import Any, Sequence

import numpy

from .. import _compile, _dtypes, _libraries
from .._arrays import Buffer, row_major
from .._recent import recent
from ._host import calls
from ._numpy import Options
from ._subscripts import ResolvedTerms

__all__ = ["choose_dtype", "contract_foreign", "is_foreign", "prepare_foreign", "view_all"]

_SIGNED = {"u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64"}


def is_foreign(value: Any) -> bool:
    """An array that is not NumPy's, and no value of Python either."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return False
    return hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")


def contract_foreign(
    terms: ResolvedTerms,
    arrays: Sequence[Any],
    buffers: Sequence[Buffer],
    options: Options,
    optimize: bool,
) -> Any:
    """The result (options.out where that is given). `buffers` are views of the arrays.

    Raises TypeError and ValueError for types, casts and layouts that are not to be had,
    LaunchError for what the runtime refuses, such as an `out` that overlaps an operand."""
    if str(options.order).upper() not in ("K", "A", "C"):
        raise ValueError(
            f"expected the order 'C', 'A' or 'K' for arrays that are not NumPy's, got "
            f"{options.order!r}"
        )
    out = options.out
    result = choose_dtype(buffers, options)
    for number, buffer in enumerate(buffers):
        _check_cast(buffer.dtype, result, options.casting, f"operand {number}")
    if out is not None and view_all([out])[0].dtype != result:
        raise TypeError(
            f"expected an out of {result}, the type of the sums, got {view_all([out])[0].dtype}"
        )
    if result not in _SIGNED:
        return _run(terms, arrays, buffers, result, optimize, out)
    # Sums and products of integers without a sign have the bits of those with one.
    signed = [_recast(array, _SIGNED[result]) for array in arrays]
    target = None if out is None else _recast(out, _SIGNED[result])
    got = _run(terms, signed, view_all(signed), _SIGNED[result], optimize, target)
    return _recast(got, result) if out is None else out


def view_all(arrays: Sequence[Any]) -> list[Buffer]:
    """What the arrays are. Raises TypeError for element types that tc does not have."""
    return [_libraries.of(array).view(array, None) for array in arrays]


def _run(
    terms: ResolvedTerms,
    arrays: Sequence[Any],
    buffers: Sequence[Buffer],
    result: str,
    optimize: bool,
    out: Any,
) -> Any:
    key: tuple[Any, ...] = (terms, optimize, result)
    for buffer in buffers:
        key += (buffer.dtype, buffer.shape, buffer.strides, buffer.device)
    kernel = recent[key]
    if kernel is None:
        kernel = _compile.find_or_make(_request_of(terms, buffers, result, optimize))
        recent[key] = kernel
    calls["kernel"] += 1
    return kernel(*arrays, out=out)


def _request_of(
    terms: ResolvedTerms, buffers: Sequence[Buffer], result: str, optimize: bool
) -> _compile.Request:
    order = "optimal" if optimize else "as-written"
    return _compile.describe(str(terms), *buffers, result_dtype=result, order=order)


def prepare_foreign(
    terms: ResolvedTerms, buffers: Sequence[Buffer], result: str
) -> tuple[_compile.Request, Buffer]:
    """What `contract_foreign` compiles for such arrays, and what its new result is."""
    extents: dict[str, int] = {}
    for term, buffer in zip(terms.inputs, buffers):
        extents.update(zip(term, buffer.shape))
    shape = tuple(extents[label] for label in terms.output)
    dtype = _SIGNED.get(result, result)
    given = [
        Buffer(0, one.shape, one.strides, _SIGNED.get(one.dtype, one.dtype), one.device, True, None)
        for one in buffers
    ]
    made = Buffer(0, shape, row_major(shape), dtype, buffers[0].device, False, None)
    return _request_of(terms, given, dtype, optimize=False), made


def _recast(array: Any, dtype: str) -> Any:
    """The bits of an array as another type of the same width."""
    name = _dtypes.long_name(dtype)
    kind = _libraries.of(array)
    if kind is _libraries.Torch:
        return array.view(getattr(sys.modules["torch"], name))
    if kind is _libraries.Cupy:
        return array.view(name)
    raise TypeError(
        "expected integers with a sign, of arrays that are not of NumPy, torch or CuPy; got "
        f"{view_all([array])[0].dtype}"
    )


#
# Types
#


def _numpy_dtype(name: str) -> numpy.dtype:
    """NumPy's type that converts as this one does, beside other types."""
    return numpy.dtype(_dtypes.long_name("f16" if name in _dtypes.EXTENSIONS else name))


def choose_dtype(buffers: Sequence[Buffer], options: Options) -> str:
    """The type of sums and result: the one asked for, else the smallest that all
    operands convert to, or f32 where all are floats of 8 bits."""
    if options.dtype is not None:
        return _dtypes.parse(options.dtype)
    names = [buffer.dtype for buffer in buffers]
    if all(map(_dtypes.is_f8, names)):
        return "f32"
    if {"f16", "bf16"} <= set(names):
        names = [*names, "f32"]
    common = _dtypes.of_numpy(numpy.result_type(*map(_numpy_dtype, names)))
    return "bf16" if common == "f16" and "bf16" in names else common


def _check_cast(given: str, wanted: str, casting: Any, what: str) -> None:
    """Raises TypeError for a conversion that `casting` does not allow, or tc does not
    have."""
    if given == wanted:
        return
    allowed = numpy.can_cast(_numpy_dtype(given), _numpy_dtype(wanted), casting)
    is_narrower = _dtypes.is_f8(wanted) and given in _dtypes.FLOATS
    if {given, wanted} == {"f16", "bf16"} or is_narrower:
        allowed = casting in ("same_kind", "unsafe")
    if not allowed:
        raise TypeError(
            f"{what}: {given} cannot be cast to {wanted} according to the rule '{casting}'"
        )
    if given in _SIGNED or wanted in _SIGNED:
        raise TypeError(
            f"{what}: expected {wanted}, since kernels do not convert unsigned integers, "
            f"got {given}"
        )
