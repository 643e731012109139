"""One package: its manifest, and its shared library through ctypes."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import threading
from typing import Any, Optional, Sequence

from . import _package, _tools
from ._errors import Error, LaunchError
from ._signature import Signature

_INTEGERS = {
    "int8_t": ctypes.c_int8,
    "int16_t": ctypes.c_int16,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint8_t": ctypes.c_uint8,
    "uint16_t": ctypes.c_uint16,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
}
_C_TYPES = {**_INTEGERS, "float": ctypes.c_float, "double": ctypes.c_double}

_lock = threading.Lock()
_runtime: Optional[ctypes.CDLL] = None
_opened: dict[pathlib.Path, list[tuple[int, int]]] = {}  # the files that a path has named


def runtime(package: Optional[pathlib.Path] = None) -> ctypes.CDLL:
    """libtc-runtime, one for all kernels of the process. It is opened before the first
    package, whose library then finds it by its name."""
    global _runtime
    with _lock:
        if _runtime is None:
            library = ctypes.CDLL(str(_tools.find_runtime(package)))
            library.tcLastError.restype = ctypes.c_char_p
            library.tcErrorString.restype = ctypes.c_char_p
            _runtime = library
        return _runtime


def _spell(path: pathlib.Path) -> str:
    """A path of the file that is there now. By a name that it knows, the dynamic linker
    gives the library that had it first, even where a package has been replaced since."""
    status = os.stat(path)
    identity = (status.st_dev, status.st_ino)
    with _lock:
        known = _opened.setdefault(path, [])
        if identity not in known:
            known.append(identity)
        return os.path.join(path.parent, "./" * known.index(identity), path.name)


def check(status: int) -> None:
    """Raises what the runtime says for a status that is not TC_OK."""
    if status == 0:
        return
    library = runtime()
    text = library.tcLastError() or library.tcErrorString(status)
    raise LaunchError(status, text.decode(errors="replace"))


class Library:
    """The functions of one contraction of a package: entry number `number`."""

    def __init__(self, folder: pathlib.Path, manifest: dict[str, Any], number: int) -> None:
        entry = manifest["entries"][number]
        name = f"lib{manifest['package']}.so"
        self.path = folder / "lib" / name
        if f"lib/{name}" not in manifest["files"]:
            raise Error(f"expected a package with a shared library in {folder}, got one without")
        runtime(folder)
        try:
            self._handle = ctypes.CDLL(_spell(self.path))
            _package.compare(folder, number, entry, self._description(entry["symbol"]))
            self._open(entry)
        except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise Error(f"expected a library of tc-compile at {self.path}: {error}") from error
        self._fixed_workspace: dict[bool, int] = {}
        if not self.signature.parameters:
            self._fixed_workspace = {c: self._ask_workspace((), c) for c in (False, True)}

    def _description(self, symbol: str) -> Any:
        """What the library says of a function: the manifest beside it may be another's."""
        text = ctypes.c_char.in_dll(self._handle, f"{symbol}_signature")
        return json.loads(ctypes.string_at(ctypes.addressof(text)))

    def _open(self, entry: dict[str, Any]) -> None:
        self.signature = signature = Signature(entry)
        symbol = entry["symbol"]
        values = [
            _C_TYPES[argument.c_type] if argument.is_scalar else ctypes.c_void_p
            for argument in signature.arguments
        ]
        parameters = [ctypes.c_int64] * len(signature.parameters)
        workspace = [ctypes.c_void_p, ctypes.c_size_t]
        self.launch = getattr(self._handle, symbol)
        self.launch.argtypes = [*values, *parameters, *workspace, ctypes.c_void_p]
        self.cpu = getattr(self._handle, f"{symbol}_cpu")
        self.cpu.argtypes = [*values, *parameters, *workspace]
        self._workspace = {
            on_cpu: getattr(self._handle, f"{symbol}{'_cpu' if on_cpu else ''}_workspace_size")
            for on_cpu in (False, True)
        }
        for function in self._workspace.values():
            function.argtypes = [*parameters, ctypes.POINTER(ctypes.c_size_t)]
        self.prepare = getattr(self._handle, f"{symbol}_prepare")
        self.prepare.argtypes = [ctypes.c_void_p]

    def workspace_bytes(self, parameters: Sequence[int], on_cpu: bool) -> int:
        """Bytes of workspace that a call of these parameters needs."""
        if self._fixed_workspace:
            return self._fixed_workspace[on_cpu]
        return self._ask_workspace(parameters, on_cpu)

    def _ask_workspace(self, parameters: Sequence[int], on_cpu: bool) -> int:
        size = ctypes.c_size_t()
        check(self._workspace[on_cpu](*parameters, size))
        return size.value
