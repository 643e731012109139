"""Memory of the emulator as arrays: its addresses are those of this process."""

import ctypes
import os

import numpy


def view(address, shape, typestr):
    count = int(numpy.prod(shape, dtype=int))
    size = count * numpy.dtype(typestr).itemsize
    buffer = (ctypes.c_char * size).from_address(address)
    return numpy.frombuffer(buffer, typestr).reshape(shape)


def allocate(array):
    """A copy of the array in memory of the device."""
    driver = ctypes.CDLL(os.environ["FAKE_DRIVER"])
    address = ctypes.c_uint64()
    assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(array.nbytes, 16))) == 0
    copy = view(address.value, array.shape, array.dtype.str)
    copy[...] = array
    return copy


def of_interface(array):
    interface = array.__cuda_array_interface__
    return view(interface["data"][0], interface["shape"], interface["typestr"])


def multiply(einsum, *inputs):
    """numpy.einsum; FAKE_BITS keeps so many bits of each input, as a tensor unit does."""
    bits = os.environ.get("FAKE_BITS")
    if bits:
        inputs = [numpy.round(x * 2.0 ** int(bits)) / 2.0 ** int(bits) for x in inputs]
    dtype = inputs[0].dtype
    return allocate(numpy.einsum(einsum, *(x.astype("f8") for x in inputs)).astype(dtype))
