"""Hypothesis strategies for programs of one tc.contract on memrefs."""

from dataclasses import replace

from hypothesis import strategies as st

from .elements import can_convert
from .model import Contraction, Program
from .regions import COMBINES, EPILOGUES, epilogue_expressions, recipes
from .strategies import chance, choose, operands, spaces, term_spaces

INPUT_NAMES = ("A", "B", "D", "E")
TERM_NAMES = (INPUT_NAMES, ("F", "G", "H"), ("I", "J", "K"), ("L", "M", "N"))
ORDERED_LIMIT = 150  # contracted points of a combine region, which NumPy loops over


@st.composite
def _default_elements(draw, types, inputs):
    """(inputs, result, accumulator or None) that need no region."""
    result = draw(st.sampled_from(types))
    accumulator = None
    if chance(draw, 20):
        wider = [e for e in types if can_convert(e, result)]
        accumulator = draw(st.sampled_from(wider))
    inner = accumulator or Contraction((), (), (_Typed(result),)).accumulators()[0]
    sources = [e for e in types if can_convert(e, inner)]
    if chance(draw, 65):
        same = result if can_convert(result, inner) else inner
        return (same,) * inputs, result, accumulator
    return tuple(draw(st.sampled_from(sources)) for _ in range(inputs)), result, accumulator


class _Typed:
    """Just enough of an operand to ask for the default accumulator."""

    def __init__(self, element):
        self.element = element


@st.composite
def _operand_list(draw, space, found, plain, names=INPUT_NAMES):
    return tuple(
        draw(operands(name, element, space, iterators, plain=plain))
        for name, element, iterators in zip(names, found, space.inputs)
    )


@st.composite
def _result_list(draw, space, found, plain):
    names = ("Z", "Y", "X")
    return tuple(
        draw(operands(name, element, space, space.result, writes=True, plain=plain))
        for name, element in zip(names, found)
    )


@st.composite
def default_contractions(draw, types, plain=False):
    """Products and sums."""
    inputs = choose(draw, 2, 2, 2, 2, 1, 1, 3, 4)
    found, result, accumulator = draw(_default_elements(types, inputs))
    space = draw(spaces(inputs))
    term = Contraction(
        space.iterators,
        draw(_operand_list(space, found, plain)),
        draw(_result_list(space, (result,), plain)),
        accumulator=accumulator,
    )
    inner = term.accumulators()[0]
    adds = can_convert(result, inner) and chance(draw, 40)
    return replace(term, overwrite=not adds), space


@st.composite
def _with_epilogue(draw, term, space, types, plain):
    """Sides and an epilogue; a side may be the result's old value."""
    kind = draw(st.sampled_from(EPILOGUES[1:]))
    inner = term.accumulators()
    sources = [e for e in types if can_convert(e, inner[0])]
    sides = []
    if kind in ("bias", "multiply", "any") or (kind == "update" and not term.overwrite):
        for name in ("S", "T")[: choose(draw, 1, 1, 2)]:
            subset = [n for n in space.result if chance(draw, 60)]
            element = draw(st.sampled_from(sources))
            sides.append(draw(operands(name, element, space, subset, plain=plain)))
    elif kind == "update" and can_convert(term.results[0].element, inner[0]):
        sides.append(term.results[0])
    epilogue = tuple(
        draw(epilogue_expressions(kind, inner, [s.element for s in sides], result.element))
        for result in term.results
    )
    return replace(term, sides=tuple(sides), epilogue=epilogue)


