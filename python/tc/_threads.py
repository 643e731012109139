"""How many threads the CPU version of a kernel uses."""

from __future__ import annotations

import operator
from typing import SupportsIndex

from . import _library


def get_num_threads() -> int:
    """The most threads that a call on the CPU uses, the calling one included: at first
    the environment's TC_NUM_THREADS, else as many as the process may run on."""
    return _library.runtime().tcThreads()


def set_num_threads(threads: SupportsIndex) -> None:
    """Sets that for all kernels of the process, for calls that begin later; 0 is the
    number of the beginning. Raises ValueError for less, TypeError for no integer."""
    number = operator.index(threads)
    if not 0 <= number < 1 << 31:
        raise ValueError(f"expected 0 or more threads, got {number}")
    _library.check(_library.runtime().tcSetThreads(number))
