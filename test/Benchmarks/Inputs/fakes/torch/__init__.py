"""As much of PyTorch as the harness calls, on NumPy."""

import os
import types

from device_memory import allocate, multiply, of_interface

__version__ = "0.0-fake"
streams = []


class Tensor:
    def __init__(self, array):
        self.array = array

    def contiguous(self):
        return Tensor(self.array if self.array.flags.c_contiguous else allocate(self.array))

    def data_ptr(self):
        return self.array.ctypes.data


def as_tensor(array, device):
    assert device == "cuda"
    return Tensor(of_interface(array))


def einsum(equation, *tensors):
    if "FAKE_RAISE" in os.environ:
        raise RuntimeError("CUDA out of memory")
    return Tensor(multiply(equation, *(tensor.array for tensor in tensors)))


def set_grad_enabled(is_enabled):
    assert not is_enabled


matmul = types.SimpleNamespace(allow_tf32=True)
backends = types.SimpleNamespace(
    cuda=types.SimpleNamespace(matmul=matmul), cudnn=types.SimpleNamespace(allow_tf32=True)
)
cuda = types.SimpleNamespace(
    is_available=lambda: True,
    ExternalStream=lambda handle: handle,
    set_stream=streams.append,
    empty_cache=lambda: None,
)