@st.composite
def region_contractions(draw, types, plain=False):
    """Any map, combine and epilogue, any number of results."""
    inputs = choose(draw, 1, 2, 2, 2, 3)
    values = choose(draw, 1, 1, 1, 1, 2, 3)
    recipe = draw(recipes(inputs, types, values))
    limit = ORDERED_LIMIT if recipe.combine else 4096
    if recipe.name == "multiply":
        limit = 24
    space = draw(spaces(len(recipe.inputs), limit))
    term = Contraction(
        space.iterators,
        draw(_operand_list(space, recipe.inputs, plain)),
        (),
        map=recipe.map,
        combine=recipe.combine,
    )
    inner = term.accumulators()
    has_epilogue = chance(draw, 40)
    count = choose(draw, 1, 1, 2, 3) if has_epilogue else len(inner)
    found = []
    for number in range(count):
        own = inner[min(number, len(inner) - 1)] if not has_epilogue else inner[0]
        targets = [e for e in types if can_convert(own, e)]
        found.append(draw(st.sampled_from([own, *targets])))
    term = replace(term, results=draw(_result_list(space, found, plain)))
    adds = (
        count == len(inner)
        and all(can_convert(r.element, a) for r, a in zip(term.results, inner))
        and chance(draw, 35)
    )
    term = replace(term, overwrite=not adds)
    if has_epilogue:
        term = draw(_with_epilogue(term, space, types, plain))
    return term, recipe.data


@st.composite
def with_run_time(draw, terms):
    """The same with some extents, shapes, strides and offsets dynamic."""
    if not chance(draw, 35):
        return terms
    names = sorted({i.name for term in terms for i in term.iterators})
    iterators = {name for name in names if chance(draw, 70)}
    arguments = sorted({o.name for term in terms for o in term.operands()})
    dynamic = {name for name in arguments if chance(draw, 70)}

    def change(operands_of):
        return tuple(replace(o, dynamic=o.name in dynamic) for o in operands_of)

    return tuple(
        replace(
            term,
            iterators=tuple(replace(i, dynamic=i.name in iterators) for i in term.iterators),
            inputs=change(term.inputs),
            sides=change(term.sides),
            results=change(term.results),
        )
        for term in terms
    )


@st.composite
def contract_programs(draw, types, regions):
    if regions:
        term, data = draw(region_contractions(types))
    else:
        (term, _), data = draw(default_contractions(types)), choose(draw, "integers", "uniform")
    return Program("contract", draw(with_run_time((term,))), data, draw(st.integers(0, 2**16)))


@st.composite
def sum_programs(draw, types):
    """Several contractions into one result: as a tc.sum, or one after the other."""
    form = choose(draw, "sum", "sequence")
    first, space = draw(default_contractions(types))
    if not can_convert(first.results[0].element, first.accumulators()[0]):
        first = replace(first, accumulator=None)  # the later terms combine old results
    inner = first.accumulators()[0]
    if first.results[0].element is not inner:
        form = "sum"  # one after the other would round in between
    combines = [c for c in ("minimum", "maximum") if c in COMBINES[inner.kind]]
    if combines and not first.accumulator and chance(draw, 20):
        first = replace(first, combine=COMBINES[inner.kind][choose(draw, *combines)](inner))
    terms = [first]
    sources = [e for e in types if can_convert(e, inner)]
    for names in TERM_NAMES[1 : choose(draw, 2, 2, 3, 4)]:
        inputs = choose(draw, 2, 1, 3)
        own = draw(term_spaces(space, inputs))
        same = chance(draw, 60)
        found = [first.inputs[0].element if same else draw(st.sampled_from(sources))] * inputs
        operands_of_term = draw(_operand_list(own, found, False, names))
        terms.append(
            replace(first, iterators=own.iterators, inputs=operands_of_term, overwrite=False)
        )
    if form == "sum" and chance(draw, 25):
        side = [n for n in space.result if chance(draw, 60)]
        element = draw(st.sampled_from(sources))
        bias = draw(operands("S", element, space, side))
        result = first.results[0].element
        epilogue = draw(epilogue_expressions("bias", (inner,), (element,), result))
        terms[-1] = replace(terms[-1], sides=(bias,), epilogue=(epilogue,))
    data = choose(draw, "integers", "uniform")
    terms = draw(with_run_time(tuple(terms)))
    return Program(form, terms, data, draw(st.integers(0, 2**16)))
