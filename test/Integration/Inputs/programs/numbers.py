"""Arrays of numbers with a bound of the rounding error of each.

Every operation adds the rounding that a kernel may do in the element type, and
carries the errors of its operands on (running error analysis: N. J. Higham,
Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.3). Where
operands and result are integers that the type holds, nothing is rounded: sums,
products and semirings over small integers are exact in any order.
"""

from dataclasses import dataclass

import numpy

from .elements import F8, Element

# How many units in the last place a kernel's elementary functions may be off.
FUNCTION_ULPS = 16.0


@dataclass
class Number:
    element: Element
    value: numpy.ndarray
    error: numpy.ndarray  # absolute; of integers always 0

    @property
    def is_rounded(self):
        return self.element.kind in ("float", "complex")

    @property
    def passed_on(self):
        """The error as an operand: none is bound where a kernel may have infinity."""
        if not self.is_rounded:
            return self.error
        reach = numpy.abs(self.value) + self.error
        beyond = numpy.isfinite(self.value) & (reach >= self.element.largest)
        return numpy.where(beyond, numpy.inf, self.error)


def _is_exact(element, value):
    """Is the value an integer that the type holds?"""
    whole = (value.real == numpy.rint(value.real)) & (value.imag == numpy.rint(value.imag))
    return whole & (numpy.abs(value) <= 2.0**element.digits)


def _finish(element, value, error, ulps=1.0):
    """Adds the rounding of an operation whose operands are off by `error`."""
    value = numpy.asarray(value, element.dtype)
    if element.kind not in ("float", "complex"):
        return Number(element, value, numpy.zeros(()))
    if element in F8:
        value = numpy.clip(value, -element.largest, element.largest)
    with numpy.errstate(all="ignore"):
        # This evaluation rounds, too: as much as a kernel in f64.
        own = 2.0 * ulps if element.digits == 53 else ulps
        if element.kind == "complex":
            own *= 4.0
        rounding = own * element.unit * numpy.abs(value) + element.tiny
        exact = (error == 0) & _is_exact(element, value) & (ulps == 1.0)
    return Number(element, value, numpy.where(exact, 0.0, error + rounding))


def constant(element, value):
    return Number(element, numpy.asarray(value, element.dtype), numpy.zeros(()))


def convert(number, element):
    source = number.element
    if source is element:
        return number
    value = number.value
    if element.kind == "boolean":
        return Number(element, value != 0, numpy.zeros(()))
    if element.kind == "integer":
        return Number(element, value.astype(element.dtype), numpy.zeros(()))
    is_other = element.bits == source.bits == 8  # of these neither holds the other one
    if element.kind == "float" and element.digits >= source.digits > 0 and not is_other:
        return Number(element, value, number.passed_on)
    if element.kind == "complex" and element.digits >= source.digits > 0:
        return Number(element, value.astype("c16"), number.passed_on)
    return _finish(element, value.astype(element.dtype), number.passed_on)


def add(a, b):
    if a.element.kind == "boolean":
        return Number(a.element, a.value | b.value, a.error)
    return _finish(a.element, a.value + b.value, a.passed_on + b.passed_on)


def subtract(a, b):
    return _finish(a.element, a.value - b.value, a.passed_on + b.passed_on)


def multiply(a, b):
    if a.element.kind == "boolean":
        return Number(a.element, a.value & b.value, a.error)
    da, db = a.passed_on, b.passed_on
    error = abs(a.value) * db + abs(b.value) * da + da * db
    return _finish(a.element, a.value * b.value, error)


def negate(a):
    return Number(a.element, -a.value, a.error)


def conjugate(a):
    return Number(a.element, numpy.conj(a.value), a.error)


def absolute(a):
    return Number(a.element, numpy.abs(a.value), a.error)


def maximum(a, b):
    return Number(
        a.element, numpy.maximum(a.value, b.value), numpy.maximum(a.error, b.error)
    )


def minimum(a, b):
    return Number(
        a.element, numpy.minimum(a.value, b.value), numpy.maximum(a.error, b.error)
    )


def bitwise(function):
    return lambda a, b: Number(a.element, function(a.value, b.value), a.error)


def exponential(a):
    value = numpy.exp(a.value)
    return _finish(a.element, value, numpy.exp(a.value + a.error) - value, FUNCTION_ULPS)


def logarithm(a):
    with numpy.errstate(all="ignore"):
        error = a.error / numpy.maximum(a.value - a.error, a.element.tiny)
        # Of a number near 1 the absolute error counts.
        error = error + FUNCTION_ULPS * a.element.unit
        return _finish(a.element, numpy.log(a.value), error, FUNCTION_ULPS)


def hyperbolic_tangent(a):
    return _finish(a.element, numpy.tanh(a.value), a.error, FUNCTION_ULPS)


def square_root(a):
    value = numpy.sqrt(a.value)
    with numpy.errstate(all="ignore"):
        error = numpy.where(a.error == 0, 0.0, a.error / numpy.maximum(value, 1e-300))
    return _finish(a.element, value, error, FUNCTION_ULPS)


def compare(function, boolean):
    """Comparisons are meant of exact operands: an error has no bound here."""
    return lambda a, b: Number(boolean, function(a.value, b.value), numpy.zeros(()))


def select(condition, a, b):
    return Number(
        a.element,
        numpy.where(condition.value, a.value, b.value),
        numpy.where(condition.value, a.error, b.error),
    )


def broadcast(number, shape):
    return Number(
        number.element,
        numpy.broadcast_to(number.value, shape),
        numpy.broadcast_to(number.error, shape),
    )


def concatenate(parts):
    """Numbers of one element, along the last axis."""
    parts = [broadcast(part, part.value.shape) for part in parts]
    return Number(
        parts[0].element,
        numpy.concatenate([part.value for part in parts], axis=-1),
        numpy.concatenate([part.error for part in parts], axis=-1),
    )


def total(terms):
    """The sum over the last axis, in any order."""
    element, value = terms.element, terms.value
    if element.kind == "boolean":
        return Number(element, value.any(axis=-1), numpy.zeros(()))
    if element.kind == "integer":
        return Number(element, value.sum(axis=-1, dtype=element.dtype), numpy.zeros(()))
    count = value.shape[-1]
    magnitude = numpy.abs(value).sum(axis=-1)
    error = numpy.broadcast_to(terms.error, value.shape).sum(axis=-1)
    exact = (error == 0) & (magnitude <= 2.0**element.digits)
    exact &= _is_exact(element, value).all(axis=-1)
    own = (8.0 if element.kind == "complex" else 1.0) * (2.0 if element.digits == 53 else 1.0)
    rounding = own * count * element.unit * magnitude + element.tiny
    return Number(element, value.sum(axis=-1), numpy.where(exact, 0.0, error + rounding))
