"""Hypothesis strategies for einsums, as text, with NumPy's own meaning beside ours."""

from dataclasses import replace

from hypothesis import strategies as st

from .elements import can_convert
from .model import Contraction, Iterator, Operand, Program, Subscript
from .strategies import EXTENTS, POINT_LIMIT, RESULT_LIMIT, chance, choose, dense, strided_views

LETTERS = "ijklmabcXYZ"
LONG_EXTENTS = (2049, 3000, 4096, 5003)  # of sums that blocks share


@st.composite
def _labels(draw, count):
    """Letters of both cases; an ellipsis has its own."""
    return draw(st.permutations(LETTERS))[:count]


@st.composite
def einsum_programs(draw, types):
    inputs = choose(draw, 2, 2, 1, 3)
    labels = draw(_labels(choose(draw, 3, 2, 1, 4, 5)))
    dots = choose(draw, 0, 0, 0, 1, 2)
    subscripts = [
        [label for label in labels if chance(draw, 60)] for _ in range(inputs)
    ]
    for one in subscripts:
        if one and chance(draw, 15):
            one.append(draw(st.sampled_from(one)))  # a diagonal
    subscripts = [draw(st.permutations(one)) for one in subscripts]
    used = [label for label in labels if any(label in one for one in subscripts)]
    has_dots = [bool(dots) and (n == 0 or chance(draw, 60)) for n in range(inputs)]
    explicit = chance(draw, 70)
    if explicit:
        result = [label for label in draw(st.permutations(used)) if chance(draw, 60)]
    else:
        every = sum(map(list, subscripts), [])
        result = sorted(label for label in set(every) if every.count(label) == 1)
    place = draw(st.integers(0, len(result))) if explicit else 0
    extents = draw(_extents(used, dots, result))
    return draw(
        _program(types, subscripts, result, extents, (dots, has_dots, place), explicit)
    )


@st.composite
def _extents(draw, used, dots, result):
    """An extent for each label, and for e0, e1 of the ellipsis."""
    points, results, extents = POINT_LIMIT, RESULT_LIMIT, {}
    for name in [*used, *(f"e{n}" for n in range(dots))]:
        in_result = name in result or len(name) > 1
        limit = min(points, results if in_result else points)
        extent = draw(st.sampled_from([e for e in EXTENTS if e <= limit]))
        extent = 0 if chance(draw, 1) else extent
        if not in_result and limit >= LONG_EXTENTS[-1] and chance(draw, 15):
            extent = draw(st.sampled_from(LONG_EXTENTS))
        extents[name] = extent
        points //= max(extent, 1)
        results //= max(extent, 1) if in_result else 1
    return extents


def _operand(name, element, letters, extents):
    found = tuple(Subscript(((letter, 1),)) for letter in letters)
    return Operand(name, element, found, dense(tuple(extents[letter] for letter in letters)))


@st.composite
def _elements(draw, types, inputs):
    """Element types of inputs and result, and the text for --dtype."""
    result = draw(st.sampled_from(types))
    if chance(draw, 60):
        found = (result,) * inputs
    else:
        sources = [e for e in types if can_convert(e, result)]
        found = tuple(draw(st.sampled_from(sources)) for _ in range(inputs))
    texts = [repr(element) for element in (*found, result)]
    return found, result, f"{','.join(texts[:-1])}->{texts[-1]}"


@st.composite
def _program(draw, types, subscripts, result, extents, ellipsis, explicit):
    dots, has_dots, place = ellipsis
    found, element, dtype = draw(_elements(types, len(subscripts)))
    names = [f"e{n}" for n in range(dots)]
    inputs, texts = [], []
    for number, letters in enumerate(subscripts):
        at = draw(st.integers(0, len(letters))) if has_dots[number] else len(letters)
        own = names if has_dots[number] else []
        inputs.append(
            _operand("ABD"[number], found[number], [*letters[:at], *own, *letters[at:]], extents)
        )
        text = "".join(letters[:at]) + "..." * bool(own) + "".join(letters[at:])
        texts.append(text)
    output = _operand("Z", element, [*result[:place], *names, *result[place:]], extents)
    space = choose(draw, "", "", " ")
    text = f",{space}".join(texts)
    if explicit:
        text += f"{space}->{space}" + "".join(result[:place]) + "..." * bool(dots)
        text += "".join(result[place:])
    term = Contraction(
        tuple(Iterator(name, extent) for name, extent in extents.items()),
        tuple(inputs),
        (output,),
    )
    details = [("einsum", text), ("dtype", dtype)]
    if chance(draw, 30):
        inputs = [replace(o, view=draw(_views(o, False))) for o in inputs]
        output = replace(output, view=draw(_views(output, True)))
        described = {
            "inputs": [_describe(operand) for operand in inputs],
            "result": _describe(output),
        }
        details.append(("operands", described))
        term = replace(term, inputs=tuple(inputs), results=(output,))
    else:
        dynamic = {n for n in extents if len(n) == 1 and chance(draw, 50)}
        dynamic = dynamic if chance(draw, 35) else set()
        sizes = [f"{n}={'?' if n in dynamic else e}" for n, e in extents.items() if len(n) == 1]
        if dots:
            sizes.append("...=" + "x".join(str(extents[name]) for name in names))
        details.append(("sizes", ",".join(sizes)))
        if dynamic:
            details.append(("run", ",".join(f"{n}={extents[n]}" for n in sorted(dynamic))))
            iterators = (replace(i, dynamic=i.name in dynamic) for i in term.iterators)
            term = replace(term, iterators=tuple(iterators))
    data = choose(draw, "integers", "uniform")
    return Program("einsum", (term,), data, draw(st.integers(0, 2**16)), tuple(details))


@st.composite
def _views(draw, operand, writes):
    return draw(strided_views("described", operand.view.shape, writes))


def _describe(operand):
    """An entry of --operands."""
    view = operand.view
    return {
        "shape": list(view.shape),
        "strides": list(view.strides),
        "offset": view.offset,
        "elements": view.size,
    }
