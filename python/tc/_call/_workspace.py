"""Workspace for calls on the CPU: one piece for each thread, used again."""

from __future__ import annotations

import threading
from typing import Any

import numpy

ALIGNMENT = 256  # TC_WORKSPACE_ALIGNMENT
_KEPT = 32 << 20  # bytes; more is given back after the call


def align(address: int) -> int:
    """The first address from this on at which workspace may begin."""
    return -(-address // ALIGNMENT) * ALIGNMENT


class _Own(threading.local):
    size = -1
    address = 0
    memory: Any = None


_own = _Own()


def on_host(size: int) -> tuple[int, Any]:
    """The address of `size` bytes of memory, at a multiple of what kernels ask for, and
    what has to be kept until the call is done. The same for each call of a thread."""
    if size <= _own.size:
        return _own.address, _own.memory
    memory = numpy.empty(size + ALIGNMENT, numpy.uint8)
    address = align(memory.ctypes.data)
    if size <= _KEPT:
        _own.size, _own.address, _own.memory = size, address, memory
    return address, memory
