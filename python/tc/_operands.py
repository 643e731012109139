"""Operands of an einsum, as tc-compile is told of them."""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence, Union

import numpy

from . import _arrays, _dtypes, _libraries
from ._arrays import Buffer

Described = Union[Buffer, "tuple[Optional[int], ...]"]


def describe_each(operands: Sequence[Any]) -> list[Described]:
    """All operands; errors name the one that they are about."""
    described = []
    for number, operand in enumerate(operands):
        try:
            described.append(describe(operand))
        except (TypeError, ValueError) as error:
            raise type(error)(f"operand {number}: {error}") from None
    return described


def describe(operand: Any) -> Described:
    """An operand as `tc.compile` is given it: an array, its buffer, or a shape."""
    if isinstance(operand, Buffer):
        return operand
    if isinstance(operand, (tuple, list)):
        return tuple(_extent(value, operand) for value in operand)
    return _libraries.of(operand).view(operand, None)


def _extent(value: Any, shape: Any) -> Optional[int]:
    if value is None:
        return None
    if isinstance(value, (int, numpy.integer)) and not isinstance(value, bool) and value >= -1:
        if value >= 2**63:
            raise ValueError(f"expected a shape of extents below 2^63, got {shape!r}")
        return None if value == -1 else int(value)
    raise TypeError(f"expected an array or a shape of extents of at least 0, got {shape!r}")


def describe_all(subscripts: str, described: list[Described]) -> list[str]:
    """The options of tc-compile for the shapes and strides of all operands."""
    shapes = [one.shape if isinstance(one, Buffer) else one for one in described]
    if any(extent is None for shape in shapes for extent in shape):
        for number, one in enumerate(described):
            if isinstance(one, Buffer) and not _arrays.is_row_major(one.shape, one.strides):
                raise ValueError(
                    f"operand {number}: expected an array without gaps, beside extents that "
                    f"only a call knows, got strides of {one.strides} elements"
                )
        return [f"--sizes={describe_sizes(subscripts, shapes)}"]
    return [f"--operands={json.dumps([_layout(one) for one in described])}"]


def _layout(one: Described) -> Any:
    """An operand as tc-compile takes it."""
    if not isinstance(one, Buffer):
        return list(one)
    if _arrays.is_row_major(one.shape, one.strides):
        return list(one.shape)
    offset = -sum(min(0, (e - 1) * s) for e, s in zip(one.shape, one.strides))
    return {"shape": list(one.shape), "strides": list(one.strides), "offset": offset}


def describe_sizes(subscripts: str, shapes: list[Any]) -> str:
    """Extents by label. One that is known for one operand is for all of them."""
    inputs = subscripts.replace(" ", "").partition("->")[0].split(",")
    if len(inputs) != len(shapes) or "." in subscripts:
        raise ValueError(
            f"expected subscripts of {len(shapes)} operands, without '...' where extents are "
            f"known at a call only, got {subscripts!r}"
        )
    sizes: dict[str, Optional[int]] = {}
    for number, (labels, shape) in enumerate(zip(inputs, shapes)):
        if len(labels) != len(shape):
            raise ValueError(
                f"operand {number}: expected {len(labels)} dimensions, for {labels!r}, got {shape}"
            )
        for label, extent in zip(labels, shape):
            if sizes.get(label) is not None and extent not in (None, sizes[label]):
                raise ValueError(
                    f"operand {number}: expected an extent of {sizes[label]} for {label!r}, "
                    f"got {extent}"
                )
            sizes[label] = extent if extent is not None else sizes.get(label)
    return ",".join(f"{label}={'?' if e is None else e}" for label, e in sizes.items())


def describe_types(described: list[Described], dtype: Any, result: Any) -> str:
    """The element types of operands and result, as --dtype has them."""
    is_list = isinstance(dtype, (tuple, list))
    if is_list and len(dtype) != len(described):
        raise ValueError(f"expected {len(described)} element types, got {len(dtype)}")
    names = []
    for number, one in enumerate(described):
        wanted = dtype[number] if is_list else dtype
        if isinstance(one, Buffer):
            if wanted is not None and _dtypes.parse(wanted) != one.dtype:
                raise TypeError(f"operand {number}: expected {wanted}, got an array of {one.dtype}")
            names.append(one.dtype)
        else:
            names.append("f32" if wanted is None else _dtypes.parse(wanted))
    text = names[0] if len(set(names)) == 1 else ",".join(names)
    return text if result is None else f"{text}->{_dtypes.parse(result)}"
