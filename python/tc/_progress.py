"""What tc says by itself: messages by the logger `tc`, and one line on a terminal while
kernels compile, which is gone when they are done."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import threading
import time
from typing import Iterator

__all__ = ["compiling", "logger", "tick"]

logger = logging.getLogger("tc")

_PATIENCE = 0.5  # seconds until there is a line at all


class _State:
    """What compiles now, since when, how many of them are done, and whether there is a line."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.names: list[str] = []
        self.start = 0.0
        self.done = 0
        self.is_shown = False


_state = _State()

if hasattr(os, "register_at_fork"):  # The threads of what compiles are not in a child.
    os.register_at_fork(after_in_child=_state.__init__)  # type: ignore[misc]


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """A kernel of this name compiles within."""
    start = time.monotonic()
    with _state.lock:
        if not _state.names:
            _state.start, _state.done = start, 0
        _state.names.append(name)
    try:
        yield
        logger.info("compiled %s in %.2f s", name, time.monotonic() - start)
    finally:
        with _state.lock:
            _state.names.remove(name)
            _state.done += 1
            if not _state.names and _state.is_shown:
                _state.is_shown = False
                _write("\r\x1b[K")


def tick() -> None:
    """Brings the line up to date. It is for people who wait: none in a pipe, and none where
    the logger is quieter than it is by default."""
    if not logger.isEnabledFor(logging.WARNING) or not _is_terminal():
        return
    with _state.lock:
        seconds = time.monotonic() - _state.start
        if not _state.names or seconds < _PATIENCE:
            return
        others = f" and {len(_state.names) - 1} more" if len(_state.names) > 1 else ""
        done = f", {_state.done} done" if _state.done else ""
        line = f"tc: compiling {_state.names[0]}{others}{done}, {seconds:.0f} s"
        _write(f"\r{line[: shutil.get_terminal_size().columns - 1]}\x1b[K")
        _state.is_shown = True


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # There is none, or it is closed.
        return False


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
