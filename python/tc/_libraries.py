"""Which library an array is of: what it looks like, its stream, and how to make
another. No library is imported that the caller's arrays are not of."""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy

from . import _arrays, _cuda_interface, _device, _dlpack, _dtypes
from ._arrays import CPU, Buffer
from ._errors import LaunchError


class Numpy:
    """NumPy, for arrays on the CPU, and its scalars, which are arrays that nobody can
    write."""

    @staticmethod
    def device(array: Any) -> int:
        return CPU

    @staticmethod
    def view(array: Any, stream: Optional[int]) -> Buffer:
        if isinstance(array, numpy.generic):
            array = numpy.asarray(array)
            array.flags.writeable = False
        elif type(array) is not numpy.ndarray and isinstance(array, numpy.ma.MaskedArray):
            raise TypeError("expected an array without a mask")
        return _arrays.of_numpy(array)

    @staticmethod
    def empty(like: Any, shape: tuple[int, ...], dtype: str, device: int, stream: int) -> Any:
        return numpy.empty(shape, _dtypes.to_numpy(dtype))


def find_derivative(tensor: Any) -> Optional[str]:
    """What a PyTorch operation on a tensor would compute beside its result; None: nothing."""
    torch = sys.modules["torch"]
    if tensor.requires_grad and torch.is_grad_enabled():
        return "gradient"
    if torch.autograd.forward_ad.unpack_dual(tensor).tangent is not None:
        return "tangent"
    return None


class Torch:
    """PyTorch, on the CPU and on CUDA devices."""

    allocates = True  # memory that is used again, in the order of a stream

    @staticmethod
    def verify(array: Any) -> None:
        """Raises ValueError where a kernel would drop a derivative, as nothing records it."""
        derivative = find_derivative(array)
        if derivative is not None:
            raise ValueError(
                f"expected a tensor without a {derivative} to compute: tc.torch.einsum is "
                "differentiable, and tensor.detach() goes without"
            )

    @staticmethod
    def device(array: Any) -> int:
        if array.device.type == "cpu":
            return CPU
        if array.device.type == "cuda":
            return array.device.index
        raise TypeError(f"expected a tensor on the CPU or on a CUDA device, got {array.device}")

    @staticmethod
    def view(array: Any, stream: Optional[int]) -> Buffer:
        torch = sys.modules["torch"]
        if array.layout != torch.strided:
            raise TypeError(f"expected a dense tensor, got one of layout {array.layout}")
        if array.is_conj() or array.is_neg():
            raise ValueError(
                "expected a tensor as it lies in memory: see torch.resolve_conj, resolve_neg"
            )
        dtype = _dtypes.parse(array.dtype)
        device = Torch.device(array)
        if stream is not None and stream != Torch.stream(array, device):
            external = torch.cuda.ExternalStream(stream, device=array.device)
            external.wait_stream(torch.cuda.current_stream(array.device))
            array.record_stream(external)  # Its memory stays until that stream is done.
        shape, strides = tuple(array.shape), tuple(array.stride())
        return Buffer(Torch._address(array), shape, strides, dtype, device, False, array)

    @staticmethod
    def _address(array: Any) -> int:
        torch = sys.modules["torch"]
        why = "a fake one"
        if not isinstance(array, torch._subclasses.FakeTensor):
            try:
                return array.data_ptr()
            except RuntimeError as error:
                why = str(error).splitlines()[0]
        raise TypeError(
            f"expected a tensor with memory, got {why}: tc.torch.einsum is an operator that "
            "transforms and tracing know"
        )

    @staticmethod
    def stream(array: Any, device: int) -> int:
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream

    @staticmethod
    def empty(like: Any, shape: tuple[int, ...], dtype: str, device: int, stream: int) -> Any:
        torch = sys.modules["torch"]
        kind = getattr(torch, _dtypes.long_name(dtype))
        if device == CPU:
            return torch.empty(shape, dtype=kind)
        if stream == Torch.stream(like, device):
            return torch.empty(shape, dtype=kind, device=like.device)
        with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=like.device)):
            return torch.empty(shape, dtype=kind, device=like.device)


