"""`tc.compile`: an einsum and what it is given, to a kernel."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Any, Callable, Iterable, Optional, Sequence, Union

from . import _arrays, _cache, _device, _dtypes, _operands
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
    precision: Optional[str] = None,
    chips: Union[None, str, Sequence[str]] = None,
    schedule: Optional[str] = None,
    tuning: Union[None, str, os.PathLike[str]] = None,
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
    precision: of products of float32 or complex64: "ieee", "tf32", "tf32x3", "bf16",
        "bf16x3", "bf16x6" or "bf16x9" (docs/Accuracy.md).
    chips: GPUs to compile for, as "sm_90a" or ("sm_80", "sm_90a"); () is the CPU alone.
        Without it: for arrays, the device that they are on, or the CPU alone; for
        shapes, sm_90a.
    schedule: a `#tc.schedule<...>` for the GPU instead of the compiler's.
    tuning: a file of schedules that were tried before (docs/Reports.md), for the GPU.
    order: "optimal" contracts two operands at a time, in the order of fewest
        operations; "as-written" all in one nest.
    name: of the function in C, `tc_NAME`.
    progress: called with the name of each stage as it begins: "look up", "compile"
        where the cache does not have the kernel, "load".

    Raises CompileError where the compiler refuses, with its diagnostic; TypeError and
    ValueError for arguments that are none of the above; OSError for a tuning file that
    cannot be read; ToolError without a compiler.
    """
    if not operands:
        raise ValueError("expected at least one operand, got none")
    if not isinstance(subscripts, str):
        raise TypeError(f"expected subscripts as a string, got {type(subscripts).__name__}")
    described = _operands.describe_each(operands)
    buffers = [one for one in described if isinstance(one, Buffer)]
    arguments = [f"--einsum={subscripts}"]
    arguments += _operands.describe_all(subscripts, described)
    arguments.append(f"--dtype={_operands.describe_types(described, dtype, result_dtype)}")
    if accumulate is not None:
        arguments.append(f"--accumulate={_dtypes.parse(accumulate)}")
    if precision is not None:
        arguments.append(f"--precision={precision}")
    if order not in ("optimal", "as-written"):
        raise ValueError(f"expected the order 'optimal' or 'as-written', got {order!r}")
    arguments.append(f"--order={order}")
    arguments.append(f"--chips={','.join(choose_chips(chips, buffers)) or 'none'}")
    if schedule is not None:
        arguments.append(f"--schedule={schedule}")
    files: tuple[str, ...] = ()
    if tuning is not None:
        arguments.append(f"--tuning={os.path.abspath(tuning)}")
        files = (_hash_of(tuning),)
    if name is not None:
        arguments.append(f"--name={name}")
    return _find_or_make((*arguments, "--emit=package", "--host-cpu=native"), files, progress)


def _hash_of(path: Union[str, os.PathLike[str]]) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _find_or_make(
    arguments: tuple[str, ...], files: tuple[str, ...], progress: Optional[Progress]
) -> Kernel:
    """One kernel for the same arguments and files, whichever thread asks first."""
    key = (*arguments, *files)
    kernel = _kernels.get(key)
    if kernel is not None:
        return kernel
    with _lock:
        own = _locks.setdefault(key, threading.Lock())
    with own:
        kernel = _kernels.get(key)
        if kernel is None:
            kernel = Kernel(_cache.find_or_make(list(arguments), progress, files), is_verified=True)
            _kernels[key] = kernel
    return kernel


def choose_chips(chips: Any, buffers: Iterable[Buffer]) -> tuple[str, ...]:
    """What to compile for, as `compile` says."""
    if isinstance(chips, str):
        return (chips,)
    if chips is not None:
        return tuple(chips)
    devices = {buffer.device for buffer in buffers}
    if not devices:
        return (DEFAULT_CHIP,)
    return tuple(sorted({_device.device(n).chip for n in devices if n != _arrays.CPU}))
