"""Hypothesis strategies for map, combine and epilogue regions.

A recipe gives a contraction's regions: its elements, map, combine and neutral
elements. Those with a fixed meaning (semirings, argmax, ...) are here by name.
"""

from dataclasses import dataclass

import numpy
from hypothesis import strategies as st

from . import elements
from .elements import can_convert
from .expressions import apply, argument, constant, convert, select
from .model import Combine
from .strategies import chance, choose


@dataclass(frozen=True)
class Recipe:
    """What a contraction computes; the elements of its operands follow."""

    name: str
    inputs: tuple  # elements
    map: tuple
    combine: object = None
    data: str = "integers"


OPERATORS = {
    "float": ("add", "multiply", "subtract", "maximum", "minimum", "negate", "absolute", "tanh"),
    "complex": ("add", "multiply", "subtract", "negate", "conjugate"),
    "integer": ("add", "multiply", "subtract", "maximum", "minimum", "and", "or", "xor"),
    "boolean": ("and", "or", "xor"),
}
UNARY = ("negate", "absolute", "tanh", "conjugate")


@st.composite
def scalar_expressions(draw, leaves, depth=2):
    """An expression over `leaves`, all of one element, that uses each at least once."""
    element = leaves[0].element
    left = list(draw(st.permutations(leaves)))
    result = left.pop()
    while left or (depth > 0 and chance(draw, 50)):
        op = choose(draw, *OPERATORS[element.kind])
        depth -= 1
        if op in UNARY:
            if left and chance(draw, 50):
                left[-1] = apply(op, left[-1])
            else:
                result = apply(op, result)
            continue
        other = left.pop() if left else draw(_constants(element))
        result = apply(op, result, other)
    return result


@st.composite
def _constants(draw, element):
    if element.kind == "boolean":
        return constant(chance(draw, 50), element)
    if element.kind == "complex":
        return constant(complex(choose(draw, 1, 2, -1), choose(draw, 0, 1, -2)), element)
    if element.kind == "integer":
        return constant(choose(draw, 1, 2, 3, -1, -2), element)
    return constant(choose(draw, 1.0, 2.0, 0.5, -1.0, -0.25), element)


def lowest(element):
    if element.kind == "float":
        return -(numpy.inf if element.digits > 4 else element.largest)
    return int(numpy.iinfo(element.storage).min)


def largest(element):
    if element.kind == "float":  # those of 8 bits are finite
        return numpy.inf if element.digits > 4 else element.largest
    return int(numpy.iinfo(element.storage).max)


def _pair(element):
    return argument(0, element), argument(1, element)


def _simple(name, neutral):
    """A combine of one associative and commutative operation."""

    def build(element):
        value = neutral(element) if callable(neutral) else neutral
        return Combine(name, (apply(name, *_pair(element)),), (value,), True, True)

    return build


def _log_sum_exp(element):
    a, b = _pair(element)
    most = apply("maximum", a, b)
    parts = [apply("exp", apply("subtract", x, most)) for x in (a, b)]
    sums = apply("add", most, apply("log", apply("add", *parts)))
    return Combine("log_sum_exp", (sums,), (-(2.0**99),), True, True)


def _first(element):
    """The first that is not zero: grouped at will, but in order."""
    a, b = _pair(element)
    zero = constant(0, element)
    return Combine("first", (select(apply("equal", a, zero), b, a),), (0,), True, False)


def _affine(element):
    """x -> m x + c, one after the other: associative and not commutative."""
    m0, c0, m1, c1 = (argument(n, element) for n in range(4))
    later = apply("add", apply("multiply", m1, c0), c1)
    return Combine("affine", (apply("multiply", m0, m1), later), (1, 0), True, False)


def _recurrence(element):
    a, b = _pair(element)
    factor = constant(0.5 if element.kind == "float" else 3, element)
    return Combine("recurrence", (apply("add", apply("multiply", a, factor), b),), (0,))


def _difference(element):
    return Combine("difference", (apply("subtract", *_pair(element)),), (0,))


def _arg_max(element):
    """The largest value and the least place where it is."""
    v0, v1 = argument(0, element), argument(2, element)
    n0, n1 = argument(1, elements.i32), argument(3, elements.i32)
    earlier = apply("and", apply("equal", v1, v0), apply("greater", n0, n1))
    better = apply("or", apply("greater", v1, v0), earlier)
    chosen = (select(better, v1, v0), select(better, n1, n0))
    return Combine("arg_max", chosen, (lowest(element), largest(elements.i32)), True, True)


