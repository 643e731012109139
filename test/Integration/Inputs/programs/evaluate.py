"""The meaning of a program in NumPy."""

import numpy

from . import elements, expressions, numbers
from .numbers import Number


def make_data(program):
    """The stored array of each argument, by name: poison except for what may be read."""
    rng = numpy.random.default_rng(program.seed)
    arrays = {}
    for operand in program.arguments():
        stored = numpy.empty(operand.view.size, operand.element.storage)
        stored[...] = elements.poison(operand.element)
        arrays[operand.name] = stored
    for term in program.terms:
        read = [*term.inputs, *term.sides]
        if not term.overwrite and term is program.contraction:
            read += term.results
        for operand in read:
            places = numpy.unique(operand.addresses(term.iterators))
            if term.points() == 0 and not set(operand.iterators()) <= term.result_names():
                places = places[:0]
            values = _draw(rng, operand.element, len(places), program.data)
            arrays[operand.name][places] = elements.store(operand.element, values)
    return arrays


def _draw(rng, element, count, data):
    if element.kind == "boolean":
        return rng.random(count) < 0.4
    if element.kind == "integer":
        return rng.integers(-4, 5, count)
    if data == "integers":
        values = rng.integers(-4, 5, count).astype("f8")
        if element.kind == "complex":
            values = values + 1j * rng.integers(-4, 5, count)
        return values
    values = rng.uniform(-1, 1, count)
    if element.kind == "complex":
        values = values + 1j * rng.uniform(-1, 1, count)
    return values


def _gather(operand, iterators, arrays):
    element = operand.element
    stored = arrays[operand.name][operand.addresses(iterators)]
    return Number(element, elements.load(element, stored), numpy.zeros(()))


def _default_map(inputs, accumulator):
    product = numbers.convert(inputs[0], accumulator)
    for factor in inputs[1:]:
        product = numbers.multiply(product, numbers.convert(factor, accumulator))
    return [product]


def _in_front(number, space, result_axes, contracted_axes):
    """The same with result axes first and all contracted ones as the last one."""
    order = [*result_axes, *contracted_axes]

    def move(array):
        full = numpy.broadcast_to(array, space).transpose(order)
        return full.reshape([space[axis] for axis in result_axes] + [-1])

    if numpy.prod(space, dtype=int) == 0:  # no -1 in a reshape of nothing
        count = int(numpy.prod([space[axis] for axis in contracted_axes], dtype=int))
        shape = [space[axis] for axis in result_axes] + [count]
        return Number(number.element, numpy.zeros(shape, number.value.dtype), numpy.zeros(shape))
    return Number(number.element, move(number.value), move(number.error))


def _at(number, point):
    return Number(number.element, number.value[..., point], number.error[..., point])


def _combine(combine, accumulators, values):
    arguments = [*accumulators, *values]
    return [expressions.evaluate(e, arguments) for e in combine.expressions]


def _product_in_any_order(number, factors):
    """The product, where parts of it may leave the type's range."""
    element, size = number.element, numpy.abs(factors.value)
    most = numpy.prod(numpy.maximum(size, 1.0), axis=-1)
    error = 4 * number.error + most * element.tiny
    error = numpy.where(number.error == 0, 0.0, error)
    return Number(element, number.value, numpy.where(most < element.largest, error, numpy.inf))


def _bound_affine(number, factors, summands):
    """No bound where, in some grouping, what is composed leaves the type's range."""
    most = numpy.prod(numpy.maximum(numpy.abs(factors.value), 1.0), axis=-1)
    most = most * (1.0 + numpy.abs(summands.value).sum(axis=-1))
    error = numpy.where(most < number.element.largest, number.error, numpy.inf)
    return Number(number.element, number.value, error)


def _accumulate(term, values, start):
    """combine over the last axis, in order, from `start`."""
    count = values[0].value.shape[-1]
    largest = [0.0 for _ in start]
    for point in range(count):
        start = _combine(term.combine, start, [_at(value, point) for value in values])
        largest = [
            numpy.maximum(most, abs(number.value)) if number.is_rounded else most
            for most, number in zip(largest, start)
        ]
    if not term.combine.associative:
        return start
    if term.combine.name == "multiply" and start[0].is_rounded:
        return [_product_in_any_order(start[0], values[0])]
    if term.combine.name == "affine" and start[0].is_rounded:
        start = [_bound_affine(number, *values) for number in start]
    # In another grouping other intermediate values are rounded.
    return [
        Number(
            number.element,
            number.value,
            numpy.where(
                number.error == 0,
                0.0,
                4 * number.error + count * number.element.unit * 4 * most,
            ),
        )
        if number.is_rounded and numpy.any(number.error)
        else number
        for number, most in zip(start, largest)
    ]


def _map_term(term, arrays, order):
    """The values that a term accumulates, one array for each accumulator: over the
    result iterators named in `order`, and last the contracted points."""
    space = tuple(iterator.extent for iterator in term.iterators)
    names = [iterator.name for iterator in term.iterators]
    result_axes = [names.index(name) for name in order]
    contracted_axes = [n for n, name in enumerate(names) if name not in order]
    inputs = [_gather(operand, term.iterators, arrays) for operand in term.inputs]
    if term.map:
        mapped = [expressions.evaluate(e, inputs) for e in term.map]
    else:
        mapped = _default_map(inputs, term.accumulators()[0])
    return [_in_front(value, space, result_axes, contracted_axes) for value in mapped]


