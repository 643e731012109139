"""Tensor contractions, compiled: `tc.compile` makes kernels for arrays of NumPy, torch,
CuPy, JAX and any library with DLPack or the CUDA array interface.

Nothing is compiled, and no library is loaded, before it is asked for. `tc.emulator`
stands alone.
"""

from typing import Any

from ._compile import compile
from ._dlpack import DeviceArray
from ._einsum import einsum
from ._einsum._products import einsum_path, tensordot, transpose
from ._errors import CompileError, Error, LaunchError, ToolError
from ._kernel import Kernel, load
from ._threads import get_num_threads, set_num_threads
from ._tune import tune

__all__ = [
    "CompileError",
    "DeviceArray",
    "Error",
    "Kernel",
    "LaunchError",
    "ToolError",
    "compile",
    "einsum",
    "einsum_path",
    "get_num_threads",
    "load",
    "set_num_threads",
    "tensordot",
    "transpose",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":  # It is looked up in a file, which takes longer than all else.
        from . import _tools

        return _tools.find_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
