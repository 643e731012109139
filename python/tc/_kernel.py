"""A compiled contraction that takes arrays."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Optional, Union

import numpy

from . import _arrays, _library
from ._arrays import Buffer
from ._errors import Error
from ._library import Library, check

_ALIGNMENT = 256  # TC_WORKSPACE_ALIGNMENT


class Kernel:
    """One contraction, compiled. `tc.compile` and `tc.load` make it.

    Call it with the operands: `C = kernel(A, B)`, or `kernel(A, B, out=C)`.
    """

    def __init__(self, folder: pathlib.Path, name: Optional[str] = None) -> None:
        self.folder = folder
        self.manifest = _library.read_manifest(folder)
        self._entry = _choose_entry(self.manifest, name)
        self._library = Library(folder, self.manifest, self._entry)
        self._signature = self._library.signature
        arguments = self._signature.arguments
        self._inputs = [
            n for n, a in enumerate(arguments) if not (self._signature.is_einsum and a.is_written)
        ]
        self._names = self._signature.parameters

    @property
    def name(self) -> str:
        """Its name in C, without `tc_`."""
        return self._entry["name"]

    @property
    def library(self) -> pathlib.Path:
        """The shared library that has its functions."""
        return self._library.path

    @property
    def subscripts(self) -> Optional[str]:
        """The einsum in explicit form; None for a function of a file."""
        return self._entry["input"]["einsum"]

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The element type of each argument, the result last."""
        return tuple(a.dtype for a in self._signature.arguments)

    @property
    def shapes(self) -> tuple[tuple[Union[int, str], ...], ...]:
        """The shape of each argument, the result last. An extent that only a call
        knows is the name of its parameter."""
        return tuple(a.shape for a in self._signature.arguments)

    @property
    def chips(self) -> tuple[str, ...]:
        """What it has GPU kernels for; none: it is for the CPU alone."""
        return tuple(variant["chip"] for variant in self._entry["variants"])

    def __repr__(self) -> str:
        operands = ", ".join(
            f"{a.dtype}[{', '.join(map(str, a.shape))}]" for a in self._signature.arguments
        )
        chips = ", ".join(self.chips) or "no GPU"
        return f"<tc.Kernel {self.subscripts or self.name}: {operands}; CPU, {chips}>"

    def __call__(self, *arrays: Any, out: Any = None, stream: Any = None) -> Any:
        """Computes the contraction, where the arrays are: on the CPU, done when this
        returns.

        `arrays` are the operands in their order. `out` is written, and returned; without
        it the result is a new array. Raises ValueError for a wrong shape or stride,
        TypeError for a wrong element type, LaunchError for what the runtime refuses,
        such as an `out` that overlaps an operand.
        """
        if len(arrays) != len(self._inputs):
            raise TypeError(f"{self.name}: expected {len(self._inputs)} operands, got {len(arrays)}")
        buffers: list[Optional[Buffer]] = [None] * len(self._signature.arguments)
        for number, array in zip(self._inputs, arrays):
            buffers[number] = _arrays.view(array)
        if out is not None:
            buffers[-1] = _arrays.view(out)
        known = self._signature.bind(buffers)
        if out is None:
            result = self._signature.arguments[-1]
            shape = self._signature.shape_of(result, known)
            out = _arrays.empty(shape, result.dtype, buffers[0])
            buffers[-1] = _arrays.view(out)
        self._run_cpu(buffers, known)
        return out

    def _run_cpu(self, buffers: list[Any], known: dict[str, int]) -> None:
        parameters = tuple(known[name] for name in self._names)
        pointers = [
            buffer.pointer - self._offset_bytes(argument, known)
            for argument, buffer in zip(self._signature.arguments, buffers)
        ]
        size = self._library.workspace_bytes(parameters)
        workspace, address = None, None
        if size:
            workspace = numpy.empty(size + _ALIGNMENT, numpy.uint8)
            address = -(-workspace.ctypes.data // _ALIGNMENT) * _ALIGNMENT
        check(self._library.cpu(*pointers, *parameters, address, size))

    def _offset_bytes(self, argument: Any, known: dict[str, int]) -> int:
        offset = self._signature.offset_of(argument, known)
        return offset and offset * _arrays.item_bytes(argument.dtype)


def _choose_entry(manifest: dict[str, Any], name: Optional[str]) -> dict[str, Any]:
    entries = {entry["name"]: entry for entry in manifest["entries"]}
    if name is None and len(entries) == 1:
        return next(iter(entries.values()))
    if name not in entries:
        raise Error(f"expected the name of one of {', '.join(entries)}, got {name!r}")
    return entries[name]


def load(folder: Union[str, os.PathLike[str]], name: Optional[str] = None) -> Kernel:
    """A kernel of a package that `tc-compile --emit=package` or `Kernel.save` made.

    `name` says which, where the package has several. Nothing is compiled, and no
    compiler has to be there. Raises Error where there is no such package.
    """
    return Kernel(pathlib.Path(folder).resolve(), name)
