"""Arrays in the memory of a device, as libraries that tc does not know have them."""

import ctypes

import numpy
from tc import _device, _dlpack

DEVICE = _device.device(0)


class CudaArray:
    """Has the CUDA array interface alone; strides in bytes, any stream."""

    def __init__(self, values, stream=None, is_read_only=False, **interface):
        self.values = values
        base = values if values.base is None else values.base
        self._offset = values.ctypes.data - base.ctypes.data
        self._size = base.nbytes
        self.address = DEVICE.allocate(base.nbytes, 0)
        DEVICE.copy_in(self.address, base.ctypes.data, base.nbytes)
        self.interface = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (self.address + self._offset, is_read_only),
            "strides": None if values.flags.c_contiguous else values.strides,
            "version": 3,
            "stream": stream,
            **interface,
        }

    @property
    def __cuda_array_interface__(self):
        return self.interface


class DlpackArray:
    """Has DLPack alone, and remembers for which streams it was asked."""

    def __init__(self, values):
        self.values = values
        self.streams = []
        self._own = _dlpack.DeviceArray(DEVICE, values.shape, "f32", 0)
        DEVICE.copy_in(self._own.pointer, values.ctypes.data, values.nbytes)

    def __dlpack_device__(self):
        return self._own.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        if len(self.streams) > 1:  # Each use takes the memory.
            self._own = _dlpack.DeviceArray(DEVICE, self.values.shape, "f32", 0)
            DEVICE.copy_in(self._own.pointer, self.values.ctypes.data, self.values.nbytes)
        return self._own.__dlpack__(stream=-1)


class Namespace:
    """A library with from_dlpack, as the array API has it."""

    @staticmethod
    def from_dlpack(array):
        return ("from_dlpack", _dlpack.view(array, 0))


class NamespaceArray(DlpackArray):
    def __array_namespace__(self):
        return Namespace


def read(array):
    """The values of a result, a `tc.DeviceArray` or a Buffer."""
    dtype = {"f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}[array.dtype]
    values = numpy.empty(array.shape, dtype)
    if values.size:
        DEVICE.copy_out(values.ctypes.data, array.pointer, values.nbytes)
    return values


def read_cuda(array):
    """The values of a CudaArray without strides."""
    values = numpy.empty_like(array.values)
    DEVICE.copy_out(values.ctypes.data, array.interface["data"][0], values.nbytes)
    return values


class Streams:
    """Streams of the driver, by its own calls."""

    def __init__(self, library):
        self._driver = ctypes.CDLL(library)

    def make(self):
        stream = ctypes.c_void_p()
        with DEVICE.current():
            status = self._driver.cuStreamCreate(ctypes.byref(stream), 1)
        assert status == 0, status
        return stream.value
