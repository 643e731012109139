"""Scalar computations of regions: evaluated with NumPy, or written as MLIR."""

from dataclasses import dataclass
from typing import Any

import numpy

from . import elements, numbers
from .elements import Element, i1


@dataclass(frozen=True)
class Expression:
    """`op` is a name of OPERATIONS, "argument", "constant" or "convert"."""

    op: str
    element: Element
    operands: tuple = ()
    value: Any = None  # of a constant; the number of an argument


@dataclass(frozen=True)
class Operation:
    evaluate: Any
    mlir: dict  # by kind of the operands

    def name_for(self, element):
        return self.mlir[element.kind]


def _of(real=None, integer=None, boolean=None, complexes=None):
    names = {"float": real, "integer": integer, "boolean": boolean, "complex": complexes}
    return {kind: name for kind, name in names.items() if name}


OPERATIONS = {
    "add": Operation(numbers.add, _of("arith.addf", "arith.addi", "arith.ori", "complex.add")),
    "subtract": Operation(
        numbers.subtract, _of("arith.subf", "arith.subi", None, "complex.sub")
    ),
    "multiply": Operation(
        numbers.multiply, _of("arith.mulf", "arith.muli", "arith.andi", "complex.mul")
    ),
    "maximum": Operation(numbers.maximum, _of("arith.maximumf", "arith.maxsi")),
    "minimum": Operation(numbers.minimum, _of("arith.minimumf", "arith.minsi")),
    "negate": Operation(numbers.negate, _of("arith.negf", None, None, "complex.neg")),
    "absolute": Operation(numbers.absolute, _of("math.absf")),
    "conjugate": Operation(numbers.conjugate, _of(complexes="complex.conj")),
    "exp": Operation(numbers.exponential, _of("math.exp")),
    "log": Operation(numbers.logarithm, _of("math.log")),
    "tanh": Operation(numbers.hyperbolic_tangent, _of("math.tanh")),
    "sqrt": Operation(numbers.square_root, _of("math.sqrt")),
    "and": Operation(
        numbers.bitwise(numpy.bitwise_and), _of(None, "arith.andi", "arith.andi")
    ),
    "or": Operation(numbers.bitwise(numpy.bitwise_or), _of(None, "arith.ori", "arith.ori")),
    "xor": Operation(
        numbers.bitwise(numpy.bitwise_xor), _of(None, "arith.xori", "arith.xori")
    ),
    "greater": Operation(
        numbers.compare(numpy.greater, i1), _of("arith.cmpf ogt,", "arith.cmpi sgt,")
    ),
    "equal": Operation(
        numbers.compare(numpy.equal, i1),
        _of("arith.cmpf oeq,", "arith.cmpi eq,", "arith.cmpi eq,"),
    ),
}


def argument(number, element):
    return Expression("argument", element, (), number)


def constant(value, element):
    return Expression("constant", element, (), value)


def convert(operand, element):
    if operand.element is element:
        return operand
    return Expression("convert", element, (operand,))


def apply(op, *operands):
    element = i1 if op in ("greater", "equal") else operands[0].element
    return Expression(op, element, operands)


def select(condition, a, b):
    return Expression("select", a.element, (condition, a, b))


def evaluate(expression, arguments):
    """The Number that `expression` is for Numbers as arguments."""
    if expression.op == "argument":
        return arguments[expression.value]
    if expression.op == "constant":
        return numbers.constant(expression.element, expression.value)
    operands = [evaluate(operand, arguments) for operand in expression.operands]
    if expression.op == "convert":
        return numbers.convert(operands[0], expression.element)
    if expression.op == "select":
        return numbers.select(*operands)
    return OPERATIONS[expression.op].evaluate(*operands)


def format_constant(value, element):
    """An attribute of the type."""
    if element.kind == "complex":
        value, part = complex(value), element.part
        return f"[{float(value.real)!r} : {part}, {float(value.imag)!r} : {part}]"
    if element.kind == "boolean":
        return "true" if value else "false"
    if element.kind == "float" and numpy.isinf(value):
        bits = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}
        sign = 1 << (element.bits - 1) if value < 0 else 0
        return f"0x{bits[element.name] | sign:0{element.bits // 4}X} : {element}"
    text = f"{float(value):e}" if element.kind == "float" else str(int(value))
    return f"{text} : {element}"


class Emitter:
    """Writes expressions as lines; names are made unique by a prefix."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.lines = []
        self.known = {}

    def _define(self, text):
        name = f"%{self.prefix}{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def emit(self, expression, arguments):
        """The name of the value, after the lines that compute it."""
        if expression.op == "argument":
            return arguments[expression.value]
        key = (expression, tuple(arguments))
        if key not in self.known:
            self.known[key] = self._emit_new(expression, arguments)
        return self.known[key]

    def _emit_new(self, expression, arguments):
        element = expression.element
        if expression.op == "constant":
            text = format_constant(expression.value, element)
            if element.kind == "complex":
                return self._define(f"complex.constant {text} : {element}")
            return self._define(f"arith.constant {text}")
        names = [self.emit(operand, arguments) for operand in expression.operands]
        source = expression.operands[-1].element
        if expression.op == "convert":
            return self._emit_conversion(names[0], source, element)
        if expression.op == "select":
            return self._define(f"arith.select {', '.join(names)} : {element}")
        op = OPERATIONS[expression.op].name_for(source)
        return self._define(f"{op} {', '.join(names)} : {source}")

    def _emit_conversion(self, name, source, target):
        if source is target:
            return name
        if target.kind == "complex":
            return self._emit_complex(name, source, target)
        if target is i1:
            zero = self._define(f"arith.constant 0 : {source}")
            return self._define(f"arith.cmpi ne, {name}, {zero} : {source}")
        op = _conversion(source, target)
        if op is None:  # bf16 and f16: by way of f32
            wide = self._emit_conversion(name, source, elements.f32)
            return self._emit_conversion(wide, elements.f32, target)
        return self._define(f"{op} {name} : {source} to {target}")

    def _emit_complex(self, name, source, target):
        part = target.part
        if source.kind != "complex":
            real = self._emit_conversion(name, source, part)
            imaginary = self._define(f"arith.constant 0.0 : {part}")
        else:
            real, imaginary = (
                self._emit_conversion(
                    self._define(f"complex.{half} {name} : {source}"), source.part, part
                )
                for half in ("re", "im")
            )
        return self._define(f"complex.create {real}, {imaginary} : {target}")


def _conversion(source, target):
    if target.kind == "float":
        if source.kind == "float":
            if source.bits == target.bits:
                return None
            return "arith.extf" if source.bits < target.bits else "arith.truncf"
        return "arith.uitofp" if source is i1 else "arith.sitofp"
    if source.bits > target.bits:
        return "arith.trunci"
    return "arith.extui" if source is i1 else "arith.extsi"
