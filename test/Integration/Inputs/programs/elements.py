"""Element types: how they are stored in files, computed with, and rounded."""

from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Element:
    """A type as MLIR writes it. `digits` is the precision of its floats in bits."""

    name: str
    kind: str  # float, complex, integer, boolean
    storage: str  # NumPy's type in files; bf16 and floats of 8 bits are stored as their bits
    digits: int = 0
    tiny: float = 0.0  # the smallest normal number
    largest: float = 0.0

    @property
    def unit(self):
        """The unit roundoff."""
        return 2.0**-self.digits

    @property
    def dtype(self):
        """What NumPy computes with: floats in double precision, integers exactly."""
        return {"float": "f8", "complex": "c16"}.get(self.kind, self.storage)

    @property
    def bits(self):
        return 1 if self.kind == "boolean" else 8 * numpy.dtype(self.storage).itemsize

    @property
    def part(self):
        """The float of a complex number's parts."""
        return BY_NAME[self.name[8:-1]]

    def __str__(self):
        return self.name

    def __repr__(self):  # as the variable below
        names = {"complex<f32>": "c64", "complex<f64>": "c128"}
        names |= {"f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2"}
        return names.get(self.name, self.name)


f8e4m3 = Element("f8E4M3FN", "float", "u1", 4, 2.0**-6, 448.0)
f8e5m2 = Element("f8E5M2", "float", "u1", 3, 2.0**-14, 57344.0)
f16 = Element("f16", "float", "f2", 11, 2.0**-14, 65504.0)
bf16 = Element("bf16", "float", "u2", 8, 2.0**-126, 3.38e38)
f32 = Element("f32", "float", "f4", 24, 2.0**-126, 3.40e38)
f64 = Element("f64", "float", "f8", 53, 2.0**-1022, 1.79e308)
c64 = Element("complex<f32>", "complex", "c8", 24, 2.0**-126, 3.40e38)
c128 = Element("complex<f64>", "complex", "c16", 53, 2.0**-1022, 1.79e308)
i1 = Element("i1", "boolean", "?")
i8 = Element("i8", "integer", "i1")
i16 = Element("i16", "integer", "i2")
i32 = Element("i32", "integer", "i4")
i64 = Element("i64", "integer", "i8")

F8 = (f8e4m3, f8e5m2)  # what is larger than their largest becomes that
NARROW_FLOATS = (f16, bf16, *F8)
ALL = (f32, f64, *NARROW_FLOATS, c64, c128, i1, i8, i16, i32, i64)
BY_NAME = {element.name: element for element in ALL}


def can_convert(source, target):
    """Within floats, within integers, integers to floats, both to complex."""
    if source.kind == target.kind:
        return True
    order = {"boolean": 0, "integer": 0, "float": 1, "complex": 2}
    return order[source.kind] <= order[target.kind]


def default_accumulator(result):
    if result in NARROW_FLOATS:
        return f32
    return {"i8": i32, "i16": i32}.get(result.name, result)


def _round_to_bf16(values):
    """The bits of the nearest bf16 (to even); no value is NaN."""
    bits = numpy.asarray(values, "f4").view("u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("u2")


def _decode_f8(element):
    """What the codes from 0 on mean, up to that of the largest number."""
    bits = element.digits - 1
    codes = numpy.arange(0x80)
    exponents, fractions = codes >> bits, codes & ((1 << bits) - 1)
    step = element.tiny / (1 << bits)
    values = numpy.where(
        exponents == 0, step * fractions, step * (fractions + (1 << bits)) * 2.0 ** (exponents - 1.0)
    )
    return values[values <= element.largest]


def _store_f8(element, values):
    """The codes of the nearest finite numbers (to even); NaN is 0x7f."""
    known = _decode_f8(element)
    sizes = numpy.minimum(numpy.abs(numpy.nan_to_num(values, posinf=1e9, neginf=-1e9)), known[-1])
    above = numpy.clip(numpy.searchsorted(known, sizes), 1, len(known) - 1)
    down, up = sizes - known[above - 1], known[above] - sizes
    codes = above - ((down < up) | ((down == up) & (above % 2 == 1)))
    codes = codes | numpy.where(numpy.signbit(values), 0x80, 0)
    return numpy.where(numpy.isnan(values), 0x7F, codes).astype("u1")


def _load_f8(element, stored):
    known = _decode_f8(element)
    codes = numpy.asarray(stored) & 0x7F
    values = numpy.where(codes < len(known), known[numpy.minimum(codes, len(known) - 1)], numpy.nan)
    if element is f8e5m2:
        values = numpy.where(codes == 0x7C, numpy.inf, values)
    return numpy.where(numpy.asarray(stored) & 0x80, -values, values)


def store(element, values):
    """Values of the computing type as the file holds them."""
    values = numpy.asarray(values)
    if element in F8:
        return _store_f8(element, values)
    if element is bf16:
        return numpy.where(
            numpy.isnan(values), numpy.uint16(0x7FC1), _round_to_bf16(numpy.nan_to_num(values))
        )
    return values.astype(element.storage)


def load(element, stored):
    """What the file holds as values of the computing type."""
    if element in F8:
        return _load_f8(element, stored)
    if element is bf16:
        bits = numpy.atleast_1d(stored).astype("u4") << 16
        return bits.view("f4").astype("f8").reshape(numpy.shape(stored))
    return stored.astype(element.dtype)


def poison(element):
    """A stored value that spoils every result it reaches, and is seen when changed."""
    if element in F8:
        return numpy.uint8(0xFF)
    if element is bf16:
        return numpy.uint16(0x7FC1)
    if element.kind == "complex":
        return numpy.array(complex(numpy.nan, numpy.nan), element.storage)
    if element.kind == "float":
        return numpy.array(numpy.nan, element.storage)
    if element.kind == "boolean":
        return numpy.array(True)
    return numpy.array(0x55, element.storage)
