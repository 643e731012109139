"""Tensor contractions, compiled: `tc.compile` makes kernels for arrays of NumPy.

Nothing is compiled, and no library is loaded, before it is asked for. `tc.emulator`
stands alone.
"""

from ._compile import compile
from ._errors import CompileError, Error, LaunchError, ToolError
from ._kernel import Kernel, load

__all__ = ["CompileError", "Error", "Kernel", "LaunchError", "ToolError", "compile", "load"]
