"""`tc.compile`: an einsum and what it is given, to a kernel."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Any, Callable, Iterable, NamedTuple, Optional, Sequence, Union

from . import _arrays, _cache, _device, _dtypes, _operands, _progress
from ._arrays import Buffer
from ._errors import Error
from ._kernel import Kernel
from ._recent import recent

Progress = Callable[[str], None]
DEFAULT_CHIP = "sm_90a"  # that of tc-compile


class Request(NamedTuple):
    """What a kernel is compiled from: tc-compile's arguments (all but `-o`), and hashes of
    the files that they name."""

    arguments: tuple[str, ...]
    files: tuple[str, ...] = ()


_locks: dict[Request, threading.Lock] = {}  # of what is being compiled
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
    tuning: a file of schedules that were tried before (docs/Reports.md), for GPUs and
        the CPU.
    order: "optimal" contracts two operands at a time, in the order of fewest
        operations; "as-written" all in one nest.
    name: of the function in C, `tc_NAME`.
    progress: called with the name of each stage as it begins: "look up", "compile"
        where the cache does not have the kernel, "load".

    Raises CompileError where the compiler refuses, with its diagnostic; TypeError and
    ValueError for arguments that are none of the above; OSError for a tuning file that
    cannot be read; ToolError without a compiler.
    """
    request = describe(
        subscripts,
        *operands,
        dtype=dtype,
        result_dtype=result_dtype,
        accumulate=accumulate,
        precision=precision,
        chips=chips,
        schedule=schedule,
        tuning=tuning,
        order=order,
        name=name,
    )
    return find_or_make(request, progress)


def describe(
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
) -> Request:
    """The arguments of `compile`, looked at."""
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
    return Request((*arguments, "--emit=package", "--host-cpu=native"), files)


def _hash_of(path: Union[str, os.PathLike[str]]) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def find_or_make(
    request: Request,
    progress: Optional[Progress] = None,
    tick: Callable[[], None] = _progress.tick,
) -> Kernel:
    """One kernel for the same request, whichever thread asks first. `tick` is called while
    this waits, which ends by what it raises."""
    kernel = recent[request]
    if kernel is not None:
        return kernel
    with _lock:
        own = _locks.setdefault(request, threading.Lock())
    while not own.acquire(timeout=0.1):
        tick()
    try:
        kernel = recent[request]
        if kernel is None:
            arguments = list(request.arguments)
            folder = _cache.find_or_make(arguments, progress, request.files, tick)
            kernel = Kernel(folder, is_verified=True)
            recent[request] = kernel
    finally:
        own.release()
        with _lock:
            _locks.pop(request, None)
    return kernel


def find_or_make_all(requests: Iterable[Request]) -> None:
    """The kernels of all requests, side by side, for `find_or_make` to find them."""
    missing = [request for request in dict.fromkeys(requests) if recent[request] is None]
    if len(missing) < 2:
        return  # It takes no longer where it is asked for.
    import concurrent.futures  # which takes a while

    is_over = threading.Event()

    def tick() -> None:
        if is_over.is_set():
            raise Error("expected to compile, but another kernel could not be")
        _progress.tick()

    workers = min(len(missing), len(os.sched_getaffinity(0)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        made = [pool.submit(find_or_make, request, None, tick) for request in missing]
        try:
            for one in concurrent.futures.as_completed(made):
                one.result()
        except BaseException:  # Ctrl-C, too: no compiler goes on, and none begins.
            is_over.set()
            for one in made:
                one.cancel()
            raise


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
