"""Types that a problem may be measured in: how its numbers lie in memory, what to ask the
compiler for, and how exact results have to be.

A type is one of numbers (f32, f64, f16, bf16), or one of f32 whose products may be sums of
products of narrower numbers by tensor units (tf32x3, bf16x6; docs/Accuracy.md)."""

import dataclasses
import math

import numpy


@dataclasses.dataclass(frozen=True)
class Arithmetic:
    """Units are unit roundoffs."""

    storage: str  # of numbers in memory
    item_bytes: int
    digits: int  # bits of a significand in memory
    sum_unit: float  # of a sum of products
    product_error: float = 0.0  # relative, beside that of roundings
    is_truncated: bool = False  # are sums those of tensor units, which truncate?
    matrix: str = ""  # the numbers that tensor units multiply, if they do
    passes: int = 1  # products of these for one product

    @property
    def result_unit(self):
        return 2.0**-self.digits

    @property
    def options(self):
        """What tc-compile is told."""
        return [f"--dtype={self.storage}"]

    @property
    def numpy(self):
        """The type of an array; NumPy has no bf16, so arrays of it are 16-bit integers."""
        return numpy.dtype({"f16": "f2", "bf16": "u2"}.get(self.storage, f"f{self.item_bytes}"))

    def find_tolerances(self, roundings):
        """(by norm, by element) of a sum with so many roundings, whose reference rounds in f64
        as often. Errors of roundings that are independent grow with the root of their number,
        and the factor leaves room for sums in one long chain. What truncates errs to one side:
        on average by half a unit of 2^-23 of a partial sum, of which each holds four terms or
        more."""
        unit = self.sum_unit + 2.0**-53
        last = self.result_unit if self.result_unit > self.sum_unit else 0.0
        by_norm = 2 * unit * (2 + math.sqrt(roundings)) + self.product_error + 2 * last
        total = roundings * unit
        if self.is_truncated:
            by_norm += self.passes * unit * roundings / 4
            total *= 2 * self.passes
        by_element = total / (1 - total) if total < 1 else math.inf
        return by_norm, by_element + self.product_error + last


@dataclasses.dataclass(frozen=True)
class Precision(Arithmetic):
    """f32 whose products are those of `--precision`."""

    name: str = ""

    @property
    def options(self):
        return [*super().options, f"--precision={self.name}"]


_F32 = 2.0**-24
TYPES = {
    "f32": Arithmetic("f32", 4, 24, _F32),
    "f64": Arithmetic("f64", 8, 53, 2.0**-53, matrix="f64"),
    "f16": Arithmetic("f16", 2, 11, _F32, is_truncated=True, matrix="f16"),
    "bf16": Arithmetic("bf16", 2, 8, _F32, is_truncated=True, matrix="bf16"),
    "tf32x3": Precision("f32", 4, 24, _F32, 8 * _F32, True, "tf32", 3, "tf32x3"),
    "bf16x6": Precision("f32", 4, 24, _F32, _F32, True, "bf16", 6, "bf16x6"),
}


def load_as_f64(storage, register, place):
    """PTX that loads a number at `[place]` into `register` of f64. Uses the registers %narrow
    (f32), %half (b16) and %word (b32)."""
    if storage == "f64":
        return [f"ld.global.f64 {register}, [{place}];"]
    if storage == "f32":
        load = [f"ld.global.f32 %narrow, [{place}];"]
    else:
        load = [f"ld.global.b16 %half, [{place}];"]
        load += {
            "f16": ["cvt.f32.f16 %narrow, %half;"],
            "bf16": ["cvt.u32.u16 %word, %half;", "shl.b32 %word, %word, 16;"]
            + ["mov.b32 %narrow, %word;"],
        }[storage]
    return [*load, f"cvt.f64.f32 {register}, %narrow;"]


def store_from_f64(storage, register, place):
    """PTX that stores a number that `storage` can hold exactly; registers as above."""
    if storage == "f64":
        return [f"st.global.f64 [{place}], {register};"]
    narrow = [f"cvt.rn.f32.f64 %narrow, {register};"]
    if storage == "f32":
        return [*narrow, f"st.global.f32 [{place}], %narrow;"]
    narrow += {
        "f16": ["cvt.rn.f16.f32 %half, %narrow;"],
        "bf16": ["mov.b32 %word, %narrow;", "shr.u32 %word, %word, 16;"]
        + ["cvt.u16.u32 %half, %word;"],
    }[storage]
    return [*narrow, f"st.global.b16 [{place}], %half;"]
