"""Hypothesis strategies for programs of linalg ops, on memrefs and tensors."""

from dataclasses import replace

from hypothesis import strategies as st

from .contracts import INPUT_NAMES, with_run_time
from .elements import can_convert, i1
from .expressions import apply, argument, convert
from .model import Contraction, Iterator, Operand, Program, Subscript
from .named_ops import CONTRACTIONS, CONVOLUTIONS, PLAIN_CONVOLUTIONS, RESHAPES
from .regions import COMBINES, epilogue_expressions, scalar_expressions
from .strategies import Space, chance, choose, dense, operands, shape_of, sliced_views, spaces, views

SIMPLE_COMBINES = ("minimum", "maximum", "multiply", "and", "or", "xor")
# What linalg adds up with: an element type for the result that holds the sums.
SMALL_EXTENTS = (2, 3, 1, 4, 5, 7, 8)


def _is_pure(subscript):
    return len(subscript.terms) == 1 and subscript.terms[0][1] == 1 and not subscript.constant


@st.composite
def _with_windows(draw, found, space):
    """Joins two subscripts of an input where other operands have them alone: linalg
    finds the extents of iterators there."""
    found = list(found)
    for number, operand in enumerate(found[:-1]):
        alone = {
            s.terms[0][0]
            for other in found[:number] + found[number + 1 :]
            for s in other.subscripts
            if _is_pure(s)
        }
        pure = [s.terms[0][0] for s in operand.subscripts if _is_pure(s)]
        both = [name for name in dict.fromkeys(pure) if name in alone]
        if len(both) < 2 or 0 in map(space.extent, both) or not chance(draw, 25):
            continue
        first, second = draw(st.permutations(both))[:2]
        steps = ((first, choose(draw, 1, 2, 3)), (second, choose(draw, 1, 2)))
        kept = [s for s in operand.subscripts if s.terms[0][0] not in (first, second)]
        kept.insert(draw(st.integers(0, len(kept))), Subscript(steps))
        view = dense(shape_of(kept, space))
        found[number] = replace(operand, subscripts=tuple(kept), view=view)
    return found


@st.composite
def _with_views(draw, operand, tensors, writes):
    shape = operand.view.shape
    if tensors and writes or tensors and not (shape and chance(draw, 25)):
        return operand
    if tensors:
        view = replace(draw(sliced_views(shape, False)), form="extract_slice")
        return replace(operand, view=view)
    return replace(operand, view=draw(views(operand.view.shape, writes)))


@st.composite
def _with_diagonal(draw, operand, space):
    """The operand with one subscript again."""
    if not operand.subscripts or len(operand.subscripts) > 4 or not chance(draw, 12):
        return operand
    again = draw(st.sampled_from(operand.subscripts))
    if not _is_pure(again):
        return operand
    found = list(operand.subscripts)
    found.insert(draw(st.integers(0, len(found))), again)
    return replace(operand, subscripts=tuple(found), view=dense(shape_of(found, space)))


def _converts_in_named_op(source, result):
    """A named op takes a truth value for a signed number, and knows of no conversion
    to complex numbers or between floats of one width."""
    if i1 in (source, result) or result.kind == "complex":
        return source is result
    return source is result or source.kind != "float" or source.bits != result.bits


@st.composite
def _element_lists(draw, types, inputs, named=False):
    """Elements of inputs and result."""
    result = draw(st.sampled_from(types))
    sources = [e for e in types if can_convert(e, result)]
    if named:
        sources = [e for e in sources if _converts_in_named_op(e, result)]
    if chance(draw, 70):
        return (result,) * inputs, result
    return tuple(draw(st.sampled_from(sources)) for _ in range(inputs)), result


@st.composite
def generic_terms(draw, types, tensors, views_too=True):
    """A contraction that linalg.generic can say."""
    inputs = choose(draw, 2, 2, 2, 1, 3)
    found, element = draw(_element_lists(types, inputs))
    combines = [c for c in SIMPLE_COMBINES if c in COMBINES[element.kind]]
    combine = None
    if combines and chance(draw, 30):
        combine = COMBINES[element.kind][draw(st.sampled_from(combines))](element)
    limit = 24 if combine and combine.name == "multiply" else 150 if combine else 4096
    space = draw(spaces(inputs, limit, must_contract=True))
    made = [
        draw(operands(name, e, space, names, plain=True))
        for name, e, names in zip(INPUT_NAMES, found, space.inputs)
    ]
    made.append(draw(operands("Z", element, space, space.result, writes=True, plain=True)))
    made = draw(_with_windows(made, space))
    made[:-1] = [draw(_with_diagonal(operand, space)) for operand in made[:-1]]
    if views_too:
        made = [draw(_with_views(o, tensors, o is made[-1])) for o in made]
    mapped = ()
    if chance(draw, 30):
        leaves = [convert(argument(n, e), element) for n, e in enumerate(found)]
        mapped = (draw(scalar_expressions(leaves)),)
    return Contraction(
        space.iterators,
        tuple(made[:-1]),
        (made[-1],),
        overwrite=chance(draw, 60),
        accumulator=element,
        map=mapped,
        combine=combine,
    ), space


