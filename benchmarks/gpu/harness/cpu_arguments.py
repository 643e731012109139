"""Arrays for a kernel of the CPU, and what they have to be after a call."""

import numpy

from .search import SearchError

# Types of numbers in memory: for bf16, of which NumPy knows nothing, its bits.
STORAGE = {"i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "f16": "f2", "bf16": "u2"}
STORAGE |= {"f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}
# Of results of a function, relative to the largest, whose sums are taken in another order.
TOLERANCES = {"f16": 2.0**-9, "bf16": 2.0**-6, "f32": 2.0**-14, "f64": 2.0**-40}
TOLERANCES |= {"c64": TOLERANCES["f32"], "c128": TOLERANCES["f64"]}


def check_types(dtypes, got):
    if not set(dtypes) <= STORAGE.keys():
        raise SearchError(f"expected a type of {', '.join(STORAGE)} on the CPU, got '{got}'")


def store(values, dtype):
    """Whole numbers of f64 or c128 as `dtype` has them, rounded once or wrapped around."""
    if dtype == "bf16":
        bits = values.astype("f4").view("u4")
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")
    if dtype.startswith("i"):
        values = values.astype("i8")
    return values.astype(STORAGE[dtype])


def load(array, dtype):
    """What NumPy compares."""
    return (array.astype("u4") << 16).view("f4") if dtype == "bf16" else array


def make_numbers(shape, dtype, rng, least=-3, most=3):
    """Whole numbers, so that sums are exact in any order."""
    numbers = rng.integers(least, most + 1, shape)
    return numbers.astype("c16" if dtype.startswith("c") else "f8")


class Arguments:
    """arrays: of a call, in their order. wanted: by the number of each that is written, its
    type and what it has to be. is_exact: to the last bit?"""

    def __init__(self, arrays, wanted, is_exact):
        self.arrays, self.wanted, self._is_exact = arrays, wanted, is_exact
        self._before = {number: arrays[number].copy() for number in wanted}

    def reset(self):
        """As before any call: a kernel may read what it writes."""
        for number, before in self._before.items():
            self.arrays[number][...] = before

    def find_fault(self):
        """What is wrong after a call; empty if nothing is."""
        for number, (dtype, wanted) in self.wanted.items():
            got, wanted = load(self.arrays[number], dtype), load(wanted, dtype)
            allowed = 0.0
            if not self._is_exact and dtype in TOLERANCES and wanted.size:
                allowed = TOLERANCES[dtype] * float(numpy.nanmax(abs(wanted), initial=0.0))
            if allowed:
                is_right = numpy.allclose(got, wanted, rtol=0, atol=allowed, equal_nan=True)
            else:
                is_right = numpy.array_equal(got, wanted)
            if not is_right:
                return f"wrong: argument {number} differs from what it has to be"
        return ""


def of_einsum(problem):
    """For a Contraction, whose result NumPy computes."""
    dtypes, rng = (problem.inputs_type, problem.result_type), numpy.random.default_rng(1)
    labels = problem.einsum.split("->")[0].split(",")
    numbers = [
        make_numbers([problem.sizes[label] for label in one], dtypes[0], rng) for one in labels
    ]
    wanted = store(numpy.einsum(problem.einsum, *numbers, optimize=True), dtypes[1])
    result = numpy.empty(wanted.shape, wanted.dtype)
    result.reshape(-1).view("u1").fill(255)  # -1 or NaN
    arrays = [*(store(one, dtypes[0]) for one in numbers), result]
    return Arguments(arrays, {len(numbers): (dtypes[1], wanted)}, is_exact=True)


def of_function(kernel):
    """For a function, whose results are those of `kernel`, by the schedules that the compiler
    chooses."""
    rng, arrays, written = numpy.random.default_rng(1), [], {}
    for number, argument in enumerate(kernel.arguments):
        name, dtype = argument["name"], argument["dtype"]
        check_types([dtype], dtype)
        shape, step = argument["shape"], 1
        for extent, stride in reversed(list(zip(shape, argument["strides"]))):
            if argument["kind"] == "scalar" or not isinstance(extent, int) or stride != step:
                raise SearchError(f"expected arrays of known extents without gaps, got '{name}'")
            step *= extent
        bounds = (0, 1) if dtype.startswith("i") else (-3, 3)  # Integers may be indices.
        arrays.append(store(make_numbers(shape, dtype, rng, *bounds), dtype))
        if argument["kind"] == "written":
            written[number] = dtype
    before = [array.copy() for array in arrays]
    kernel(arrays)
    wanted = {number: (dtype, arrays[number]) for number, dtype in written.items()}
    return Arguments(before, wanted, is_exact=False)
