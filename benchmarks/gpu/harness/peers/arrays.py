"""Buffers of the driver as arrays of other libraries."""

from ..arithmetic import TYPES


class DeviceArray:
    """A dense array by its address (the CUDA array interface, version 3). The interface has no
    bf16; arrays of it are passed as 16-bit integers."""

    def __init__(self, address, shape, dtype):
        self.__cuda_array_interface__ = {
            "shape": tuple(shape),
            "typestr": TYPES[dtype].numpy.str,
            "data": (address, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }


def make_inputs(problem, buffers):
    return [
        DeviceArray(place, problem.shape(labels), problem.dtype)
        for place, labels in zip(buffers.inputs, problem.inputs)
    ]


def make_output(problem, buffers):
    return DeviceArray(buffers.output, problem.shape(problem.output), problem.dtype)
