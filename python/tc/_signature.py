"""What a packaged function takes, from the package's manifest, and whether arrays
are that."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional, Union

from ._arrays import Buffer

Quantity = Union[int, str]


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument. Extents, strides and offset are numbers, or the names of
    parameters that follow from a call's arrays; strides may be "row-major".

    An einsum's operand with strides of its own is a part of a flat buffer of so many
    `elements`, where `offset` is the place of element [0, ..., 0].
    """

    name: str
    dtype: str
    c_type: str
    is_written: bool
    is_scalar: bool
    shape: tuple[Quantity, ...] = ()
    strides: tuple[Quantity, ...] = ()
    offset: Quantity = 0

    @property
    def is_row_major(self) -> bool:
        """Do its elements lie without gaps, in the order of its dimensions?"""
        step: Optional[int] = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if stride not in ("row-major", step) and extent != 1:
                return False
            step = None if step is None or isinstance(extent, str) else step * extent
        return True


class Signature:
    """All arguments of a function, and the parameters behind them."""

    def __init__(self, entry: dict[str, Any]) -> None:
        views = entry["input"].get("operands") or [None] * len(entry["arguments"])
        self.arguments = tuple(map(_read_argument, entry["arguments"], views))
        self.parameters = tuple(p["name"] for p in entry["parameters"])
        self.is_einsum = entry["input"]["einsum"] is not None

    def bind(self, buffers: list[Any]) -> dict[str, int]:
        """The parameters of a call with these arrays, of which those that are not
        there yet are None. Raises ValueError or TypeError for an array that does not
        fit."""
        known: dict[str, int] = {}
        for argument, buffer in zip(self.arguments, buffers):
            if buffer is not None and not argument.is_scalar:
                _check(argument, buffer, known)
        return known

    def shape_of(self, argument: Argument, known: dict[str, int]) -> tuple[int, ...]:
        """The shape that an argument has in a call of these parameters."""
        return tuple(known[e] if isinstance(e, str) else e for e in argument.shape)

    def offset_of(self, argument: Argument, known: dict[str, int]) -> int:
        """Elements from the pointer that the function takes to element [0, ..., 0]."""
        offset = argument.offset
        return known[offset] if isinstance(offset, str) else offset


def _read_argument(argument: dict[str, Any], view: Optional[dict[str, Any]]) -> Argument:
    place = view or argument
    return Argument(
        argument["name"],
        argument["dtype"],
        argument["c_type"],
        argument["kind"] == "written",
        argument["kind"] == "scalar",
        tuple(place.get("shape", ())),
        tuple(place.get("strides", ())),
        place.get("offset", 0),
    )


def _check(argument: Argument, buffer: Buffer, known: dict[str, int]) -> None:
    if buffer.dtype != argument.dtype:
        raise TypeError(
            f"{argument.name}: expected elements of {argument.dtype}, got {buffer.dtype}"
        )
    _bind_shape(argument, buffer, known)
    if argument.is_written and buffer.is_read_only:
        raise ValueError(
            f"{argument.name}: expected an array that may be written, got one that is read-only"
        )
    if 0 not in buffer.shape:
        _bind_strides(argument, buffer, known)
    for stride in (*argument.strides, argument.offset):
        if isinstance(stride, str) and stride != "row-major":
            known.setdefault(stride, 0)  # An offset, or the stride of no step.


def _bind_shape(argument: Argument, buffer: Buffer, known: dict[str, int]) -> None:
    if len(buffer.shape) != len(argument.shape):
        raise ValueError(
            f"{argument.name}: expected {_text(argument.shape)}, of {len(argument.shape)} "
            f"dimensions, got {_text(buffer.shape)}"
        )
    for number, (extent, got) in enumerate(zip(argument.shape, buffer.shape)):
        expected = extent
        if isinstance(extent, str):
            expected = known.setdefault(extent, got)
        if expected != got:
            why = f", as {extent} is elsewhere" if isinstance(extent, str) else ""
            raise ValueError(
                f"{argument.name}: expected the shape {_text(argument.shape)}, got "
                f"{_text(buffer.shape)}: dimension {number} has to be {expected}{why}"
            )


def _bind_strides(argument: Argument, buffer: Buffer, known: dict[str, int]) -> None:
    step = 1
    dims = list(zip(argument.strides, buffer.strides, buffer.shape))
    for number in range(len(dims) - 1, -1, -1):
        stride, got, extent = dims[number]
        if extent > 1:
            expected = step if stride == "row-major" else stride
            if isinstance(expected, str):
                expected = known.setdefault(expected, got)
            if expected != got:
                raise ValueError(
                    f"{argument.name}: expected a stride of {expected} elements in dimension "
                    f"{number}, got {got}: the kernel was compiled for "
                    + ("an array without gaps" if argument.is_row_major else "these strides")
                )
        step *= extent


def _text(shape: tuple[Quantity, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
