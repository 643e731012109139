"""Numbers that look random and that any index can be asked for, on the device and
on the host: a buffer of gigabytes needs no copy to be known.

The hash is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Numbers
are uniform in [-1, 1) and use all bits of the type, so what computes with fewer is
found out.
"""

import ctypes
import os

import numpy

from .driver import address

KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")
BLOCK = 256
POISON = 0xFFFFFFFF  # NaN in f32 and, twice, in f64

_STEP = numpy.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = numpy.uint64(0xBF58476D1CE4E5B9), numpy.uint64(0x94D049BB133111EB)


def read_kernels(name):
    """The text of kernels/NAME."""
    with open(os.path.join(KERNELS, name), encoding="utf-8") as file:
        return file.read()


def _mix(value):
    with numpy.errstate(over="ignore"):
        value = (value ^ (value >> numpy.uint64(30))) * _FIRST
        value = (value ^ (value >> numpy.uint64(27))) * _SECOND
    return value ^ (value >> numpy.uint64(31))


def make_key(seed, argument):
    """The key of one argument's numbers."""
    with numpy.errstate(over="ignore"):
        return int(_mix(numpy.array([seed], "u8") + _STEP * numpy.uint64(argument + 1))[0])


def values(key, indices, dtype):
    """The numbers at these indices of a buffer, in f64, exactly."""
    with numpy.errstate(over="ignore"):
        mixed = _mix((numpy.asarray(indices, "u8") + numpy.uint64(1)) * _STEP + numpy.uint64(key))
    if dtype == "f32":
        return ((mixed >> numpy.uint64(39)).astype("i8") - 2**24) * 2.0**-24
    return ((mixed >> numpy.uint64(10)).astype("i8") - 2**53).astype("f8") * 2.0**-53


class Filler:
    """Fills buffers of the device."""

    def __init__(self, driver):
        self.driver = driver
        self.module = driver.load(read_kernels("data.ptx"))
        self.kernels = {dtype: self.module.kernel(f"fill_{dtype}") for dtype in ("f32", "f64")}

    def fill(self, buffer, count, key, dtype):
        arguments = [address(buffer), ctypes.c_uint64(count), ctypes.c_uint64(key)]
        grid = find_grid(self.driver, count)
        self.kernels[dtype].launch((grid, 1, 1), (BLOCK, 1, 1), arguments)

    def poison(self, buffer, size):
        """NaN everywhere, so that a missing result is seen."""
        self.driver.set_words(buffer, POISON, size)


def find_grid(driver, count):
    """Blocks for `count` elements: enough to fill the device, no more than needed."""
    return max(1, min(-(-count // BLOCK), 16 * driver.attributes["multiprocessors"]))
