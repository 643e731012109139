"""What goes wrong, as exceptions."""

__all__ = ["CompileError", "Error", "LaunchError", "ToolError"]


class Error(RuntimeError):
    """Anything that tc refuses or fails at, but for arguments that are of a wrong type
    (`TypeError`) or value (`ValueError`) by the rules of Python."""


class ToolError(Error):
    """There is no compiler, or it cannot be run."""


class CompileError(Error, ValueError):
    """The compiler refuses a contraction. `diagnostic` is all that it said, with the
    place that it points at."""

    def __init__(self, diagnostic: str) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


class LaunchError(Error):
    """The runtime refuses a call, or the call failed. `code` is its tcStatus
    (tc-runtime/tc_status.h): from 16 on nothing was launched."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
