"""Numbers that look random and that any index can be asked for, on the device and
on the host: a buffer of gigabytes needs no copy to be known.

The hash is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Numbers
are uniform in [-1, 1) and use all bits of the type, so what computes with fewer is
found out.
"""

import ctypes
import os
import string

import numpy

from .arithmetic import TYPES, load_as_f64, store_from_f64
from .driver import address

KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")
BLOCK = 256
POISON = 0xFFFFFFFF  # NaN in each type: once, twice or half of it

_STEP = numpy.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = numpy.uint64(0xBF58476D1CE4E5B9), numpy.uint64(0x94D049BB133111EB)


def read_kernels(name):
    """The text of kernels/NAME."""
    with open(os.path.join(KERNELS, name), encoding="utf-8") as file:
        return file.read()


def _write(name, arithmetic, **values):
    """The text of kernels/NAME for numbers as these lie in memory."""
    text = string.Template(read_kernels(name))
    return text.substitute(item=arithmetic.item_bytes, **values)


def write_fill(arithmetic):
    """PTX of `fill`."""
    digits = arithmetic.digits
    return _write(
        "fill.ptx",
        arithmetic,
        drop=63 - digits,
        half=1 << digits,
        scale=f"0d{(1023 - digits) << 52:016X}",
        store="\n  ".join(store_from_f64(arithmetic.storage, "%value", "%rd9")),
    )


def write_compare(arithmetic):
    """PTX of `compare`."""
    load = "\n  ".join(load_as_f64(arithmetic.storage, "%fd5", "%rd11"))
    return _write("compare.ptx", arithmetic, load=load)


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
    digits = TYPES[dtype].digits
    with numpy.errstate(over="ignore"):
        mixed = _mix((numpy.asarray(indices, "u8") + numpy.uint64(1)) * _STEP + numpy.uint64(key))
    return ((mixed >> numpy.uint64(63 - digits)).astype("i8") - 2**digits) * 2.0**-digits


class Filler:
    """Fills buffers of the device."""

    def __init__(self, driver):
        self.driver, self.modules = driver, {}

    def _find_kernel(self, arithmetic):
        """`fill` for numbers as these lie in memory."""
        if arithmetic.storage not in self.modules:
            self.modules[arithmetic.storage] = self.driver.load(write_fill(arithmetic))
        return self.modules[arithmetic.storage].kernel("fill")

    def fill(self, buffer, count, key, dtype):
        arguments = [address(buffer), ctypes.c_uint64(count), ctypes.c_uint64(key)]
        grid = find_grid(self.driver, count)
        self._find_kernel(TYPES[dtype]).launch((grid, 1, 1), (BLOCK, 1, 1), arguments)

    def poison(self, buffer, size):
        """NaN everywhere, so that a missing result is seen."""
        self.driver.set_words(buffer, POISON, size)


def find_grid(driver, count):
    """Blocks for `count` elements: enough to fill the device, no more than needed."""
    return max(1, min(-(-count // BLOCK), 16 * driver.attributes["multiprocessors"]))
