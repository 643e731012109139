"""One call of a packaged function: arrays in, on the CPU or on their device."""

from __future__ import annotations

import contextlib
from typing import Any, Optional, Sequence

import numpy

from .. import _arrays, _device, _dtypes, _libraries
from .._arrays import CPU, Buffer
from ._bound import Bound
from .._library import Library, check
from .._signature import Argument
from ._workspace import ALIGNMENT, align, on_host

_DEFAULT_STREAMS = (0, 1, 2)  # the device's, that again, and the thread's


class Call:
    """The arrays of a call, one for each argument, None for a result that is to come."""

    def __init__(self, library: Library, arrays: Sequence[Any], stream: Any) -> None:
        self._library = library
        self._arguments = library.signature.arguments
        self._arrays = list(arrays)
        self._kinds = [
            None
            if array is None or argument.is_scalar
            else _name_errors(argument, _libraries.of, array)
            for argument, array in zip(self._arguments, arrays)
        ]
        for argument, kind, array in zip(self._arguments, self._kinds, self._arrays):
            verify = getattr(kind, "verify", None)
            if verify is not None:
                _name_errors(argument, verify, array)
        self.device = self._choose_device()
        self._is_own_stream = stream is not None
        self.stream = self._choose_stream(stream)
        self._like = next((n for n, kind in enumerate(self._kinds) if kind is not None), 0)

    def run(self) -> list[Any]:
        """Computes. Gives all arrays, with the new ones."""
        place = None if self.device == CPU else self.stream
        values = [
            _scalar(argument, array)
            if argument.is_scalar
            else kind and _name_errors(argument, kind.view, array, place)
            for argument, kind, array in zip(self._arguments, self._kinds, self._arrays)
        ]
        signature = self._library.signature
        known = signature.bind(values)
        made = {}
        for number, argument in enumerate(self._arguments):
            if values[number] is None:
                shape = signature.shape_of(argument, known)
                made[number] = self._empty(shape, argument.dtype)
                values[number] = self._view_own(made[number])
        if made:
            known = signature.bind(values)  # A result may have strides of its own, too.
        pointers = [
            value.pointer
            - signature.offset_of(argument, known) * _arrays.item_bytes(argument.dtype)
            if isinstance(value, Buffer)
            else value
            for argument, value in zip(self._arguments, values)
        ]
        self._known, parameters = known, tuple(known[name] for name in signature.parameters)
        if self.device == CPU:
            self._run_cpu(pointers, parameters)
        else:
            self._run_gpu(pointers, parameters)
        for number, array in made.items():
            self._arrays[number] = self._finish(array)
        return self._arrays

    def bind(self) -> Bound:
        """The same call for other arrays of NumPy, after `run`. The result is the last."""
        signature, known = self._library.signature, self._known
        result = self._arguments[-1]
        return Bound(
            self._library,
            tuple(known[name] for name in signature.parameters),
            signature.shape_of(result, known),
            _dtypes.to_numpy(result.dtype),
            [
                signature.offset_of(argument, known) * _arrays.item_bytes(argument.dtype)
                for argument in self._arguments
            ],
        )

    #
    # Where
    #

    def _choose_device(self) -> int:
        devices: dict[int, str] = {}
        for argument, kind, array in zip(self._arguments, self._kinds, self._arrays):
            if kind is not None:
                devices.setdefault(_name_errors(argument, kind.device, array), argument.name)
        if len(devices) > 1:
            places = ", ".join(f"{name} on {_place(device)}" for device, name in devices.items())
            raise ValueError(f"expected all arrays in one place, got {places}")
        return next(iter(devices), CPU)

    def _choose_stream(self, stream: Any) -> int:
        if self.device == CPU:
            if stream is not None:
                raise ValueError("expected no stream for arrays on the CPU")
            return 0
        if stream is not None:
            return _handle_of(stream)
        for kind, array in zip(self._kinds, self._arrays):
            own = kind and getattr(kind, "stream", None)
            current = own and own(array, self.device)
            if current is not None:
                return current
        return 0

    #
    # Memory
    #

    def _empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        kind = self._kinds[self._like] or _libraries.Numpy
        return kind.empty(self._arrays[self._like], shape, dtype, self.device, self.stream)

    def _view_own(self, array: Any) -> Buffer:
        kind = _libraries.of(array)
        return kind.view(array, None if self.device == CPU else self.stream)

    def _finish(self, array: Any) -> Any:
        finish = getattr(self._kinds[self._like], "finish", None)
        return finish(self._arrays[self._like], array) if finish else array

    def _workspace(self, device: _device.Device, size: int, stack: contextlib.ExitStack) -> int:
        """Memory for work on the stream, of the library of the first array where that has
        an allocator, else of the runtime."""
        if getattr(self._kinds[self._like], "allocates", False):
            memory = self._empty((size + ALIGNMENT,), "u8")
            stack.callback(lambda: memory)  # It lives until the kernel is launched.
            return align(self._view_own(memory).pointer)
        address = device.allocate(size, self.stream)
        stack.callback(device.free, address, self.stream)
        return address

    #
    # How
    #

    def _run_cpu(self, values: list[Any], parameters: tuple[int, ...]) -> None:
        size = self._library.workspace_bytes(parameters, on_cpu=True)
        address, _memory = on_host(size) if size else (None, None)
        check(self._library.cpu(*values, *parameters, address, size))

    def _run_gpu(self, values: list[Any], parameters: tuple[int, ...]) -> None:
        size = self._library.workspace_bytes(parameters, on_cpu=False)
        device = _device.device(self.device)
        with contextlib.ExitStack() as stack:
            if self.stream in _DEFAULT_STREAMS:
                stack.enter_context(device.current())
            address = self._workspace(device, size, stack) if size else None
            check(self._library.launch(*values, *parameters, address, size, self.stream))
        is_foreign = any(kind is _libraries.Dlpack for kind in self._kinds)
        if is_foreign and not self._is_own_stream:
            # Nobody else keeps the arrays until the kernel is done.
            device.synchronize(self.stream)


def _place(device: int) -> str:
    return "the CPU" if device == CPU else f"device {device}"


def _name_errors(argument: Argument, action: Any, *values: Any) -> Any:
    """What `action` gives; its errors name the argument."""
    try:
        return action(*values)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{argument.name}: {error}") from None


def _handle_of(stream: Any) -> int:
    """A stream as a number: the handle itself, or an object with it."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int(protocol()[1])
    for name in ("cuda_stream", "ptr", "handle"):  # of torch, CuPy, Numba and PyCUDA
        value: Optional[Any] = getattr(stream, name, None)
        if value is not None:
            return int(getattr(value, "value", value) or 0)
    raise TypeError(f"expected a CUDA stream or its handle, got {type(stream).__name__}")


def _scalar(argument: Argument, value: Any) -> Any:
    """A number as ctypes takes it: floats of 16 and 8 bits are passed as their bits."""
    if argument.dtype in ("f16", *_dtypes.EXTENSIONS):
        number = numpy.asarray(value, _dtypes.to_numpy(argument.dtype))
        return int(number.view(f"u{number.itemsize}"))
    try:
        return float(value) if argument.c_type in ("float", "double") else int(value)
    except (TypeError, ValueError):
        raise TypeError(f"{argument.name}: expected a number, got {value!r}") from None
