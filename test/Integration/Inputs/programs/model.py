"""What a program is: iterators, operands over views of buffers, and regions.

A Contraction is what `tc.contract` says, whatever text it is written as. Every
operand is an argument of the program, an array `base` of which the contraction
sees a view; an element of the view is `offset + sum(index * stride)` in the
flat array. The fields say all of it, so that repr(program) is a recipe.
"""

from dataclasses import dataclass
from typing import Optional

import numpy

from .elements import Element, default_accumulator


@dataclass(frozen=True)
class Iterator:
    name: str
    extent: int
    dynamic: bool = False  # is the extent known at run time alone?


@dataclass(frozen=True)
class Subscript:
    """sum(factor * iterator) + constant."""

    terms: tuple  # of (iterator name, factor)
    constant: int = 0

    @property
    def names(self):
        return [name for name, _ in self.terms]


@dataclass(frozen=True)
class View:
    """How a memref or tensor of `shape` lies in the array of an argument.

    `form` is how the program gets it: "dense" (the argument itself), "layout" (its
    type has the strides and the offset that are in `slices`), or by
    "reinterpret_cast", "tc.view", "subview", "transpose", "transposed subview",
    "extract_slice", or "described" (for an einsum).
    `base` is the shape of the argument. For those with subview, `slices` has
    offset and step of each dimension of the base; `order` is the permutation of
    a transpose.
    """

    form: str
    shape: tuple
    strides: tuple
    offset: int
    base: tuple
    slices: tuple = ()
    order: tuple = ()

    @property
    def size(self):
        return int(numpy.prod(self.base, dtype=int))


@dataclass(frozen=True)
class Operand:
    name: str
    element: Element
    subscripts: tuple
    view: View
    dynamic: bool = False  # are shape, strides and offset known at run time alone?

    def iterators(self):
        """Names of the iterators it varies with."""
        return {name for subscript in self.subscripts for name, _ in subscript.terms}

    def addresses(self, iterators):
        """Places in the flat array, over the space of `iterators` (broadcast)."""
        place = numpy.full((1,) * len(iterators), self.view.offset)
        for subscript, stride in zip(self.subscripts, self.view.strides):
            place = place + subscript.constant * stride
            for name, factor in subscript.terms:
                axis = [iterator.name for iterator in iterators].index(name)
                steps = numpy.arange(iterators[axis].extent) * (factor * stride)
                shape = [1] * len(iterators)
                shape[axis] = -1
                place = place + steps.reshape(shape)
        return place


@dataclass(frozen=True)
class Combine:
    """A combine region with its neutral elements, and what it promises."""

    name: str
    expressions: tuple  # of arguments: accumulators, then values
    neutral: tuple
    associative: bool = False
    commutative: bool = False


@dataclass(frozen=True)
class Contraction:
    iterators: tuple
    inputs: tuple
    results: tuple
    sides: tuple = ()
    overwrite: bool = True
    accumulator: Optional[Element] = None  # as written, without regions
    map: tuple = ()  # expressions of the inputs' elements, or () for products
    combine: Optional[Combine] = None
    epilogue: tuple = ()  # expressions of accumulators, then sides

    def accumulators(self):
        """The elements that are accumulated in."""
        if self.combine:
            return [expression.element for expression in self.combine.expressions]
        if self.map:
            return [expression.element for expression in self.map]
        return [self.accumulator or default_accumulator(self.results[0].element)]

    def result_names(self):
        return self.results[0].iterators()

    def contracted(self):
        return [i for i in self.iterators if i.name not in self.result_names()]

    def operands(self):
        return (*self.inputs, *self.sides, *self.results)

    def points(self):
        return int(numpy.prod([i.extent for i in self.iterators], dtype=int))


@dataclass(frozen=True)
class Program:
    """One function. Several terms add into the results of the first.

    `form` is a writer: contract, generic, named, einsum, ... `data` is
    "integers" or "uniform"; `seed` is that of the data. `details` is what the
    form needs to know: the name of a linalg op, the text of an einsum.
    """

    form: str
    terms: tuple
    data: str
    seed: int
    details: tuple = ()

    @property
    def contraction(self):
        return self.terms[0]

    def arguments(self):
        """The operands that are arguments, each array once, in order: inputs and
        sides of every term, then results."""
        known, found = set(), []
        lists = [(*term.inputs, *term.sides) for term in self.terms]
        for operand in [*sum(lists, ()), *self.contraction.results]:
            if operand.name not in known:
                known.add(operand.name)
                found.append(operand)
        # A side may be a result: it stands with the results.
        results = {operand.name for operand in self.contraction.results}
        return sorted(found, key=lambda operand: operand.name in results)

    def detail(self, name, default=None):
        return dict(self.details).get(name, default)
