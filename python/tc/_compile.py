"""`tc.compile`: an einsum and what it is given, to a kernel."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import numpy

from . import _arrays, _cache, _device, _dtypes, _libraries
from ._arrays import Buffer
from ._kernel import Kernel

Progress = Callable[[str], None]
DEFAULT_CHIP = "sm_90a"  # that of tc-compile

_kernels: dict[tuple[str, ...], Kernel] = {}
_locks: dict[tuple[str, ...], threading.Lock] = {}
_lock = threading.Lock()


def _forget_locks() -> None:
    """After a fork, threads that held a lock are gone."""
    global _lock
    _lock = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_locks)


def compile(  # noqa: A001 (as the module is meant to be used: tc.compile)
    subscripts: str,
    *operands: Any,
    dtype: Any = None,
    result_dtype: Any = None,
    accumulate: Any = None,
    chips: Union[None, str, Sequence[str]] = None,
    schedule: Optional[str] = None,
    order: str = "optimal",
    name: Optional[str] = None,
    progress: Optional[Progress] = None,
) -> Kernel:
    """Compiles an einsum for operands of these shapes, or takes it from the cache.

    Each operand is an array, which is not read, or a shape: a tuple of extents, of
    which those that are None or -1 are known at a call only. Arrays count with their
    strides, where their elements do not lie without gaps.

    dtype: element type of the operands that are shapes, or one for each; float32.
    result_dtype: element type of the result.
    accumulate: element type of the sums.
    chips: GPUs to compile for, as "sm_90a" or ("sm_80", "sm_90a"); () is the CPU alone.
        Without it: for arrays, the device that they are on, or the CPU alone; for
        shapes, sm_90a.
    schedule: a `#tc.schedule<...>` for the GPU instead of the compiler's.
    order: "optimal" contracts two operands at a time, in the order of fewest
        operations; "as-written" all in one nest.
    name: of the function in C, `tc_NAME`.
    progress: called with the name of each stage as it begins: "look up", "compile"
        where the cache does not have the kernel, "load".

    Raises CompileError where the compiler refuses, with its diagnostic; TypeError and
    ValueError for arguments that are none of the above; ToolError without a compiler.
    """
    if not operands:
        raise ValueError("expected at least one operand, got none")
    if not isinstance(subscripts, str):
        raise TypeError(f"expected subscripts as a string, got {type(subscripts).__name__}")
    described = [_describe(operand) for operand in operands]
    buffers = [one for one in described if isinstance(one, Buffer)]
    arguments = [f"--einsum={subscripts}"]
    arguments += _describe_operands(subscripts, described)
    arguments.append(f"--dtype={_describe_types(described, dtype, result_dtype)}")
    if accumulate is not None:
        arguments.append(f"--accumulate={_dtypes.parse(accumulate)}")
    if order not in ("optimal", "as-written"):
        raise ValueError(f"expected the order 'optimal' or 'as-written', got {order!r}")
    arguments.append(f"--order={order}")
    arguments.append(f"--chips={','.join(_choose_chips(chips, buffers)) or 'none'}")
    if schedule is not None:
        arguments.append(f"--schedule={schedule}")
    if name is not None:
        arguments.append(f"--name={name}")
    return _find_or_make((*arguments, "--emit=package", "--host-cpu=native"), progress)


def _find_or_make(arguments: tuple[str, ...], progress: Optional[Progress]) -> Kernel:
    """One kernel for the same arguments, whichever thread asks first."""
    kernel = _kernels.get(arguments)
    if kernel is not None:
        return kernel
    with _lock:
        own = _locks.setdefault(arguments, threading.Lock())
    with own:
        kernel = _kernels.get(arguments)
        if kernel is None:
            kernel = Kernel(_cache.find_or_make(list(arguments), progress))
            _kernels[arguments] = kernel
    return kernel


#
# Operands
#


def _describe(operand: Any) -> Union[Buffer, tuple[Optional[int], ...]]:
    if isinstance(operand, (tuple, list)):
        return tuple(_extent(value, operand) for value in operand)
    return _libraries.of(operand).view(operand, None)


def _extent(value: Any, shape: Any) -> Optional[int]:
    if value is None:
        return None
    if isinstance(value, (int, numpy.integer)) and not isinstance(value, bool) and value >= -1:
        return None if value == -1 else int(value)
    raise TypeError(f"expected an array or a shape of extents of at least 0, got {shape!r}")


def _describe_operands(subscripts: str, described: list[Any]) -> list[str]:
    shapes = [one.shape if isinstance(one, Buffer) else one for one in described]
    if any(extent is None for shape in shapes for extent in shape):
        for number, one in enumerate(described):
            if isinstance(one, Buffer) and not _arrays.is_row_major(one.shape, one.strides):
                raise ValueError(
                    f"operand {number}: expected an array without gaps, beside extents that "
                    f"only a call knows, got strides of {one.strides} elements"
                )
        return [f"--sizes={_describe_sizes(subscripts, shapes)}"]
    return [f"--operands={json.dumps([_layout(one) for one in described])}"]


def _layout(one: Union[Buffer, tuple[int, ...]]) -> Any:
    """An operand as tc-compile takes it."""
    if not isinstance(one, Buffer):
        return list(one)
    if _arrays.is_row_major(one.shape, one.strides):
        return list(one.shape)
    offset = -sum(min(0, (e - 1) * s) for e, s in zip(one.shape, one.strides))
    return {"shape": list(one.shape), "strides": list(one.strides), "offset": offset}


def _describe_sizes(subscripts: str, shapes: list[Any]) -> str:
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


def _describe_types(described: list[Any], dtype: Any, result: Any) -> str:
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


def _choose_chips(chips: Any, buffers: Iterable[Buffer]) -> tuple[str, ...]:
    if isinstance(chips, str):
        return (chips,)
    if chips is not None:
        return tuple(chips)
    devices = {buffer.device for buffer in buffers}
    if not devices:
        return (DEFAULT_CHIP,)
    return tuple(sorted({_device.device(n).chip for n in devices if n != _arrays.CPU}))
