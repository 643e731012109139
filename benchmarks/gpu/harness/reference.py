"""The reference: PTX that computes one result a thread, in double precision, in the
order of the loops of the einsum. It is as plain as can be, shares nothing with the
kernels that it judges, and some of its results are recomputed on the host.

Beside each result stands its magnitude: the sum of the absolute values of the terms,
which errors are measured against (docs/Reports.md).
"""

import ctypes

import numpy

from . import data
from .arithmetic import load_as_f64
from .driver import address

CHUNK = 1 << 26  # results at a time, at most
_SAMPLED_TERMS = 1 << 21  # that the host recomputes


class WrongReference(RuntimeError):
    """Host and device disagree about the reference: nothing can be judged."""


def _loop(lines, problem, labels, level, pointers, item):
    """Loops over summed labels, the last innermost; adds one term in the middle."""
    if not labels:
        _add_term(lines, problem, pointers, item)
        return
    label, extent = labels[0], problem.sizes[labels[0]]
    lines.append(f"  mov.u32 %c{level}, 0;")
    inner = []
    for i, pointer in enumerate(pointers):
        inner.append(f"%q{level}_{i}")
        lines.append(f"  .reg .b64 {inner[-1]};")
        lines.append(f"  mov.b64 {inner[-1]}, {pointer};")
    lines.append(f"LOOP{level}:")
    _loop(lines, problem, labels[1:], level + 1, inner, item)
    for pointer, operand in zip(inner, problem.inputs):
        step = problem.strides(operand).get(label, 0) * item
        if step:
            lines.append(f"  add.s64 {pointer}, {pointer}, {step};")
    lines += [
        f"  add.u32 %c{level}, %c{level}, 1;",
        f"  setp.lt.u32 %more, %c{level}, {extent};",
        f"  @%more bra LOOP{level};",
    ]


def _add_term(lines, problem, pointers, item):
    for i, pointer in enumerate(pointers):
        lines += [f"  {line}" for line in load_as_f64(problem.arithmetic.storage, f"%value{i}", pointer)]
    for i in range(1, len(pointers)):
        lines.append(f"  mul.rn.f64 %value0, %value0, %value{i};")
    lines += [
        "  add.rn.f64 %sum, %sum, %value0;",
        "  abs.f64 %value0, %value0;",
        "  add.rn.f64 %magnitude, %magnitude, %value0;",
    ]


def write_ptx(problem):
    """PTX of `reference`: inputs, then results and magnitudes from `first` on, and
    how many. Products of two numbers in f32, or narrower, are exact."""
    item, count = problem.item_bytes, len(problem.inputs)
    parameters = [f"in{i}" for i in range(count)] + ["out", "sizes", "first", "count"]
    lines = [".version 7.0", ".target sm_75", ".address_size 64", "", ".visible .entry reference("]
    lines += [",\n".join(f"  .param .u64 {name}" for name in parameters) + ")", "{"]
    lines += [
        "  .reg .pred %more, %done;",
        "  .reg .b16 %half;",
        "  .reg .b32 %r<6>, %word;",
        "  .reg .b64 %rest, %digit, %left, %index, %all, %stride, %first, %place;",
        "  .reg .b64 %out, %sizes;",
        "  .reg .f32 %narrow;",
        "  .reg .f64 %sum, %magnitude;",
    ]
    for level in range(len(problem.summed)):
        lines.append(f"  .reg .b32 %c{level};")
    for i in range(count):
        lines.append(f"  .reg .b64 %in{i}, %p{i};")
        lines.append(f"  .reg .f64 %value{i};")
        lines.append(f"  ld.param.u64 %in{i}, [in{i}];")
        lines.append(f"  cvta.to.global.u64 %in{i}, %in{i};")
    lines += [
        "  ld.param.u64 %out, [out];",
        "  ld.param.u64 %sizes, [sizes];",
        "  ld.param.u64 %first, [first];",
        "  ld.param.u64 %all, [count];",
        "  cvta.to.global.u64 %out, %out;",
        "  cvta.to.global.u64 %sizes, %sizes;",
        "  mov.u32 %r1, %ctaid.x;",
        "  mov.u32 %r2, %ntid.x;",
        "  mov.u32 %r3, %tid.x;",
        "  mov.u32 %r4, %nctaid.x;",
        "  mul.wide.u32 %index, %r1, %r2;",
        "  cvt.u64.u32 %rest, %r3;",
        "  add.s64 %index, %index, %rest;",
        "  mul.wide.u32 %stride, %r4, %r2;",
        "NEXT:",
        "  setp.ge.u64 %done, %index, %all;",
        "  @%done bra END;",
        "  add.s64 %rest, %index, %first;",
    ]
    lines += [f"  mov.b64 %p{i}, %in{i};" for i in range(count)]
    for label in reversed(problem.output):
        extent = problem.sizes[label]
        lines += [
            f"  div.u64 %left, %rest, {extent};",
            f"  mul.lo.u64 %digit, %left, {extent};",
            "  sub.s64 %digit, %rest, %digit;",
            "  mov.b64 %rest, %left;",
        ]
        for i, operand in enumerate(problem.inputs):
            step = problem.strides(operand).get(label, 0) * item
            if step:
                lines.append(f"  mad.lo.u64 %p{i}, %digit, {step}, %p{i};")
    lines += ["  mov.f64 %sum, 0d0000000000000000;", "  mov.f64 %magnitude, %sum;"]
    pointers = [f"%p{i}" for i in range(count)]
    _loop(lines, problem, problem.summed, 0, pointers, item)
    lines += [
        "  shl.b64 %place, %index, 3;",
        "  add.s64 %rest, %out, %place;",
        "  st.global.f64 [%rest], %sum;",
        "  add.s64 %rest, %sizes, %place;",
        "  st.global.f64 [%rest], %magnitude;",
        "  add.s64 %index, %index, %stride;",
        "  bra NEXT;",
        "END:",
        "  ret;",
        "}",
    ]
    return "\n".join(lines) + "\n"


