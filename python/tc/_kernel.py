"""A compiled contraction that takes arrays."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Optional, Union

from . import _package, _report
from ._call._bound import key_of
from ._call import Call
from ._errors import Error
from ._library import Library
from ._recent import recent

ByChip = Union[str, dict[str, str]]


class Kernel:
    """One contraction, compiled. `tc.compile` and `tc.load` make it.

    Call it with the operands: `C = kernel(A, B)`, or `kernel(A, B, out=C)`. It may be
    called by several threads at a time.
    """

    def __init__(
        self, folder: pathlib.Path, name: Optional[str] = None, is_verified: bool = False
    ) -> None:
        self.folder = folder
        self.manifest = _package.read(folder)
        if not is_verified:
            _package.verify_files(folder, self.manifest)
        number = _choose_entry(self.manifest, name)
        self._entry = self.manifest["entries"][number]
        self._library = Library(folder, self.manifest, number)
        self._signature = self._library.signature
        self._reports: dict[str, Any] = {}
        results = self._signature.is_einsum
        self._operands = len(self._signature.arguments) - (1 if results else 0)

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
    def strides(self) -> tuple[tuple[Union[int, str], ...], ...]:
        """The strides of each argument, in elements; "row-major" is the product of all
        later extents, where only a call knows them."""
        return tuple(a.strides for a in self._signature.arguments)

    @property
    def chips(self) -> tuple[str, ...]:
        """What it has GPU kernels for; none: it is for the CPU alone."""
        return tuple(variant["chip"] for variant in self._entry["variants"])

    @property
    def ptx(self) -> ByChip:
        """The PTX of its kernels; of several chips a dict. Raises Error where it is for
        the CPU alone."""
        return self._by_chip(lambda variant: _report.read_ptx(self.folder, variant))

    @property
    def schedule(self) -> ByChip:
        """The `#tc.schedule` that was carried out, several joined by "; "; of several
        chips a dict. Raises Error where it is for the CPU alone."""
        return self._by_chip(lambda variant: "; ".join(variant["schedules"]))

    def report(self) -> dict[str, Any]:
        """What `tc-compile --report=json` says of it (docs/Reports.md): what the cost
        model predicts is under "predicted"; nothing in it is measured. Of several chips
        a dict of reports; of none what is known of the program.

        Compiles once more, by the schedule that the kernel has, so a compiler has to be
        there. Raises Error for functions of a file, whose program is not kept.
        """
        for variant in self._entry["variants"]:
            chip = variant["chip"]
            if chip not in self._reports:
                self._reports[chip] = _report.make(self._entry, variant)
        if not self._reports:
            return _report.without_chip(self.manifest, self._entry)
        return dict(self._reports) if len(self._reports) > 1 else next(iter(self._reports.values()))

    def save(self, folder: Union[str, os.PathLike[str]]) -> pathlib.Path:
        """Writes the package to a folder, whole or not at all, and gives its path: for
        `tc.load`, and for programs in C and others (docs/Packaging.md). A package that is
        there, as it was written, is replaced. Raises Error where anything else is there."""
        target = pathlib.Path(folder).absolute()
        _package.copy(self.folder, self.manifest, target)
        return target

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process on this machine, by the folder of the package."""
        return load, (str(self.folder), self.name)

    def __repr__(self) -> str:
        operands = ", ".join(
            f"{a.dtype}[{', '.join(map(str, a.shape))}]" for a in self._signature.arguments
        )
        chips = ", ".join(self.chips) or "no GPU"
        return f"<tc.Kernel {self.subscripts or self.name}: {operands}; CPU, {chips}>"

    def __call__(self, *arrays: Any, out: Any = None, stream: Any = None) -> Any:
        """Computes the contraction, where the arrays are.

        `arrays` are the operands in their order: of NumPy, torch, CuPy, or any library
        with DLPack or the CUDA array interface, all on the CPU or all on one device. `out`
        is written, and returned; without it the result is a new array of the first
        operand's library.

        On the CPU it is done when this returns. On a device it is launched on `stream`
        (a stream of torch or CuPy, anything with `__cuda_stream__`, or a handle), else on
        the current stream of the arrays' library, and nothing waits; but for arrays that
        have DLPack alone, which are waited for where no `stream` is given.

        A function of a file takes all its arguments in their order, and gives what it
        writes.

        Raises ValueError for a wrong shape, stride or place, TypeError for a wrong element
        type or number of operands, LaunchError for what the runtime refuses, such as an
        `out` that overlaps an operand.
        """
        key = key_of((self,), arrays, out) if stream is None else None
        bound = None if key is None else recent[key]
        if bound is not None:
            result = bound(arrays, out)
            if result is not None:
                return result
        if len(arrays) != self._operands:
            raise TypeError(f"{self.name}: expected {self._operands} operands, got {len(arrays)}")
        for argument, array in zip(self._signature.arguments, arrays):
            if array is None:  # That is what a result is which is still to be made.
                raise TypeError(f"{argument.name}: expected an array, got None")
        if self._signature.is_einsum:
            call = Call(self._library, (*arrays, out), stream)
            result = call.run()[-1]
            if key is not None:
                recent[key] = call.bind()
            return result
        if out is not None:
            raise TypeError(f"{self.name}: expected the arguments of a function, got out=")
        given = Call(self._library, arrays, stream).run()
        written = [x for x, a in zip(given, self._signature.arguments) if a.is_written]
        return written[0] if len(written) == 1 else tuple(written)

    def _by_chip(self, ask: Any) -> ByChip:
        answers = {variant["chip"]: ask(variant) for variant in self._entry["variants"]}
        if not answers:
            raise Error(f"{self.name}: expected a kernel for a GPU, got one for the CPU alone")
        return answers if len(answers) > 1 else next(iter(answers.values()))


def _choose_entry(manifest: dict[str, Any], name: Optional[str]) -> int:
    names = [entry["name"] for entry in manifest["entries"]]
    if name is None and len(names) == 1:
        return 0
    if name not in names:
        raise Error(f"expected the name of one of {', '.join(names)}, got {name!r}")
    return names.index(name)


def load(folder: Union[str, os.PathLike[str]], name: Optional[str] = None) -> Kernel:
    """A kernel of a package that `tc-compile --emit=package` or `Kernel.save` made.

    `name` says which, where the package has several. Nothing is compiled, and no
    compiler has to be there. Raises Error where there is no such package, or where one of
    its files is not as it was written.
    """
    try:
        path = pathlib.Path(folder).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise Error(f"expected the folder of a package, got {folder!r}: {error}") from None
    return Kernel(path, name)
