"""Random products by tensor cores, on the emulator, against NumPy.

random_products.py --tc-run=PATH [--seed=S] [--count=N]

Einsums of two operands with rows, columns and terms, of all types and precisions that
have an instruction; primes, ones and batches; operands with gaps, and backwards. Results
are those of numpy.einsum in double precision, within a bound of the errors of their type
and precision. Schedules are those of random_mma.py; where one is refused, as labels that
lie together are one iterator of another name, the search takes its own. The last line
counts what was run, by type, and in brackets how many by tensor cores. Exit status 1
when a result is wrong, or when a type was not run by these.
"""

import argparse
import math
import random
import sys
from collections import Counter

import numpy

from programs import elements
from programs.run import TcRun
from random_mma import SHAPES, draw_contraction, draw_schedule

# By name of the type: that of the elements, and of the sums.
TYPES = {
    "f64": (elements.f64, elements.f64),
    "c128": (elements.c128, elements.c128),
    "f16": (elements.f16, elements.f32),
    "bf16": (elements.bf16, elements.f32),
    "f8e4m3": (elements.f8e4m3, elements.f32),
    "f8e5m2": (elements.f8e5m2, elements.f32),
    "i8": (elements.i8, elements.i32),
    "f32": (elements.f32, elements.f32),
    "c64": (elements.c64, elements.c64),
}
# What a product is off by at most for each of its factors (IR/Precision.cpp).
LOSSES = {
    "tf32": 2**-11,
    "tf32x3": 2**-22,
    "bf16": 2**-8,
    "bf16x3": 2**-16,
    "bf16x6": 2**-25,
    "bf16x9": 0,
}
RESULTS = {"f64": "f64", "c128": "c128", "c64": "c64", "i8": "i32"}
REFUSALS = ("has an illegal schedule", "to name iterators")
KINDS = ["f64", "c128", "f16", "bf16", "f8e4m3", "f8e5m2", "i8"]
KINDS += [f"{kind} {precision}" for kind in ("f32", "c64") for precision in LOSSES]


def draw_values(generator, element, count):
    if element.kind == "integer":
        return generator.integers(-100, 100, count)
    values = generator.uniform(-1, 1, count)
    return values + 1j * generator.uniform(-1, 1, count) if element.kind == "complex" else values


def draw_operand(draw, generator, element, shape):
    """What tc-run is told of an operand, its buffer, and the values of its elements."""
    told, strides, offset = {"shape": list(shape)}, [], 0
    stride = 1
    for extent in reversed(shape):
        strides.insert(0, stride)
        stride *= extent + (draw.choice([0, 0, 1, 3]) if draw.random() < 0.5 else 0)
    if draw.random() < 0.3:
        offset = draw.randint(0, 5)
        turned = [draw.random() < 0.3 for _ in shape]
        offset += sum((n - 1) * s for n, s, back in zip(shape, strides, turned) if back)
        strides = [-s if back else s for s, back in zip(strides, turned)]
    count = offset + sum((n - 1) * s for n, s in zip(shape, strides) if s > 0) + 1
    buffer = elements.store(element, draw_values(generator, element, count))
    places = offset + sum(
        (numpy.arange(n) * s).reshape([n] + [1] * (len(shape) - d - 1))
        for d, (n, s) in enumerate(zip(shape, strides))
    )
    told.update(strides=strides, offset=offset, elements=count)
    return told, buffer, elements.load(element, buffer[places])


def get_bound(element, summed, precision, terms, size):
    """How far results may be from those of exact sums. `size` is the sum of the absolute
    values of the products."""
    if element.kind == "integer":
        return 0
    parts = 2 if element.kind == "complex" else 1
    loss = 2 * LOSSES.get(precision, 0) + (terms + 4) * summed.unit
    return parts * loss * size * 1.01


def draw_unit(draw, kind):
    """A chip and an instruction of it for products of this kind."""
    name, _, precision = kind.partition(" ")
    known = {"c128": "f64", "i8": "s8", "f8e4m3": "f8", "f8e5m2": "f8"}
    unit = precision.split("x")[0] if precision else known.get(name, name)
    return draw.choice(
        [(chip, s) for chip, shapes in SHAPES.items() for s in shapes if s.split(".")[1] == unit]
    )


def draw_product(draw, kind):
    """The labels of a contraction, its extents, a chip, and a schedule."""
    while True:
        kinds, labels, sizes = draw_contraction(draw)
        chip, shape = draw_unit(draw, kind)
        schedule, _ = draw_schedule(draw, kinds, sizes, shape)
        if schedule:
            return kinds, labels, sizes, chip, schedule


def run_case(tc_runs, draw, generator, kind):
    """(what is wrong or None, the schedule)."""
    name, _, precision = kind.partition(" ")
    element, summed = TYPES[name]
    kinds, labels, sizes, chip, schedule = draw_product(draw, kind)
    tc_run = tc_runs[chip]
    operands = [
        draw_operand(draw, generator, element, [sizes[label] for label in operand])
        for operand in labels[:2]
    ]
    einsum = "{},{}->{}".format(*("".join(operand) for operand in labels))
    paths = []
    for number, (_, buffer, _) in enumerate(operands):
        paths.append(tc_run._save(f"input{number}", buffer))
    case = {
        "case": kind,
        "einsum": einsum,
        "operands": {"inputs": [told for told, _, _ in operands]},
        "dtype": f"{name},{name}->{RESULTS.get(name, 'f32')}",
        "schedule": schedule,
        "inputs": paths,
        "outputs": [tc_run._path("result.npy")],
    }
    if precision:
        case["precision"] = precision
    answer = tc_run.ask(case)
    if any(words in answer.get("error", "") for words in REFUSALS):
        del case["schedule"]
        answer = tc_run.ask(case)
    if "error" in answer:
        return f"{case}\n  {answer['error']}", ""
    first, second = (values for _, _, values in operands)
    expected = numpy.einsum(einsum, first, second, dtype=summed.dtype if name == "i8" else None)
    size = numpy.einsum(einsum, numpy.abs(first), numpy.abs(second))
    result = numpy.load(tc_run._path("result.npy")).reshape(expected.shape)
    terms = math.prod(sizes[label] for label in kinds["k"])
    bound = get_bound(element, summed, precision, terms, size)
    bound = bound + summed.unit * numpy.abs(expected) if element.kind != "integer" else 0
    off = numpy.abs(result.astype(expected.dtype) - expected)
    schedule = answer["report"].get("schedule") or ""
    if not (off <= bound).all():
        return f"{case}\n  off by {numpy.max(off - bound)} more than {numpy.max(bound)}", schedule
    return None, schedule


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tc-run", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    draw, generator = random.Random(options.seed), numpy.random.default_rng(options.seed)
    tc_runs = {chip: TcRun(options.tc_run, chip=chip) for chip in SHAPES}
    agreed, failed, tensor = Counter(), 0, Counter()
    for number in range(options.count):
        kind = KINDS[number % len(KINDS)]
        problem, schedule = run_case(tc_runs, draw, generator, kind)
        if problem:
            failed += 1
            print(problem)
            continue
        agreed[kind] += 1
        tensor[kind] += "kernel = mma" in schedule
    for tc_run in tc_runs.values():
        tc_run.stop()
    counts = ", ".join(f"{agreed[kind]} ({tensor[kind]}) {kind}" for kind in KINDS)
    print(f"{sum(agreed.values())} agree, {sum(tensor.values())} by tensor cores, {failed} failed")
    print(counts)
    return 1 if failed or any(not tensor[kind] for kind in KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
