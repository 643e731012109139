"""A contraction: what the compiler is told of it; and to measure it, its work, and what it
needs at least."""

import contextlib
import dataclasses
import math

from .arithmetic import TYPES


@dataclasses.dataclass(frozen=True)
class Contraction:
    """An einsum in explicit form over dense arrays, the last label fastest, of any type of
    the compiler: `c64`, `c64_tf32x3` with a precision, or `bf16->f32` with that of the
    result."""

    name: str
    group: str
    einsum: str
    extents: tuple  # pairs of a label and its extent
    dtype: str

    @classmethod
    def make(cls, name, einsum, sizes, dtype, group=""):
        einsum = einsum.replace(" ", "")
        used = set(einsum.replace(",", "").replace("->", ""))
        if used != set(sizes):
            raise ValueError(
                f"expected sizes of {','.join(sorted(used))}, got {','.join(sorted(sizes))}"
            )
        pairs = tuple(sorted((label, int(extent)) for label, extent in sizes.items()))
        return cls(name, group, einsum, pairs, dtype)

    @property
    def key(self):
        """Names it in results: two problems of one name differ in type."""
        return f"{self.name} {self.dtype}"

    @property
    def sizes(self):
        return dict(self.extents)

    @property
    def inputs_type(self):
        return self.dtype.partition("_")[0].partition("->")[0]

    @property
    def result_type(self):
        """As tc-compile has it for inputs of one type."""
        given = self.dtype.partition("_")[0].partition("->")[2]
        return given or {"i8": "i32", "i16": "i32"}.get(self.inputs_type, self.inputs_type)

    @property
    def type_options(self):
        """What tc-compile is told of the type."""
        if self.dtype in TYPES:
            return TYPES[self.dtype].options
        storage, _, precision = self.dtype.partition("_")
        return [f"--dtype={storage}"] + ([f"--precision={precision}"] if precision else [])

    @property
    def options(self):
        sizes = ",".join(f"{label}={extent}" for label, extent in self.extents)
        return [f"--einsum={self.einsum}", f"--sizes={sizes}", *self.type_options]

    def find_tunable(self, tools, chip):
        """What a report says of it."""
        return tools.describe(self, chip)

    @property
    def origin(self):
        """What an entry of a tuning file says of where it is from."""
        return {"einsum": self.einsum}

    @property
    def number(self):
        """That of the contraction in what is compiled."""
        return 0

    @contextlib.contextmanager
    def choosing(self, schedule, chip):  # noqa: ARG002
        """Options that compile it by a schedule."""
        yield [f"--schedule={schedule}"]


@dataclasses.dataclass(frozen=True)
class Problem(Contraction):
    """A contraction to measure: of one of TYPES."""

    @classmethod
    def make(cls, name, einsum, sizes, dtype, group=""):
        if dtype not in TYPES:
            raise ValueError(f"expected a type of {', '.join(TYPES)}, got '{dtype}'")
        return super().make(name, einsum, sizes, dtype, group)

    @property
    def inputs(self):
        """The labels of each input."""
        return self.einsum.split("->")[0].split(",")

    @property
    def output(self):
        return self.einsum.split("->")[1]

    @property
    def operands(self):
        """The labels of each array: inputs, then the output."""
        return [*self.inputs, self.output]

    @property
    def summed(self):
        return sorted(set("".join(self.inputs)) - set(self.output))

    def shape(self, labels):
        sizes = self.sizes
        return tuple(sizes[label] for label in labels)

    def count(self, labels):
        return math.prod(self.shape(labels))

    @property
    def terms(self):
        """Of the sum of each result."""
        return self.count(self.summed)

    @property
    def arithmetic(self):
        return TYPES[self.dtype]

    @property
    def item_bytes(self):
        return self.arithmetic.item_bytes

    @property
    def bytes(self):
        """Of all arrays: what has to be moved at least."""
        return sum(self.count(labels) for labels in self.operands) * self.item_bytes

    @property
    def flops(self):
        """Multiplications and additions."""
        return max(len(self.inputs), 1) * self.terms * self.count(self.output)

    def strides(self, labels):
        """Elements between neighbours along each label; the sum of a label's places."""
        strides, step = dict.fromkeys(labels, 0), 1
        for label in reversed(labels):
            strides[label] += step
            step *= self.sizes[label]
        return strides


def load(problems, dtypes, names=(), kind=Problem):
    """The problems of cases/contractions.json, as a list of `kind`."""
    known = {case["name"] for case in problems}
    if unknown := sorted(set(names) - known):
        raise ValueError(f"expected names of {len(known)} problems, got '{unknown[0]}'")
    return [
        kind.make(case["name"], case["einsum"], case["sizes"], dtype, case["group"])
        for case in problems
        if not names or case["name"] in names
        for dtype in dtypes
    ]
