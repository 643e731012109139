"""Finds the programs and libraries of tc."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from functools import lru_cache
from typing import Callable, Optional

from ._errors import CompileError, ToolError

_TICK = 0.1  # seconds
_PACKAGE = pathlib.Path(__file__).resolve().parent


def find_compiler() -> str:
    """The path of tc-compile: as the environment's TC_COMPILE says, else in the folder
    `bin` of this package, else on the PATH."""
    chosen = os.environ.get("TC_COMPILE")
    if chosen:
        if not os.access(chosen, os.X_OK) or os.path.isdir(chosen):
            raise ToolError(f"expected TC_COMPILE to name the program tc-compile, got {chosen!r}")
        return os.path.realpath(chosen)
    own = _PACKAGE / "bin" / "tc-compile"
    found = str(own) if os.access(own, os.X_OK) else shutil.which("tc-compile")
    if not found:
        raise ToolError(
            "expected the program tc-compile: install the package with `pip install .`, "
            "put tc-compile on the PATH, or name it in the environment's TC_COMPILE"
        )
    return os.path.realpath(found)


def find_tuner() -> list[str]:
    """How to run tc-tune: the program beside the compiler, with this Python."""
    path = os.path.join(os.path.dirname(find_compiler()), "tc-tune")
    if not os.path.exists(path):
        raise ToolError(
            f"expected the program tc-tune at {path}: it is part of a build of tc from its "
            "sources, which the environment's TC_COMPILE can name"
        )
    return [sys.executable, path]


def run_compiler(
    arguments: list[str],
    scratch: Optional[pathlib.Path] = None,
    tick: Callable[[], None] = lambda: None,
) -> tuple[str, str]:
    """Runs tc-compile; gives what it wrote to standard output and standard error. `scratch`
    is a folder for its temporary files. `tick` is called several times a second: what it
    raises, or Ctrl-C meanwhile, ends the compiler at once.

    Raises CompileError where the compiler refuses its input."""
    program = find_compiler()
    for argument in arguments:
        try:
            if b"\0" in os.fsencode(argument):
                raise CompileError(f"expected text without null characters, got {argument!r}")
        except UnicodeEncodeError as error:
            raise CompileError(f"expected text, got {argument!r}: {error}") from None
    try:
        process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=None if scratch is None else {**os.environ, "TMPDIR": str(scratch)},
            start_new_session=True,  # so that it can be ended with the programs that it runs
        )
    except OSError as error:
        raise ToolError(f"expected to run {program}: {error}") from error
    output, notes = _wait(process, tick)
    status = process.returncode
    if status == 0:
        return output, notes
    if status == 1:
        raise CompileError(notes.replace("tc-compile: error: ", "", 1).strip())
    how = f"signal {-status}" if status < 0 else f"status {status}"
    raise ToolError(f"{program} ended by {how}:\n{notes.strip()}")


def _wait(process: subprocess.Popen[str], tick: Callable[[], None]) -> tuple[str, str]:
    """Both outputs of a process that is the first of its group."""
    with process:
        try:
            while True:
                try:
                    return process.communicate(timeout=_TICK)
                except subprocess.TimeoutExpired:
                    tick()
        except BaseException:
            # The first signal lets programs remove their files.
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                    os.killpg(process.pid, number)
                    process.wait(_TICK * 3)
                    break
            raise


def find_runtime(package: Optional[pathlib.Path]) -> pathlib.Path:
    """The path of libtc-runtime.so: that beside this package or beside the compiler,
    which finds the emulator; else the one that the kernel's `package` brings, where there
    is a kernel. Raises ToolError without any."""
    folders = [_PACKAGE / "lib"]
    try:
        folders.append(pathlib.Path(find_compiler()).parents[1] / "lib")
    except ToolError:
        pass  # A package is all that a kernel needs.
    if package is not None:
        folders.append(package / "lib")
    for folder in folders:
        path = folder / "libtc-runtime.so"
        if path.exists():
            return path
    raise ToolError(f"expected libtc-runtime.so in {' or '.join(map(str, folders))}")


@lru_cache(maxsize=1)
def find_version() -> str:
    """That of the source tree that this package is in, else of its installation."""
    sources = _PACKAGE.parents[1] / "CMakeLists.txt"
    if sources.exists():
        found = re.search(r"project\(tc VERSION ([0-9.]+)", sources.read_text(encoding="utf-8"))
        if found:
            return found[1]
    import importlib.metadata  # which takes longer than all of `import tc`

    return importlib.metadata.version("tensor-contractions")


def which_ptxas() -> Optional[str]:
    """The assembler that tc-compile would take by the environment."""
    return os.environ.get("TC_PTXAS") or shutil.which("ptxas")


def fingerprint() -> list[str]:
    """Hashes of the compiler and of the runtime beside it, to tell what they made from
    what others made."""
    compiler = pathlib.Path(find_compiler())
    paths = (compiler, compiler.parents[1] / "lib" / "libtc-runtime.so")
    return [_hash_now(path) for path in paths if path.exists()]


def _hash_now(path: pathlib.Path) -> str:
    known = os.stat(path)
    return _hash_file(str(path), known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=8)
def _hash_file(path: str, _time: int, _size: int) -> str:
    return hash_file(path)


def hash_file(path: str) -> str:
    """The SHA-256 of a file, in hexadecimal. Raises OSError."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
