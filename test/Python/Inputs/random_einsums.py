"""Random calls of einsum: tc's must do what NumPy's does.

    random_einsums.py [--count=N] [--seed=N]

A call has operands of any types, extents (0, 1 and primes among them) and strides
(negative ones and zeros among them), repeated labels, ellipses, spaces, implicit
outputs, any options, and an `out` that may be one of the operands. Values are whole
numbers so small that all sums are exact in every type: results are compared exactly, and
with them their types and layouts, and what is a view. What NumPy refuses has to be
refused with the same class of exception; some calls have a fault on purpose."""

import argparse
import collections
import math
import string
import sys
import warnings
from typing import NamedTuple, Optional

import hypothesis
import numpy
from hypothesis import strategies as st

# Before it is looked up: NumPy's, whatever stands in for it elsewhere.
numpy_einsum = numpy.einsum

from tc._einsum import einsum  # noqa: E402
from tc._einsum._host import calls  # noqa: E402
from tc._einsum._kernels import SMALL  # noqa: E402

DTYPES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
# Byte orders of other machines, and what tc hands to NumPy.
RARE_DTYPES = [">f4", ">i2", "g", "G", "O", "M8[s]"]
MAX_POINTS = 2000  # a sum of as many ones is exact in f2
LARGE_POINTS = 1_500_000  # of what kernels of several tiles and threads are for
outcomes = collections.Counter()


class Array(NamedTuple):
    """How to make an array: as a part of a larger one."""

    shape: tuple
    dtype: str
    order: tuple  # of the dimensions in memory
    steps: tuple  # from one element to the next; 0 repeats one element
    seed: int
    values: tuple  # the smallest, and the largest
    is_aligned: bool = True
    is_writeable: bool = True

    def build(self):
        extents = [
            1 if step == 0 else extent * abs(step) + self.seed % 2 * abs(step)
            for extent, step in zip(self.shape, self.steps)
        ]
        whole = self.fill(math.prod(extents)).reshape([extents[axis] for axis in self.order])
        whole = whole.transpose(numpy.argsort(self.order))
        for axis, step in enumerate(self.steps):
            whole = numpy.moveaxis(numpy.moveaxis(whole, axis, 0)[:: step or 1], 0, axis)
        array = whole[(*(slice(0, extent) for extent in self.shape), ...)]
        if 0 in self.steps:
            array = numpy.broadcast_to(array, self.shape)
        else:
            array.flags.writeable = self.is_writeable
        assert array.shape == self.shape, (array.shape, self)
        return array

    def fill(self, count):
        generator = numpy.random.default_rng(self.seed)
        low, high = self.values
        values = generator.integers(low, high + 1, size=count)
        if numpy.dtype(self.dtype).kind == "c":
            values = values + 1j * generator.integers(low, high + 1, size=count)
        values = values.astype(self.dtype)
        if self.is_aligned or values.dtype.hasobject:
            return values
        odd = numpy.zeros(values.nbytes + 1, "u1")[1:].view(self.dtype)
        odd[:] = values
        return odd


class Call(NamedTuple):
    subscripts: str
    arrays: tuple
    as_lists: bool
    output: Optional[Array]
    overlaps: Optional[int]  # the operand that is also the output
    options: dict
    optimize: object

    def run(self, function, optimize):
        """The outcome, and the arrays."""
        arrays = [array.build() for array in self.arrays]
        options = dict(self.options)
        if self.overlaps is not None:
            options["out"] = arrays[self.overlaps]
        elif self.output is not None:
            options["out"] = self.output.build()
        arguments = [self.subscripts, *arrays]
        if self.as_lists:
            arguments = to_lists(self.subscripts, arrays)
        try:
            result = function(*arguments, optimize=optimize, **options)
        except Exception as error:  # any class counts
            return error, arrays, None
        return result, arrays, options.get("out")


def to_lists(subscripts, arrays):
    def numbers(term):
        parts = term.replace("...", ".")
        return [... if c == "." else string.ascii_letters.swapcase().index(c) for c in parts]

    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    arguments = []
    for array, term in zip(arrays, inputs.split(",")):
        arguments += [array, numbers(term)]
    return arguments + ([numbers(output)] if arrow else [])