def _without_accumulator(term):
    """With regions there is no accumulator beside them."""
    return replace(term, accumulator=None) if term.map or term.combine else term


def _data(draw, term):
    if term.combine and term.combine.name == "multiply":
        return "uniform"
    return choose(draw, "integers", "uniform")


@st.composite
def generic_programs(draw, types, tensors):
    term, _ = draw(generic_terms(types, tensors))
    form = "generic on tensors" if tensors else "generic"
    terms = (_without_accumulator(term),)
    if not tensors:
        terms = draw(with_run_time(terms))
    return Program(form, terms, _data(draw, term), _seed(draw))


def _seed(draw):
    return draw(st.integers(0, 2**16))


def _operand(name, element, letters, iterators):
    found = tuple(Subscript(((letter.lower(), 1),)) for letter in letters)
    extents = {iterator.name: iterator.extent for iterator in iterators}
    shape = tuple(extents[letter.lower()] for letter in letters)
    return Operand(name, element, found, dense(shape))


@st.composite
def named_programs(draw, types):
    """A named contraction, on memrefs with views or on tensors."""
    name = draw(st.sampled_from(sorted(CONTRACTIONS)))
    layouts = CONTRACTIONS[name]
    found, element = draw(_element_lists(types, 2, named=True))
    letters = sorted({letter.lower() for layout in layouts for letter in layout})
    extents = (2, 1, 3, 5, 8, 16, 17, 0) if len(letters) < 4 else SMALL_EXTENTS
    iterators = tuple(Iterator(letter, choose(draw, *extents)) for letter in letters)
    tensors = chance(draw, 40)
    made = [
        _operand(n, e, layout, iterators)
        for n, e, layout in zip(("A", "B", "Z"), (*found, element), layouts)
    ]
    made = [draw(_with_views(o, tensors, o is made[-1])) for o in made]
    term = Contraction(
        iterators,
        tuple(made[:2]),
        (made[2],),
        overwrite=chance(draw, 60),
        accumulator=element,
    )
    form = "named on tensors" if tensors else "named"
    terms = (term,) if tensors else draw(with_run_time((term,)))
    return Program(form, terms, _data(draw, term), _seed(draw), (("op", name),))


@st.composite
def reshape_programs(draw, types):
    """A reduction, transposition, broadcast or copy: one input, one type."""
    name = draw(st.sampled_from(sorted(RESHAPES)))
    source, result, _ = RESHAPES[name]
    element = draw(st.sampled_from(types))
    letters = sorted({letter.lower() for letter in source + result})
    iterators = tuple(Iterator(n, choose(draw, 2, 1, 3, 8, 17, 32, 0)) for n in letters)
    tensors = chance(draw, 40)
    made = [_operand(n, element, layout, iterators) for n, layout in (("A", source), ("Z", result))]
    made = [draw(_with_views(o, tensors, o is made[-1])) for o in made]
    overwrite = name != "linalg.reduce" or chance(draw, 60)
    term = Contraction(iterators, (made[0],), (made[1],), overwrite=overwrite, accumulator=element)
    if not tensors and chance(draw, 35):
        # The verifiers of these ops compare shapes: all are known, or none.
        made = [replace(operand, dynamic=True) for operand in made]
        term = replace(term, inputs=(made[0],), results=(made[1],))
    form = "named on tensors" if tensors else "named"
    return Program(form, (term,), _data(draw, term), _seed(draw), (("op", name),))