class Cupy:
    """CuPy, on CUDA devices."""

    allocates = True

    @staticmethod
    def device(array: Any) -> int:
        return array.device.id

    @staticmethod
    def view(array: Any, stream: Optional[int]) -> Buffer:
        own = Cupy.stream(array, array.device.id)
        if stream is not None and stream != own:
            _device.device(array.device.id).wait(stream, own)
        size = array.dtype.itemsize
        strides = tuple(stride // size for stride in array.strides)
        dtype = _dtypes.of_numpy(array.dtype)
        return Buffer(array.data.ptr, array.shape, strides, dtype, array.device.id, False, array)

    @staticmethod
    def stream(array: Any, device: int) -> int:
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device):
            return cupy.cuda.get_current_stream().ptr

    @staticmethod
    def empty(like: Any, shape: tuple[int, ...], dtype: str, device: int, stream: int) -> Any:
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device), cupy.cuda.ExternalStream(stream, device):
            return cupy.empty(shape, _dtypes.to_numpy(dtype))


class Dlpack:
    """Any library with DLPack, as JAX."""

    @staticmethod
    def device(array: Any) -> int:
        return _dlpack.device_of(array)

    @staticmethod
    def view(array: Any, stream: Optional[int]) -> Buffer:
        buffer = _dlpack.view(array, stream)
        # JAX's arrays are constants, which its capsules do not say.
        if type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
            buffer.is_read_only = True
        return buffer

    @staticmethod
    def empty(like: Any, shape: tuple[int, ...], dtype: str, device: int, stream: int) -> Any:
        if device == CPU:
            return numpy.empty(shape, _dtypes.to_numpy(dtype))
        return _dlpack.DeviceArray(_device.device(device), shape, dtype, stream)

    @staticmethod
    def finish(like: Any, result: Any) -> Any:
        """The array of the caller's library over the memory of a result; a copy of it
        where NumPy has no DLPack for the element type, as for bf16 and floats of 8 bits."""
        find = getattr(like, "__array_namespace__", None)
        namespace: Any = find() if find else None
        if not hasattr(namespace, "from_dlpack"):
            return result
        try:
            return namespace.from_dlpack(result)
        except (BufferError, TypeError):
            if not isinstance(result, numpy.ndarray):
                raise
            return namespace.asarray(result)


class Own:
    """Results that no library has taken."""

    @staticmethod
    def device(array: _dlpack.DeviceArray) -> int:
        return array.device.number

    @staticmethod
    def view(array: _dlpack.DeviceArray, stream: Optional[int]) -> Buffer:
        if stream is not None and stream != array.stream:
            array.device.wait(stream, array.stream)
        return array.buffer()

    @staticmethod
    def stream(array: _dlpack.DeviceArray, device: int) -> int:
        return array.stream

    empty = Dlpack.empty


class CudaArray:
    """Any library with the CUDA array interface alone, as Numba."""

    @staticmethod
    def device(array: Any) -> int:
        interface = _cuda_interface.read(array)
        pointer = interface["data"][0]
        if not pointer or 0 in interface["shape"]:
            return 0
        try:
            return _device.number_of(pointer)
        except LaunchError as error:
            raise ValueError(str(error)) from None

    @staticmethod
    def view(array: Any, stream: Optional[int]) -> Buffer:
        interface = _cuda_interface.read(array)
        pointer, is_read_only = interface["data"]
        if interface.get("mask") is not None:
            raise TypeError("expected an array without a mask")
        dtype = numpy.dtype(interface["typestr"])
        shape, strides = tuple(interface["shape"]), interface.get("strides")
        if strides is None:
            strides = _arrays.row_major(shape)
        else:
            strides = _arrays.in_elements(tuple(strides), dtype.itemsize, 0 not in shape)
        device = CudaArray.device(array)
        own = CudaArray.stream(array, device)
        if stream is not None and own is not None and own != stream:
            _device.device(device).wait(stream, own)
        return Buffer(pointer, shape, strides, _dtypes.of_numpy(dtype), device, is_read_only, array)

    @staticmethod
    def stream(array: Any, device: int) -> Optional[int]:
        """That on which the array is made; None: it is made, or its owner waits."""
        stream = array.__cuda_array_interface__.get("stream")
        if stream == 0:
            raise ValueError(
                "expected a stream of None, 1 or more in __cuda_array_interface__, got 0"
            )
        return stream

    empty = Dlpack.empty


def of(array: Any) -> Any:
    """The library of an array. Raises TypeError for what is none."""
    if isinstance(array, (numpy.ndarray, numpy.generic)):
        return Numpy
    if isinstance(array, _dlpack.DeviceArray):
        return Own
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, getattr(torch, "Tensor", ())):
        return Torch
    if type(array).__module__.partition(".")[0] == "cupy" and hasattr(array, "data"):
        return Cupy
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        return Dlpack
    if hasattr(array, "__cuda_array_interface__"):
        return CudaArray
    raise TypeError(f"expected an array, got {type(array).__name__}")
