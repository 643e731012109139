"""What a set of programs has, as a table with an axis per line.

`CELLS` lists what each axis must have; a cell that no program fell into is
printed as 0 and is an error of a full run. An axis that is counted apart for
static and run-time shapes has two rows.
"""

from collections import Counter

from . import elements
from .named_ops import CONTRACTIONS, CONVOLUTIONS, RESHAPES
from .regions import COMBINES
from .strategies import VIEW_FORMS

_TYPES = [element.name for element in elements.ALL]
_COMBINES = sorted({name for names in COMBINES.values() for name in names})

CELLS = {
    "class": [
        "batch",
        "row",
        "column",
        "contracted",
        "summed",
        "broadcast",
        "reduced",
        "some of three",
    ],
    "extent": ["0", "1", "prime", "other"],
    "rank of the space": list("01234567"),
    "rank of a result": list("012345"),
    "input type": _TYPES,
    "accumulator": _TYPES,
    "result type": _TYPES,
    "types": ["one", "mixed inputs", "wider accumulator", "other result"],
    "map": ["product", "region"],
    "combine": ["add", *_COMBINES],
    "marks": ["none needed", "reorder", "regroup", "in order"],
    "epilogue": ["none", "without sides", "with sides", "of the old result"],
    "old result": ["overwritten", "combined"],
    "inputs": list("1234"),
    "results": list("123"),
    "view": [*VIEW_FORMS, "extract_slice", "described"],
    "strides": ["permuted", "broadcast", "reversed", "gaps", "offset"],
    "strides of results": ["permuted", "reversed", "gaps", "offset"],
    "subscripts": ["diagonal", "window", "reversed", "step", "offset", "constant"],
    "subscripts of results": ["diagonal", "reversed", "step", "offset", "constant"],
    "extents": ["static", "of run time", "both"],
    "layouts": ["static", "of run time", "both"],
    "regions and run time": ["static product", "static region", "dynamic product", "dynamic region"],
    "op": [*CONTRACTIONS, *RESHAPES, *CONVOLUTIONS],
    "data": ["integers", "uniform"],
    "terms": list("1234"),
    "form": [
        "contract",
        "sum",
        "sequence",
        "generic",
        "generic on tensors",
        "named",
        "named on tensors",
        "convolution",
        "convolution on tensors",
        "fused",
        "einsum",
    ],
}


def _class_of(term, iterator):
    varying = [iterator.name in operand.iterators() for operand in term.inputs]
    if iterator.name in term.result_names():
        if not any(varying):
            return "broadcast"
        if len(varying) == 1:
            return "row"
        if all(varying):
            return "batch"
        return ("row" if varying[0] else "column") if sum(varying) == 1 else "some of three"
    if len(varying) == 1:
        return "reduced"
    if all(varying):
        return "contracted"
    return "summed" if sum(varying) == 1 else "some of three"


def _extent_of(extent):
    if extent < 2:
        return str(extent)
    return "prime" if all(extent % d for d in range(2, extent)) else "other"


def _layouts(operand):
    """What is special about the strides of a view."""
    view = operand.view
    if 0 in view.shape:
        return
    strides, offset = view.slices if view.form == "layout" else (view.strides, view.offset)
    moving = [s for s, extent in zip(strides, view.shape) if extent > 1]
    sizes = [abs(stride) for stride in moving if stride]
    if sizes != sorted(sizes, reverse=True):
        yield "permuted"
    if 0 in moving:
        yield "broadcast"
    if any(stride < 0 for stride in moving):
        yield "reversed"
    dense, places = sorted(zip(sizes, [e for e in view.shape if e > 1])), 1
    for stride, extent in dense:
        if stride > places:
            yield "gaps"
            break
        places *= extent
    if offset:
        yield "offset"


