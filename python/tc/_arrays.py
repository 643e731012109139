"""Any array as a pointer, a shape, strides and a place."""

from __future__ import annotations

from typing import Any

import numpy

from . import _dtypes

CPU = -1


class Buffer:
    """An array of some library, which stays alive as long as this does.

    `pointer` is the address of element [0, ..., 0]; `strides` are in elements;
    `dtype` is tc's name of the element type ("f32"); `device` is CPU or the number of
    a CUDA device.
    """

    __slots__ = ("pointer", "shape", "strides", "dtype", "device", "is_read_only", "owner")

    def __init__(
        self,
        pointer: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: str,
        device: int,
        is_read_only: bool,
        owner: Any,
    ) -> None:
        self.pointer = pointer
        self.shape = shape
        self.strides = strides
        self.dtype = dtype
        self.device = device
        self.is_read_only = is_read_only
        self.owner = owner


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of elements that lie without gaps, the last dimension fastest."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def is_row_major(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Do the elements lie without gaps? Strides of dimensions that are walked by no
    step do not matter, and none does where there are no elements."""
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent > 1 and stride != step:
            return 0 in shape
        step *= extent
    return True


def in_elements(strides: tuple[int, ...], size: int, matter: bool) -> tuple[int, ...]:
    """Strides in bytes as such of elements of `size` bytes. Raises ValueError for what
    is no whole number of them, where strides matter."""
    if matter and any(stride % size for stride in strides):
        raise ValueError(f"expected strides of whole elements of {size} bytes, got {strides}")
    return tuple(stride // size for stride in strides)


def of_numpy(array: numpy.ndarray) -> Buffer:
    """A NumPy array. Raises TypeError for types tc does not have, ValueError
    for elements at odd places."""
    dtype = _dtypes.of_numpy(array.dtype)
    size = array.dtype.itemsize
    strides = array.strides
    if size != 1:
        strides = in_elements(strides, size, array.size != 0)
    interface = array.__array_interface__
    pointer, is_read_only = interface["data"]
    return Buffer(pointer, array.shape, strides, dtype, CPU, is_read_only, array)


def item_bytes(dtype: str) -> int:
    """Bytes of one element."""
    return _dtypes.ITEM_BYTES[dtype]
