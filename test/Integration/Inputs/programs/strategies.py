"""Hypothesis strategies for iteration spaces, subscripts and views.

What comes first in a list of choices is what a failure shrinks to.
"""

from dataclasses import dataclass

from hypothesis import strategies as st

from .model import Iterator, Operand, Subscript, View

EXTENTS = (2, 3, 1, 4, 5, 7, 8, 13, 16, 17, 32, 33, 64)
RESULT_LIMIT = 2048  # elements of a result
POINT_LIMIT = 20000  # of an iteration space


def chance(draw, percent):
    """Shrinks to False."""
    return draw(st.integers(0, 99)) >= 100 - percent


def choose(draw, *choices):
    return draw(st.sampled_from(choices))


@dataclass(frozen=True)
class Space:
    """Iterators, and the names that each input varies with."""

    iterators: tuple
    result: tuple
    inputs: tuple

    def extent(self, name):
        return next(i.extent for i in self.iterators if i.name == name)


@st.composite
def spaces(draw, inputs, contracted_limit=POINT_LIMIT, must_contract=False, broadcasts=True):
    """A space of up to 6 iterators: any class, any extent."""
    count = choose(draw, 2, 3, 3, 1, 4, 4, 5, 5, 6, 7, 0)
    if must_contract:
        count = max(count, 1)
    names = {"result": [], "contracted": []}
    varies = []
    for number in range(count):
        in_result = chance(draw, 60) and not (must_contract and number == 0)
        lowest = 0 if broadcasts and in_result and chance(draw, 10) else 1
        mask = draw(st.integers(lowest, 2**inputs - 1)) if lowest else 0
        kind = "result" if in_result else "contracted"
        name = ("abcdefgh" if in_result else "qrstuvwx")[len(names[kind])]
        names[kind].append(name)
        varies.append((name, mask))
    left = {"result": RESULT_LIMIT, "contracted": contracted_limit}
    points = POINT_LIMIT
    iterators = []
    for name, _ in varies:
        kind = "result" if name in names["result"] else "contracted"
        limit = min(left[kind], points)
        extent = draw(st.sampled_from([extent for extent in EXTENTS if extent <= limit]))
        left[kind] //= extent
        points //= extent
        iterators.append(Iterator(name, extent))
    if iterators and chance(draw, 4):
        empty = draw(st.integers(0, len(iterators) - 1))
        iterators[empty] = Iterator(iterators[empty].name, 0)
    order = draw(st.permutations(range(count)))
    return Space(
        tuple(iterators[n] for n in order),
        tuple(names["result"]),
        tuple(
            tuple(name for name, mask in varies if mask >> number & 1)
            for number in range(inputs)
        ),
    )


@st.composite
def term_spaces(draw, first, inputs):
    """A space with the result iterators of `first` and its own contracted ones."""
    results = [i for i in first.iterators if i.name in first.result]
    points = POINT_LIMIT
    for iterator in results:
        points //= max(iterator.extent, 1)
    contracted = []
    for name in "qrs"[: draw(st.integers(0, 3))]:
        extent = draw(st.sampled_from([extent for extent in EXTENTS if extent <= points]))
        points //= extent
        contracted.append(Iterator(name, extent))
    iterators = draw(st.permutations([*results, *contracted]))
    masks = {
        i.name: draw(st.integers(i.name not in first.result, 2**inputs - 1)) for i in iterators
    }
    return Space(
        tuple(iterators),
        first.result,
        tuple(
            tuple(name for name, mask in masks.items() if mask >> number & 1)
            for number in range(inputs)
        ),
    )


def _range(subscript, space):
    """Smallest and largest value."""
    low = high = subscript.constant
    for name, factor in subscript.terms:
        reach = factor * (space.extent(name) - 1)
        low, high = low + min(reach, 0), high + max(reach, 0)
        if space.extent(name) == 0:
            high = -1
    return low, high


def shape_of(subscripts, space, slack=0):
    return tuple(max(_range(s, space)[1] + 1 + slack, 0) for s in subscripts)


def _scaled(draw, subscript, space):
    """The same iterator, reversed, or with a step or an offset."""
    ((name, _),) = subscript.terms
    extent = space.extent(name)
    kind = choose(draw, "offset", "step", "reversed")
    if kind == "offset":
        return Subscript(((name, 1),), choose(draw, 1, 2, 5))
    if kind == "step":
        return Subscript(((name, choose(draw, 2, 3)),), choose(draw, 0, 1))
    return Subscript(((name, -1),), max(extent - 1, 0) + choose(draw, 0, 2))