def _sum_up(terms, old):
    """Sums over the points of all terms, and the old result where it counts."""
    sums = []
    for number, parts in enumerate(zip(*terms)):
        if old is not None:
            last = old[number]
            parts += (Number(last.element, last.value[..., None], last.error[..., None]),)
        sums.append(numbers.total(numbers.concatenate(parts)))
    return sums


def _reduce(program, terms, old):
    """The same with a combine region."""
    combine = program.contraction.combine
    shape = terms[0][0].value.shape[:-1]
    neutral = [
        Number(e, numpy.full(shape, value, e.dtype), numpy.zeros(shape))
        for e, value in zip(program.contraction.accumulators(), combine.neutral)
    ]
    if old is not None and not combine.associative:
        return _accumulate(program.contraction, terms[0], old)
    for values in terms:
        sums = _accumulate(program.contraction, values, neutral)
        old = sums if old is None else _combine(combine, old, sums)
    return old


def evaluate(program, arrays):
    """(operand, flat places, Number) for each result, over the result space."""
    first, last = program.terms[0], program.terms[-1]
    iterators = [i for i in first.iterators if i.name in first.result_names()]
    order = [iterator.name for iterator in iterators]
    terms = [_map_term(term, arrays, order) for term in program.terms]
    old = None
    if not first.overwrite:
        old = [
            numbers.convert(_gather(result, iterators, arrays), element)
            for result, element in zip(first.results, first.accumulators())
        ]
        old = [numbers.broadcast(o, [i.extent for i in iterators]) for o in old]
    sums = _reduce(program, terms, old) if first.combine else _sum_up(terms, old)
    if last.epilogue:
        sides = [_gather(side, iterators, arrays) for side in last.sides]
        sums = [expressions.evaluate(e, [*sums, *sides]) for e in last.epilogue]
    return [
        (result, result.addresses(iterators), numbers.convert(number, result.element))
        for result, number in zip(first.results, sums)
    ]


def _transpose(number, order):
    if order == sorted(order):
        return number
    value, error = numpy.broadcast_arrays(number.value, number.error)
    return Number(number.element, value.transpose(order), error.transpose(order))


def find_difference_to_einsum(program, arrays, expected):
    """What NumPy's own einsum has against `expected`, for a program that is one."""
    text = program.detail("einsum")
    if text is None:
        return None
    term = program.contraction
    (accumulator,), ((result, _, number),) = term.accumulators(), expected
    operands = []
    for operand in term.inputs:
        places = numpy.full((), operand.view.offset)
        for extent, stride in zip(operand.view.shape, operand.view.strides):
            places = places[..., None] + numpy.arange(extent) * stride
        loaded = elements.load(operand.element, arrays[operand.name][places])
        loaded = Number(operand.element, loaded, 0.0)
        operands.append(numbers.convert(loaded, accumulator).value)
    got = Number(accumulator, numpy.einsum(text, *operands), 0.0)
    got = numbers.convert(got, result.element).value
    order = [i.name for i in term.iterators if i.name in term.result_names()]
    axes = [order.index(subscript.names[0]) for subscript in result.subscripts]
    message = _compare(result, got, _transpose(number, axes))
    return f"numpy.einsum: {message}" if message else None


def find_difference(program, arrays, outputs, expected):
    """What is wrong with `outputs`, the stored arrays after the run, or None."""
    for result, places, number in expected:
        got_stored = outputs[result.name].reshape(-1)
        untouched = numpy.ones(len(got_stored), bool)
        untouched[places.reshape(-1)] = False
        before = arrays[result.name][untouched]
        if before.tobytes() != got_stored[untouched].tobytes():
            return f"{result.name}: an element beside the result was written"
        got = elements.load(result.element, got_stored)[places]
        message = _compare(result, got, number)
        if message:
            return message
    return None


def _compare(result, got, number):
    want = numpy.broadcast_to(number.value, got.shape)
    if not number.is_rounded:
        wrong = got != want
    else:
        error = numpy.broadcast_to(number.error, got.shape)
        with numpy.errstate(all="ignore"):
            # Past the type's range the kernel may have infinity.
            overflows = (abs(want) + error >= number.element.largest) & ~numpy.isfinite(got)
            same = (got == want) | (numpy.isnan(got) & numpy.isnan(want)) | overflows
            wrong = ~(same | (abs(got - want) <= error)) & numpy.isfinite(error)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in numpy.argwhere(wrong)[0])
    bound = ""
    if number.is_rounded:
        bound = f" within {numpy.broadcast_to(number.error, got.shape)[at]:.3g}"
    return (
        f"{result.name} at {list(at)} of the result space: expected {want[at]!r}{bound}, "
        f"got {got[at]!r}; {int(wrong.sum())} of {wrong.size} are wrong"
    )