COMBINES = {
    "float": {
        "minimum": _simple("minimum", largest),
        "maximum": _simple("maximum", lowest),
        "multiply": _simple("multiply", 1),
        "log_sum_exp": _log_sum_exp,
        "arg_max": _arg_max,
        "first": _first,
        "affine": _affine,
        "recurrence": _recurrence,
        "difference": _difference,
    },
    "integer": {
        "minimum": _simple("minimum", largest),
        "maximum": _simple("maximum", lowest),
        "multiply": _simple("multiply", 1),
        "or": _simple("or", 0),
        "and": _simple("and", -1),
        "xor": _simple("xor", 0),
        "arg_max": _arg_max,
        "first": _first,
        "affine": _affine,
        "recurrence": _recurrence,
        "difference": _difference,
    },
    "boolean": {
        "and": _simple("and", True),
        "xor": _simple("xor", False),
        "or": _simple("or", False),
    },
    "complex": {"multiply": _simple("multiply", 1), "difference": _difference},
}

# How the values that are combined come from the inputs, where it has a name.
SEMIRINGS = {
    "minimum": ("add", "maximum", "multiply"),
    "maximum": ("add", "multiply", "minimum"),
    "or": ("and",),
    "and": ("or",),
    "xor": ("and",),
}


def _fold(op, leaves):
    result = leaves[0]
    for leaf in leaves[1:]:
        result = apply(op, result, leaf)
    return result


@st.composite
def recipes(draw, inputs, types, values=1):
    """Regions for so many inputs; without a combine, for so many sums."""
    accumulator = draw(st.sampled_from(types))
    sources = [element for element in types if can_convert(element, accumulator)]
    found = tuple(
        draw(st.sampled_from([accumulator, *sources])) for _ in range(inputs)
    )
    leaves = [convert(argument(n, e), accumulator) for n, e in enumerate(found)]
    data = choose(draw, "integers", "uniform")
    if values > 1 or chance(draw, 25):
        mapped = tuple(draw(scalar_expressions(leaves)) for _ in range(values))
        return Recipe("map", found, mapped, None, data)
    names = list(COMBINES[accumulator.kind])
    if accumulator in elements.NARROW_FLOATS:
        names.remove("log_sum_exp")
    if elements.i32 not in types and "arg_max" in names:
        names.remove("arg_max")
    name = draw(st.sampled_from(names))
    combine = COMBINES[accumulator.kind][name](accumulator)
    if name == "arg_max":
        found = (*found, elements.i32)
        place = argument(inputs, elements.i32)
        return Recipe(name, found, (_fold("add", leaves), place), combine)
    if name == "affine":
        kind = "integers" if accumulator.kind == "integer" else "uniform"
        return Recipe(name, found, (leaves[0], _fold("add", leaves)), combine, kind)
    if name == "multiply":
        data = "uniform"
    if name in SEMIRINGS and chance(draw, 70):
        ops = SEMIRINGS[name]
        if accumulator.kind == "boolean" or name in ("and", "or", "xor"):
            ops = ops[:1]
        return Recipe(name, found, (_fold(choose(draw, *ops), leaves),), combine, data)
    if name == "first":
        return Recipe(name, found, (_fold("multiply", leaves),), combine, "integers")
    if chance(draw, 40):  # products of the inputs, without a map region
        return Recipe(name, found, (), combine, data)
    return Recipe(name, found, (draw(scalar_expressions(leaves)),), combine, data)


EPILOGUES = ("none", "scale", "bias", "activation", "update", "multiply", "any")


@st.composite
def epilogue_expressions(draw, kind, accumulators, sides, element):
    """One expression of the accumulators and sides that yields `element`."""
    leaves = [argument(n, e) for n, e in enumerate(accumulators)]
    extra = [convert(argument(len(leaves) + n, e), leaves[0].element) for n, e in enumerate(sides)]
    value = leaves[0]
    inner = value.element
    for leaf in leaves[1:]:
        if can_convert(leaf.element, inner):
            value = apply("and" if inner.kind == "boolean" else "add", value, convert(leaf, inner))
    if kind == "scale" and inner.kind != "boolean":
        value = apply("multiply", value, draw(_constants(inner)))
    elif kind == "activation" and inner.kind == "float":
        zero = constant(0.0, inner)
        value = apply("maximum", value, zero) if chance(draw, 50) else apply("tanh", value)
    elif kind == "update" and inner.kind != "boolean":
        value = apply("multiply", value, draw(_constants(inner)))
        extra = [apply("multiply", e, draw(_constants(inner))) for e in extra]
    elif kind == "any":
        return convert(draw(scalar_expressions([value, *extra])), element)
    for leaf in extra:
        value = apply("multiply" if kind == "multiply" else "add", value, leaf)
    return convert(value, element)