@st.composite
def subscripts(draw, space, names, writes, percent=15):
    """Subscripts that vary with `names`. Those that are written are injective."""
    found = [Subscript(((name, 1),)) for name in draw(st.permutations(names))]
    if not writes and len(found) >= 2 and chance(draw, percent):  # a window
        second = found.pop()
        first = found.pop()
        steps = (choose(draw, 1, 2, 3), choose(draw, 1, 2))
        terms = ((first.terms[0][0], steps[0]), (second.terms[0][0], steps[1]))
        place = draw(st.integers(0, len(found)))
        found.insert(place, Subscript(terms, choose(draw, 0, 1)))
    single = [n for n, s in enumerate(found) if len(s.terms) == 1]
    if single and chance(draw, percent):
        place = draw(st.sampled_from(single))
        found[place] = _scaled(draw, found[place], space)
    if single and len(found) < 6 and chance(draw, percent):  # a diagonal
        name = found[draw(st.sampled_from(single))].terms[0][0]
        found.insert(draw(st.integers(0, len(found))), Subscript(((name, 1),)))
    if len(found) < 6 and chance(draw, percent // 3):
        constant = Subscript((), choose(draw, 0, 1, 2))
        found.insert(draw(st.integers(0, len(found))), constant)
    return tuple(found)


def row_major(shape):
    strides, stride = [], 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return tuple(strides[::-1])


def dense(shape):
    return View("dense", tuple(shape), row_major(shape), 0, tuple(shape))


@st.composite
def strided_views(draw, form, shape, writes):
    """Any order, gaps, reversals, and stride 0 where it is only read, of a flat array."""
    rank = len(shape)
    order = draw(st.permutations(range(rank)))
    offset = choose(draw, 0, 0, 1, 3, 4, 8)
    strides, stride, start, reach = [0] * rank, 1, 0, 0
    for dim in order:
        kind = choose(draw, "plain", "plain", "plain", "step", "gap", "reversed", "broadcast")
        if kind == "broadcast" and not writes:
            continue
        step = choose(draw, 2, 3) if kind == "step" else 1
        strides[dim] = stride * step
        span = strides[dim] * max(shape[dim] - 1, 0)
        if kind == "reversed":
            strides[dim] = -strides[dim]
            start += span
        reach += span
        stride = stride * step * max(shape[dim], 1) + (choose(draw, 1, 2, 4) if kind == "gap" else 0)
    size = offset + reach + 1 + choose(draw, 0, 0, 3)
    return View(form, tuple(shape), tuple(strides), offset + start, (size,))


@st.composite
def sliced_views(draw, shape, transposed):
    """A part of a bigger array, maybe transposed."""
    order = tuple(draw(st.permutations(range(len(shape))))) if transposed else ()
    sizes = list(shape)
    for place, extent in zip(order, shape):
        sizes[place] = extent
    slices = tuple((choose(draw, 0, 1, 2), choose(draw, 1, 1, 2)) for _ in sizes)
    base = tuple(
        max(start + step * (extent - 1) + 1, start + 1) + choose(draw, 0, 0, 1)
        for extent, (start, step) in zip(sizes, slices)
    )
    whole = row_major(base)
    strides = [stride * step for stride, (_, step) in zip(whole, slices)]
    offset = sum(stride * start for stride, (start, _) in zip(whole, slices))
    if transposed:
        strides = [strides[place] for place in order]
    form = "transposed subview" if transposed else "subview"
    return View(form, tuple(shape), tuple(strides), offset, base, slices, order)


@st.composite
def _transposed(draw, shape):
    order = tuple(draw(st.permutations(range(len(shape)))))
    base = [0] * len(shape)
    for place, extent in zip(order, shape):
        base[place] = extent
    strides = row_major(base)
    return View(
        "transpose",
        tuple(shape),
        tuple(strides[place] for place in order),
        0,
        tuple(base),
        (),
        order,
    )


@st.composite
def layout_views(draw, shape):
    """An argument whose type has the strides. Its file has the elements alone."""
    strided = draw(strided_views("layout", shape, True))
    layout = (strided.strides, strided.offset)
    return View("layout", strided.shape, row_major(shape), 0, strided.shape, layout)


VIEW_FORMS = (
    "dense",
    "reinterpret_cast",
    "tc.view",
    "layout",
    "subview",
    "transpose",
    "transposed subview",
)


@st.composite
def views(draw, shape, writes, percent=40):
    """A view of `shape`; half of them are plain arrays."""
    if not chance(draw, percent):
        return dense(shape)
    forms = VIEW_FORMS[1:5] if 0 in shape else VIEW_FORMS[1:]  # MLIR has no strides for 2x0
    form = draw(st.sampled_from(forms if shape else VIEW_FORMS[1:3]))
    if form == "layout":
        return draw(layout_views(shape))
    if form in ("reinterpret_cast", "tc.view"):
        return draw(strided_views(form, shape, writes))
    if form == "transpose":
        return draw(_transposed(shape))
    return draw(sliced_views(shape, form == "transposed subview"))


@st.composite
def operands(draw, name, element, space, names, writes=False, plain=False):
    """An operand that varies with `names`; `plain` ones are dense arrays of pure
    subscripts."""
    found = draw(subscripts(space, names, writes, 0 if plain else 15))
    slack = 1 if not plain and chance(draw, 10) else 0
    shape = shape_of(found, space, slack)
    return Operand(name, element, found, draw(views(shape, writes, 0 if plain else 40)))