def _subscript_kinds(operand):
    names = [name for subscript in operand.subscripts for name in subscript.names]
    if len(names) != len(set(names)):
        yield "diagonal"
    for subscript in operand.subscripts:
        factors = [factor for _, factor in subscript.terms]
        if len(factors) > 1:
            yield "window"
        elif not factors:
            yield "constant"
        elif factors[0] < 0:
            yield "reversed"
        else:
            if factors[0] > 1:
                yield "step"
            if subscript.constant:
                yield "offset"


def _marks(term):
    if not term.combine:
        return "none needed"
    if term.combine.commutative:
        return "reorder"
    return "regroup" if term.combine.associative else "in order"


def _epilogue(term):
    if not term.epilogue:
        return "none"
    if any(side in term.results for side in term.sides):
        return "of the old result"
    return "with sides" if term.sides else "without sides"


def _types_of(term):
    inner = term.accumulators()[0]
    inputs = {operand.element for operand in term.inputs}
    if len(inputs) > 1:
        yield "mixed inputs"
    if any(inner is not element for element in inputs):
        yield "wider accumulator"
    if any(result.element is not inner for result in term.results):
        yield "other result"
    if inputs == {inner} and all(result.element is inner for result in term.results):
        yield "one"


def _when_known(parts):
    dynamic = [part.dynamic for part in parts]
    return "both" if any(dynamic) and not all(dynamic) else "of run time" if any(dynamic) else "static"


def _term_features(term):
    yield "extents", _when_known(term.iterators)
    yield "layouts", _when_known(term.operands())
    dynamic = any(part.dynamic for part in (*term.iterators, *term.operands()))
    regions = term.map or term.combine or term.epilogue
    yield (
        "regions and run time",
        f"{'dynamic' if dynamic else 'static'} {'region' if regions else 'product'}",
    )
    for iterator in term.iterators:
        yield "class", _class_of(term, iterator)
        yield "extent", _extent_of(iterator.extent)
    yield "rank of the space", str(len(term.iterators))
    yield "inputs", str(len(term.inputs))
    yield "map", "region" if term.map else "product"
    yield "combine", term.combine.name if term.combine else "add"
    yield "marks", _marks(term)
    yield "epilogue", _epilogue(term)
    yield "old result", "overwritten" if term.overwrite else "combined"
    for kind in _types_of(term):
        yield "types", kind
    for operand in term.operands():
        yield "view", operand.view.form
    for operand in term.inputs:
        yield "input type", operand.element.name
        yield from (("strides", kind) for kind in _layouts(operand))
        yield from (("subscripts", kind) for kind in _subscript_kinds(operand))
    for element in term.accumulators():
        yield "accumulator", element.name


def features(program):
    """Pairs of an axis and a cell."""
    found = {("form", program.form), ("data", program.data)}
    for term in program.terms:
        found.update(_term_features(term))
    if program.detail("op"):
        found.add(("op", program.detail("op")))
    found.add(("terms", str(len(program.terms))))
    results = program.contraction.results
    found.add(("results", str(len(results))))
    for result in results:
        found.add(("result type", result.element.name))
        found.add(("rank of a result", str(len(result.iterators()))))
        found.update(("strides of results", kind) for kind in _layouts(result))
        found.update(("subscripts of results", kind) for kind in _subscript_kinds(result))
    return found


class Coverage:
    """How many programs fell into each cell."""

    def __init__(self):
        self.counts = Counter()

    def add(self, program):
        self.counts.update(features(program))

    def table(self):
        """One line for each axis."""
        lines = []
        for axis, cells in CELLS.items():
            others = sorted({cell for a, cell in self.counts if a == axis} - set(cells))
            counted = [f"{cell} {self.counts[axis, cell]}" for cell in [*cells, *others]]
            lines.append(f"{axis}: {', '.join(counted)}")
        return "\n".join(lines)

    def empty_cells(self):
        return [
            f"{axis}: {cell}"
            for axis, cells in CELLS.items()
            for cell in cells
            if not self.counts[axis, cell]
        ]