class Reference:
    """Results and magnitudes of a problem whose inputs are on the device."""

    def __init__(self, driver, problem, inputs):
        self.driver, self.problem, self.inputs = driver, problem, inputs
        self.total = problem.count(problem.output)
        self.chunk = min(self.total, CHUNK)
        self.module = driver.load(write_ptx(problem))
        self.kernel = self.module.kernel("reference")
        self.results = driver.allocate(8 * self.chunk)
        self.magnitudes = driver.allocate(8 * self.chunk)
        self.first = None  # of the results that the buffers hold

    def compute(self, first):
        """Has the buffers hold the results from `first` on; how many these are."""
        count = min(self.chunk, self.total - first)
        if self.first != first:
            arguments = [address(a) for a in (*self.inputs, self.results, self.magnitudes)]
            arguments += [ctypes.c_uint64(first), ctypes.c_uint64(count)]
            grid = data.find_grid(self.driver, count)
            self.kernel.launch((grid, 1, 1), (data.BLOCK, 1, 1), arguments)
            self.first = first
        return count

    def free(self):
        self.driver.free(self.results)
        self.driver.free(self.magnitudes)
        self.module.unload()

    def check(self, keys, source):
        """Recomputes some results on the host, from the keys of the inputs: the first,
        the last, and others drawn from `source`. Raises where the device has others."""
        problem = self.problem
        count = max(2, min(1024, _SAMPLED_TERMS // max(problem.terms, 1)))
        drawn = source.integers(0, self.chunk, count - 2)
        indices = numpy.unique(numpy.concatenate([[0, self.chunk - 1], drawn])).astype("i8")
        self.compute(0)
        self.driver.synchronize()
        got = self._gather(indices)
        wanted, magnitudes = compute_on_host(problem, keys, indices)
        # Both sums are in f64 and round at most twice a term.
        bound = 2 * (problem.terms + 2) * len(problem.inputs) * 2.0**-53 * magnitudes
        wrong = ~(numpy.abs(got - wanted) <= bound)
        if wrong.any():
            at = int(numpy.flatnonzero(wrong)[0])
            raise WrongReference(
                f"{problem.key}: expected {wanted[at]!r} at {indices[at]} of the reference, "
                f"got {got[at]!r}"
            )
        return len(indices)

    def _gather(self, indices):
        """Few numbers of the results: one copy where they are small, else one each."""
        if self.chunk <= 1 << 22:
            return self.driver.read(self.results, self.chunk, "f8")[indices]
        return numpy.array(
            [self.driver.read(self.results + 8 * int(i), 1, "f8")[0] for i in indices]
        )


def compute_on_host(problem, keys, indices):
    """Results and magnitudes at these indices of the output, in f64."""
    digits, rest = {}, numpy.asarray(indices, "i8")
    for label in reversed(problem.output):
        digits[label] = rest % problem.sizes[label]
        rest = rest // problem.sizes[label]
    terms = numpy.arange(problem.terms, dtype="i8")
    for label in reversed(problem.summed):
        digits[label] = terms % problem.sizes[label]
        terms = terms // problem.sizes[label]
    sums, magnitudes = numpy.empty(len(indices)), numpy.empty(len(indices))
    for row in range(len(indices)):
        product = None
        for operand, key in zip(problem.inputs, keys):
            places = numpy.zeros(problem.terms, "i8")
            for label, stride in problem.strides(operand).items():
                digit = digits[label]
                places += stride * (digit if label in problem.summed else digit[row])
            numbers = data.values(key, places, problem.dtype)
            product = numbers if product is None else product * numbers
        sums[row], magnitudes[row] = product.sum(), numpy.abs(product).sum()
    return sums, magnitudes
