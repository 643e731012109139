"""`tc.tune`: tries schedules of a contraction, and keeps the best in a file."""

from __future__ import annotations

import os
import subprocess
from typing import Any, Callable, Optional, Sequence, Union

from . import _arrays, _compile, _operands, _tools
from ._arrays import Buffer
from ._errors import Error, ToolError


def tune(
    subscripts: str,
    *operands: Any,
    file: Union[str, os.PathLike[str]],
    dtype: Any = None,
    result_dtype: Any = None,
    chips: Union[None, str, Sequence[str]] = None,
    cpu: Optional[str] = None,
    by: Optional[str] = None,
    top: int = 8,
    minutes: float = 10,
    again: bool = False,
    progress: Optional[Callable[[str], None]] = None,
) -> None:
    """Tries the schedules for a GPU, or for the CPU, that the search ranks first, and adds
    the best to `file`, for `tc.compile(..., tuning=file)`. What the file knows is tried
    `again` only on request.

    Operands are those of `tc.compile`, of one element type, without gaps, and with all
    their extents; `result_dtype` is that of the result, where it is another than usual. `cpu="native"` measures schedules on this machine's CPU, for kernels of
    this machine. Else `by` is how schedules are compared: "counted" (the default) or
    "simulated" by the emulator, or "measured" on the GPU. `top` schedules are tried, in
    `minutes` at most. `progress` is called with a line on each schedule and each chip when
    it is done.

    Runs the program tc-tune of a build of tc; raises ToolError where there is none, Error
    with what it says where it fails, ValueError for operands that it cannot tune.
    """
    described = _operands.describe_each(operands)
    for number, one in enumerate(described):
        if isinstance(one, Buffer) and not _arrays.is_row_major(one.shape, one.strides):
            raise ValueError(f"operand {number}: expected an array without gaps, to be tuned")
    types = _operands.describe_types(described, dtype, result_dtype)
    shapes = [one.shape if isinstance(one, Buffer) else one for one in described]
    sizes = _operands.describe_sizes(subscripts, shapes)
    if "," in types or "?" in sizes:
        raise ValueError(
            "expected one element type and extents that are known, to be tuned, got "
            f"{types} and {sizes}"
        )
    buffers = [one for one in described if isinstance(one, Buffer)]
    arguments = [f"--file={os.fspath(file)}", f"--einsum={subscripts}", f"--sizes={sizes}"]
    arguments.append(f"--dtypes={types}")
    if cpu is None:
        chosen = _compile.choose_chips(chips, buffers) or (_compile.DEFAULT_CHIP,)
        arguments += [f"--chips={','.join(chosen)}", f"--by={by or 'counted'}"]
    else:
        if chips is not None or by is not None:
            raise ValueError("expected no chips and no 'by' with a CPU, which is measured")
        arguments.append(f"--cpu={cpu}")
    arguments += [f"--top={top}", f"--minutes={minutes}"] + (["--again"] if again else [])
    _run(arguments, progress or (lambda line: None))


def _run(arguments: list[str], progress: Callable[[str], None]) -> None:
    program = _tools.find_tuner()
    build = os.path.dirname(os.path.dirname(_tools.find_compiler()))
    lines = []
    try:
        with subprocess.Popen(
            [*program, *arguments, f"--build={build}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            assert running.stderr is not None
            for line in running.stderr:
                lines.append(line.strip())
                progress(lines[-1])
    except OSError as error:
        raise ToolError(f"expected to run {program[-1]}: {error}") from error
    if running.returncode != 0:
        raise Error("\n".join(lines) or f"tc-tune ended by status {running.returncode}")