@st.composite
def terms(draw, least=0):
    """Labels of an operand, with "." for an ellipsis, and how many dimensions that is."""
    term = "".join(draw(st.lists(st.sampled_from("abcXY"), min_size=least, max_size=3)))
    hidden = draw(st.sampled_from((-1, -1, -1, 0, 1, 2)))
    if hidden >= 0:
        place = draw(st.integers(0, len(term)))
        term = term[:place] + "." + term[place:]
    return term, max(hidden, 0)


@st.composite
def outputs(draw, inputs):
    """An output, or None where it is left to NumPy."""
    if draw(st.integers(0, 3)) == 0:
        return None
    text = "".join(inputs)
    labels = list(draw(st.permutations(sorted(set(text) - {"."}))))
    del labels[draw(st.integers(0, len(labels))) :]
    if "." in text:
        labels.insert(draw(st.integers(0, len(labels))), ".")
    return "".join(labels)


@st.composite
def arrays(draw, shape, dtype, values, is_output=False):
    steps = (1, 1, 1, 1, 1, 2, -1, -2) + (0,) * (not is_output)
    is_plain = draw(st.booleans())
    return Array(
        tuple(shape),
        dtype,
        tuple(range(len(shape)) if is_plain else draw(st.permutations(range(len(shape))))),
        tuple(1 if is_plain else draw(st.sampled_from(steps)) for _ in shape),
        draw(st.integers(0, 999)),
        values,
        is_plain or draw(st.integers(0, 9)) > 0,
        is_plain or draw(st.integers(0, 9)) > 0,
    )


def shape_of(draw, term, count, extents, hidden):
    """Extents of a term; some dimensions of extent 1 are to be broadcast."""
    chosen = {
        label: 1 if draw(st.integers(0, 7)) == 0 else extents[label]
        for label in sorted(set(term) - {"."})
    }
    shape = []
    for label in term:
        if label == ".":
            ends = hidden[len(hidden) - count :]
            shape += [1 if draw(st.integers(0, 5)) == 0 else extent for extent in ends]
        else:
            shape.append(chosen[label])
    return shape


def result_shape(call):
    """The shape of the result, as NumPy has it; None where NumPy refuses."""
    result, *_ = call._replace(output=None, overlaps=None, options={}).run(numpy_einsum, False)
    return None if isinstance(result, Exception) else numpy.shape(result)


@st.composite
def einsums(draw, is_large):
    number = draw(st.sampled_from((1, 2, 2, 2, 3)))
    inputs, counts = zip(*(draw(terms(2 * is_large)) for _ in range(number)))
    labels = sorted(set("".join(inputs)) - {"."})
    some = (64, 61, 80, 97, 16, 3) if is_large else (1, 2, 2, 3, 3, 5, 7, 7, 11, 0)
    extent = st.sampled_from(some)
    known_dtypes = [name for name in DTYPES if name != "f2" or not is_large]
    extents = {label: draw(extent) for label in labels}
    hidden = [draw(st.sampled_from(some[-2:] if is_large else some)) for _ in range(2)]
    points = math.prod(extents.values()) * math.prod(hidden[len(hidden) - max(counts) :])
    hypothesis.assume(points <= (LARGE_POINTS if is_large else MAX_POINTS))
    outcomes["large"] += points >= SMALL
    # NumPy 1.24 writes an element behind an empty array; one of 32 bytes does not fit there.
    rare_dtypes = [name for name in RARE_DTYPES if name != "G" or points > 0]
    rare = st.integers(0, 19).flatmap(
        lambda n: st.sampled_from(known_dtypes if n else rare_dtypes)
    )
    dtypes = [draw(rare) for _ in inputs]
    if draw(st.booleans()):
        dtypes = dtypes[:1] * len(inputs)
    options = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "dtype": st.sampled_from(known_dtypes),
                "casting": st.sampled_from(
                    ("unsafe", "unsafe", "unsafe", "same_kind", "safe", "equiv", "no")
                ),
                "order": st.sampled_from("KACFkacf"),
            },
        )
    )
    options = {name: value for name, value in options.items() if draw(st.booleans())}
    out_dtype = draw(st.sampled_from(known_dtypes + dtypes * 12))
    used = "".join([*dtypes, out_dtype, options.get("dtype", "")])
    values = (0 if "u" in used else -1, 1)
    operands = [
        draw(arrays(shape_of(draw, term, count, extents, hidden), dtype, values))
        for term, count, dtype in zip(inputs, counts, dtypes)
    ]
    output = draw(outputs(inputs))
    subscripts = ",".join(inputs) + ("" if output is None else "->" + output)
    as_lists = draw(st.integers(0, 4)) == 0
    if not as_lists and draw(st.integers(0, 9)) == 0:  # a fault, or a space
        place = draw(st.integers(0, len(subscripts)))
        subscripts = (
            subscripts[:place] + draw(st.sampled_from("., ->a%Z")) + subscripts[place:]
        )
    call = Call(
        subscripts.replace(".", "..."),
        tuple(operands),
        as_lists,
        None,
        None,
        options,
        draw(st.sampled_from((False, False, True, "greedy", "optimal", ["einsum_path"]))),
    )
    if "O" in dtypes:  # NumPy computes more of them when it optimizes.
        call = call._replace(optimize=False)
    if call.optimize == ["einsum_path"]:
        call = call._replace(optimize=["einsum_path", *draw(paths(len(operands)))])
    return draw(with_output(call, out_dtype, values))


