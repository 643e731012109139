"""A contraction to measure: its extents, its work, and what it needs at least."""

import dataclasses
import math

from .arithmetic import TYPES


@dataclasses.dataclass(frozen=True)
class Problem:
    """An einsum in explicit form over dense arrays, the last label fastest."""

    name: str
    group: str
    einsum: str
    extents: tuple  # pairs of a label and its extent
    dtype: str

    @staticmethod
    def make(name, einsum, sizes, dtype, group=""):
        if dtype not in TYPES:
            raise ValueError(f"expected a type of {', '.join(TYPES)}, got '{dtype}'")
        einsum = einsum.replace(" ", "")
        used = set(einsum.replace(",", "").replace("->", ""))
        if used != set(sizes):
            raise ValueError(
                f"expected sizes of {','.join(sorted(used))}, got {','.join(sorted(sizes))}"
            )
        pairs = tuple(sorted((label, int(extent)) for label, extent in sizes.items()))
        return Problem(name, group, einsum, pairs, dtype)

    @property
    def key(self):
        """Names it in results: two problems of one name differ in type."""
        return f"{self.name} {self.dtype}"

    @property
    def sizes(self):
        return dict(self.extents)

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


def load(problems, dtypes, names=()):
    """The problems of cases/contractions.json, as a list of Problem."""
    known = {case["name"] for case in problems}
    if unknown := sorted(set(names) - known):
        raise ValueError(f"expected names of {len(known)} problems, got '{unknown[0]}'")
    return [
        Problem.make(case["name"], case["einsum"], case["sizes"], dtype, case["group"])
        for case in problems
        if not names or case["name"] in names
        for dtype in dtypes
    ]
