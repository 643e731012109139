"""Random matrix products as bits, and digests of their results.

Products have numbers, and those of a seed are the same wherever they are made: only
integers are computed with. KINDS of inputs take turns, and with each of them what the
accumulators are:

- near: both signs, from one to two
- positive: no signs; like `even`, both signs, over four powers of two
- wide: both signs, over many powers of two
- cancelling, cancelling-wide: the same in pairs of terms that leave little or nothing
- small: with subnormal numbers, and products about as small
- special: as `near`, with one or two of zeros, infinities, NaNs, and the ends of the type

Accumulators are zero; about as large as the products; of many powers of two; or so
large that much of the products is cut off. All bits of whole numbers are random.
"""

import numpy

from . import data
from .matrix import BITS

KINDS = (
    "near", "positive", "even", "wide", "cancelling", "cancelling-wide", "small", "special",
)  # fmt: skip
ACCUMULATORS = 4
PERIOD = len(KINDS) * ACCUMULATORS
_SPECIALS = 8

# (bits of the exponent, of the significand, of the register below it)
_FLOATS = {
    "f64": (11, 52, 0),
    "f32": (8, 23, 0),
    "tf32": (8, 10, 13),
    "f16": (5, 10, 0),
    "bf16": (8, 7, 0),
    "e4m3": (4, 3, 0),
    "e5m2": (5, 2, 0),
}


class _Type:
    """How elements of a type are made of random bits: those that are kept, and what
    they are added to."""

    def __init__(self, name):
        self.bits = BITS[name]
        self.sign = 1 << (self.bits - 1)
        self.is_float = name in _FLOATS
        if not self.is_float:
            self.low, ones = 1, (1 << self.bits) - 1
            self.specials = [0, ones, self.sign, self.sign - 1, 1, ones - 1, self.sign + 1, 2]
            return
        exponent, significand, below = _FLOATS[name]
        self.low = 1 << below
        self.shift = significand + below
        self.significand = ((1 << significand) - 1) << below
        self.bias = (1 << (exponent - 1)) - 1
        self.is_narrow = exponent < 8
        infinity = ((1 << exponent) - 1) << self.shift
        largest, nan = infinity - self.low, infinity + (1 << (self.shift - 1))
        if name == "e4m3":  # has no infinities, and one NaN
            nan, largest = 0x7F, 0x7E
            infinity = largest
        self.specials = [0, infinity, nan, largest]
        self.specials += [self.sign + word for word in (0, infinity, self.low, largest)]

    def spread(self, first, powers, has_sign=True):
        """(kept bits, added bits) of 2**powers exponents from `first`, 0 of subnormals."""
        kept = ((1 << powers) - 1) << self.shift | self.significand
        return kept | (self.sign if has_sign else 0), first << self.shift

    def input(self, kind, is_b):
        if not self.is_float:
            return ((1 << self.bits) - 1 - (self.sign if kind == "positive" else 0), 0)
        one = self.bias
        if kind in ("positive", "even"):
            return self.spread(one - 3, 2, kind == "even")
        if kind in ("wide", "cancelling-wide"):
            return self.spread(one - 4, 3) if one < 8 else self.spread(one - 11, 4)
        if kind == "small":
            return self.spread(one - 3, 2) if is_b else self.spread(0, 2)
        return self.spread(one, 0)

    def accumulator(self, kind, which):
        if which == 0:
            return 0, 0
        if not self.is_float:
            return (1 << self.bits) - 1, 0
        if kind == "small":
            return self.spread(0, 2)
        if which == 1:
            return self.spread(self.bias - 1, 2)
        if which == 2:
            return self.spread(self.bias - 11, 4)
        return self.spread(self.bias + (4 if self.is_narrow else 16), 3)

    def repeat(self, word, width):
        """The word of an element in each of a register."""
        return sum(word << at for at in range(0, width, self.bits))