@st.composite
def paths(draw, count):
    """Steps that join all operands."""
    steps = []
    while count > 1:
        taken = draw(st.integers(2, count))
        steps.append(tuple(draw(st.permutations(range(count)))[:taken]))
        count += 1 - taken
    return steps or [(0,)]


@st.composite
def with_output(draw, call, dtype, values):
    kind = draw(st.sampled_from(("new", "new", "given", "operand")))
    shape = None if kind == "new" else result_shape(call)
    if shape is None:
        return call
    if kind == "operand":
        same = [n for n, array in enumerate(call.arrays) if array.shape == shape]
        return call._replace(overlaps=draw(st.sampled_from(same))) if same else call
    if shape and draw(st.integers(0, 19)) == 0:
        shape = (*shape[:-1], shape[-1] + 1)
    return call._replace(output=draw(arrays(shape, dtype, values, is_output=True)))


def layout_of(array):
    """The order of the dimensions in memory, and whether there are gaps."""
    axes = [axis for axis in range(array.ndim) if array.shape[axis] > 1]
    strides = [array.strides[axis] for axis in axes]
    order = sorted(range(len(axes)), key=lambda n: -strides[n])
    return order, array.flags.c_contiguous, array.flags.f_contiguous


def check(call):
    outcome = call.run(numpy_einsum, False)
    outcomes["refused" if isinstance(outcome[0], Exception) else "result"] += 1
    for _ in range(2):  # The second call has less to find out.
        compare(call, outcome, call.run(einsum, call.optimize))


def compare(call, outcome, got_outcome):
    wanted, wanted_arrays, wanted_out = outcome
    got, got_arrays, got_out = got_outcome
    if isinstance(wanted, Exception) or isinstance(got, Exception):
        # Along a path errors may come in another order.
        classes = (type(wanted),) if isinstance(call.optimize, bool) else (Exception,)
        assert isinstance(wanted, Exception) and isinstance(got, classes), (wanted, got)
        return
    if not hasattr(wanted, "dtype"):  # an object of Python
        assert got == wanted
        return
    assert type(got) is type(wanted), (type(wanted), type(got))
    assert got.dtype == wanted.dtype and got.dtype.byteorder == wanted.dtype.byteorder
    numpy.testing.assert_array_equal(got, wanted)
    if wanted_out is not None:
        assert got is got_out
        return
    views = [numpy.shares_memory(wanted, array) for array in wanted_arrays]
    if call.optimize is False or not any(views):
        assert views == [numpy.shares_memory(got, array) for array in got_arrays]
    if call.optimize is False and isinstance(wanted, numpy.ndarray) and wanted.size:
        assert layout_of(got) == layout_of(wanted), (wanted.strides, got.strides)
        assert got.flags.writeable == wanted.flags.writeable


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")

    @hypothesis.seed(arguments.seed)
    @hypothesis.settings(
        max_examples=arguments.count,
        deadline=None,
        database=None,
        print_blob=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(st.integers(0, 9).flatmap(lambda n: einsums(is_large=n == 5)))
    def test(call):
        check(call)

    test()
    print(f"{outcomes['result'] + outcomes['refused']} calls: {dict(outcomes)}; {dict(calls)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