@st.composite
def convolution_programs(draw, types):
    """A convolution with strides and dilations."""
    name = draw(st.sampled_from(sorted(CONVOLUTIONS)))
    spatial, source, taps, result = CONVOLUTIONS[name]
    found, element = draw(_element_lists(types, 2, named=True))
    extents, steps, dilations = {}, [], []
    largest = {1: 9, 2: 5, 3: 3}[spatial]
    for n in range(spatial):
        extents[f"x{n}"] = draw(st.integers(1, largest))
        extents[f"r{n}"] = draw(st.integers(1, 3))
        plain = name in PLAIN_CONVOLUTIONS
        steps.append(1 if plain else choose(draw, 1, 2, 3))
        dilations.append(1 if plain else choose(draw, 1, 2))
    for letter in sorted(set(source + taps + result) - {"x"}):
        extents[letter] = choose(draw, 2, 1, 3, 4, 5)
    space = Space(tuple(Iterator(n, e) for n, e in extents.items()), (), ())

    def subscripts(layout, spatial_subscript):
        for letter in layout:
            if letter == "x":
                yield from (spatial_subscript(n) for n in range(spatial))
            else:
                yield Subscript(((letter, 1),))

    lists = (
        subscripts(
            source, lambda n: Subscript(((f"x{n}", steps[n]), (f"r{n}", dilations[n])))
        ),
        subscripts(taps, lambda n: Subscript(((f"r{n}", 1),))),
        subscripts(result, lambda n: Subscript(((f"x{n}", 1),))),
    )
    tensors = chance(draw, 40)
    made = []
    for operand, e, subscript_list in zip("ABZ", (*found, element), lists):
        subscript_list = tuple(subscript_list)
        slack = draw(st.integers(0, 1)) if operand == "A" and max(steps) > 1 else 0
        shape = list(shape_of(subscript_list, space))
        for n, subscript in enumerate(subscript_list):
            # The last window may leave elements over, fewer than a stride.
            if len(subscript.terms) == 2 and subscript.terms[0][1] > 1:
                shape[n] += slack
        made.append(Operand(operand, e, subscript_list, dense(tuple(shape))))
    made = [draw(_with_views(o, tensors, o is made[-1])) for o in made]
    term = Contraction(
        space.iterators,
        tuple(made[:2]),
        (made[2],),
        overwrite=chance(draw, 60),
        accumulator=element,
    )
    details = [("op", name)]
    if name not in PLAIN_CONVOLUTIONS:
        details += [("strides", tuple(steps)), ("dilations", tuple(dilations))]
    form = "convolution on tensors" if tensors else "convolution"
    terms = (term,) if tensors else draw(with_run_time((term,)))
    return Program(form, terms, _data(draw, term), _seed(draw), tuple(details))


@st.composite
def fused_programs(draw, types):
    """On tensors: element-wise producers of inputs, and consumers of the result."""
    term, space = draw(generic_terms(types, tensors=True, views_too=False))
    inner = term.results[0].element
    producers, leaves = [], []
    for number, operand in enumerate(term.inputs):
        element = operand.element
        if chance(draw, 50):
            target = inner if chance(draw, 40) else element
            leaf = convert(argument(0, element), target)
            expression = draw(scalar_expressions([leaf]))
            producers.append(expression)
            leaves.append(convert(_renumber(expression, number), inner))
        else:
            producers.append(None)
            leaves.append(convert(argument(number, element), inner))
    product = leaves[0]
    for leaf in leaves[1:]:
        product = apply("multiply", product, leaf)
    consumers, sides, result, value = [], [], inner, argument(0, inner)
    for _ in range(choose(draw, 1, 1, 2, 3) if any(producers) else choose(draw, 1, 2, 3)):
        kind = choose(draw, "bias", "scale", "activation", "multiply", "any")
        own = []
        if kind in ("bias", "multiply") or (kind == "any" and chance(draw, 50)):
            element = draw(st.sampled_from([e for e in types if can_convert(e, result)]))
            subset = [n for n in space.result if chance(draw, 60)]
            own.append(
                draw(operands(f"S{len(sides)}", element, space, subset, plain=True))
            )
        targets = [e for e in types if can_convert(result, e)]
        target = draw(st.sampled_from([result, *targets])) if chance(draw, 30) else result
        expression = draw(
            epilogue_expressions(kind, (result,), [s.element for s in own], target)
        )
        consumers.append((expression, tuple(side.name for side in own)))
        places = [value] + [
            argument(1 + len(sides) + n, side.element) for n, side in enumerate(own)
        ]
        value = _substitute(expression, places)
        sides += own
        result = target
    term = replace(
        term,
        map=(product,),
        accumulator=None,
        sides=tuple(sides),
        results=(replace(term.results[0], element=result),),
        epilogue=(value,),
        overwrite=True,
    )
    details = (("producers", tuple(producers)), ("consumers", tuple(consumers)))
    return Program("fused", (term,), _data(draw, term), _seed(draw), details)


def _substitute(expression, places):
    if expression.op == "argument":
        return places[expression.value]
    operands_of = tuple(_substitute(operand, places) for operand in expression.operands)
    return replace(expression, operands=operands_of)


def _renumber(expression, number):
    """The same of argument `number` in place of 0."""
    if expression.op == "argument":
        return replace(expression, value=number)
    inner = tuple(_renumber(operand, number) for operand in expression.operands)
    return replace(expression, operands=inner)