class Products:
    """The products of one form and seed."""

    def __init__(self, form, seed, number):
        """`number`: of the form, which tells its numbers from those of others."""
        self.form = form
        self.key, self.special_key = (data.make_key(seed, 2 * number + i) for i in (0, 1))
        a, b, c = form.registers
        self.registers, self.dtype = a + b + c, numpy.dtype(f"u{form.width // 8}")
        self.parts = [slice(0, a), slice(a, a + b), slice(a + b, a + b + c)]
        self.types = [_Type(name) for name in (form.a, form.b, form.d)]
        self.kept = numpy.zeros((PERIOD, self.registers, 1), self.dtype)
        self.added = numpy.zeros_like(self.kept)
        for place in range(PERIOD):
            kind, which = KINDS[place // ACCUMULATORS], place % ACCUMULATORS
            pairs = [self.types[0].input(kind, False), self.types[1].input(kind, True)]
            pairs.append(self.types[2].accumulator(kind, which))
            for part, kind_of, pair in zip(self.parts, self.types, pairs):
                kept, added = (kind_of.repeat(word, form.width) for word in pair)
                self.kept[place, part], self.added[place, part] = kept, added

    def make(self, first, count):
        """The registers of products from `first`, both multiples of PERIOD: of each
        product, of each register of A, B and C, a word of each lane."""
        words = 32 * self.registers * self.form.width // 64
        random = _hash(self.key, first * words, count * words)
        shape = (count // PERIOD, PERIOD, self.registers, 32)
        result = random.view(self.dtype).reshape(shape)
        result &= self.kept
        result += self.added
        for kind in ("cancelling", "cancelling-wide"):
            self._cancel(result[:, _places(kind)])
        self._plant(result[:, _places("special")], first)
        return result.reshape(count, self.registers, 32)

    def _cancel(self, words):
        """Lanes 2 i and 2 i + 1 hold the neighbours of a row of A, and of a column of B:
        makes their products one another's opposite, but for a last bit here and there."""
        (a, b, _), (left, right, _) = self.types, self.parts
        sign = a.sign if a.is_float else (1 << a.bits) - 1
        sign, low = (self._word(t, w) for t, w in ((a, sign), (b, b.low)))
        words[:, :, left, 1::2] = words[:, :, left, 0::2] ^ sign
        words[:, :, right, 1::2] = words[:, :, right, 0::2] ^ (words[:, :, right, 1::2] & low)

    def _word(self, kind_of, word):
        return self.dtype.type(kind_of.repeat(word, self.form.width))

    def _plant(self, words, first):
        """Puts special numbers at one place, or two that may be one."""
        made = words.reshape(-1, self.registers, 32)  # a copy
        count = len(made)
        start = first // PERIOD * ACCUMULATORS
        types = [t for n, t in zip(self.form.registers, self.types) for _ in range(n)]
        bits = numpy.array([t.bits for t in types], "u8")
        specials = numpy.array([t.specials for t in types], "u8")
        for turn in range(2):
            random = _hash(self.special_key + turn, start, count)
            register = (random % numpy.uint64(self.registers)).astype("i8")
            lane = (random >> numpy.uint64(8) & numpy.uint64(31)).astype("i8")
            which = (random >> numpy.uint64(16) & numpy.uint64(_SPECIALS - 1)).astype("i8")
            width = bits[register]
            at = (random >> numpy.uint64(24)) % (numpy.uint64(self.form.width) // width) * width
            ones = numpy.uint64(2**64 - 1) >> (numpy.uint64(64) - width)
            chosen = numpy.arange(count) if turn == 0 else numpy.arange(0, count, 2)
            place = chosen, register[chosen], lane[chosen]
            old = made[place].astype("u8") & ~(ones << at)[chosen]
            made[place] = (old | (specials[register, which] << at)[chosen]).astype(self.dtype)
        words[...] = made.reshape(words.shape)


def _places(kind):
    first = KINDS.index(kind) * ACCUMULATORS
    return slice(first, first + ACCUMULATORS)


def _hash(key, first, count):
    """Random words of 64 bits, those of a buffer of harness/data.py."""
    step = data._STEP
    with numpy.errstate(over="ignore"):
        start = numpy.array([(first + 1) % 2**64], "u8") * step + numpy.uint64(key % 2**64)
        return data._mix(numpy.arange(count, dtype="u8") * step + start)


def kind_of(product):
    """The kind of a product by its number."""
    return KINDS[product % PERIOD // ACCUMULATORS]


def unify_nans(form, results):
    """Replaces each NaN of the results by one: which it is, PTX does not say."""
    if form.d == "s32":
        return results
    exponent, significand, _ = _FLOATS[form.d]
    kind = f"u{BITS[form.d] // 8}"
    words = results.copy().view(kind)
    ones = (1 << (exponent + significand)) - 1
    infinity = ones - ((1 << significand) - 1)
    words[(words & words.dtype.type(ones)) > infinity] = ones
    return words.view(results.dtype)


def digest(form, results):
    """A word of 64 bits of each product, from all registers of all lanes."""
    words = unify_nans(form, results).reshape(len(results), -1).view("u8")
    with numpy.errstate(over="ignore"):
        steps = numpy.arange(1, words.shape[1] + 1, dtype="u8") * data._STEP
        return data._mix(words + steps).sum(axis=1, dtype="u8")


def find_terms(form, inputs, register, lane, element):
    """(row, column, terms of A, terms of B, accumulator) of one element of the results
    of a product, as bits; the layout is in include/tc/Target/Mma.h."""
    a, b, c = form.registers
    if form.d == "f16":
        row, column = 8 * register + lane // 4, 2 * (lane % 4) + element
    else:
        row, column = 8 * (register // 2) + lane // 4, 2 * (lane % 4) + register % 2
    blocks = form.m // 8
    left = inputs[row // 8 : a : blocks, 4 * (row % 8) : 4 * (row % 8) + 4]
    right = inputs[a : a + b, 4 * column : 4 * column + 4]
    kinds = [f"u{BITS[name] // 8}" for name in (form.a, form.b, form.d)]
    parts = [numpy.ascontiguousarray(part) for part in (left, right, inputs[a + b :])]
    terms = [part.view(kind) for part, kind in zip(parts, kinds)]
    own = terms[2].reshape(c, 32, -1)[register, lane, element]
    return row, column, terms[0].ravel(), terms[1].ravel(), own
