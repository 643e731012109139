"""Each kind of contraction with each element type and schedule, against NumPy.

  kinds.py [--schedules=N] [--in-turn] [--tc-run=PROGRAM] [--only=TEXT]

random_programs.py draws from the same things at random; here every one is met, at
extents that no tile divides. Prints the number of cases of each kind, then
`N agree, N failed`.
"""

import argparse
import collections
import sys
from dataclasses import replace

from programs import run
from programs.elements import ALL, BY_NAME, NARROW_FLOATS, can_convert, f16, i32
from programs.expressions import apply, argument, constant, convert
from programs.model import Combine, Contraction, Iterator, Operand, Program, Subscript, View
from programs.regions import COMBINES, SEMIRINGS

EXTENTS = {"a": 13, "q": 5, "b": 6, "r": 11}
SCHEDULES = (
    None,  # as the compiler chooses
    "#tc.schedule<thread = [b = 4, a = 4], register = [a = 2], step = [r = 4], kernel = fma>",
    "#tc.schedule<thread = [a = 8], register = [b = 4], step = [q = 2, r = 11], kernel = fma>",
    "#tc.schedule<kernel = fma>",
)


class ScheduledRun(run.TcRun):
    """Runs programs with a schedule."""

    schedule = None

    def _describe(self, program):
        case, indices = super()._describe(program)
        if self.schedule:
            case["schedule"] = self.schedule
        return case, indices


def operand(name, element, iterators):
    shape = tuple(EXTENTS[i] for i in iterators)
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    subscripts = tuple(Subscript(((i, 1),)) for i in iterators)
    return Operand(name, element, subscripts, View("dense", shape, tuple(strides), 0, shape))


def contraction(inputs, results, subscripts=("aqr", "rbq"), **meaning):
    """Of A[a, q, r] and B[r, b, q] into Z[a, b], and so on for more of them."""
    return Contraction(
        tuple(Iterator(name, extent) for name, extent in EXTENTS.items()),
        tuple(operand(n, e, s) for n, e, s in zip("ABD", inputs, subscripts)),
        tuple(operand(n, e, "ab") for n, e in zip("ZYX", results)),
        **meaning,
    )


def products():
    """Each type, alone; into an old result too."""
    for element in ALL:
        term = contraction((element, element), (element,))
        yield "product", element.name, term, "uniform"
        yield "into old", element.name, replace(term, overwrite=False), "integers"
        one = contraction((element,), (element,), ("raq",))
        yield "one input", element.name, replace(one, overwrite=False), "integers"


def mixed_products():
    for text in (
        "i8 i32 i32", "f16 f32 f32", "f32 complex<f32> complex<f32>", "bf16 f16 f32",
        "i8 f32 f32", "i1 f64 f64", "i16 complex<f64> complex<f64>", "i1 i8 i64",
        "f64 f16 f64", "f8E4M3FN f8E5M2 f32", "f8E4M3FN f16 f16", "i32 f8E5M2 f32", "complex<f32> f64 complex<f64>", "i8 i8 i32", "bf16 bf16 f32",
    ):  # fmt: skip
        a, b, z = (BY_NAME[name] for name in text.split())
        yield "mixed inputs", text, contraction((a, b), (z,)), "integers"
    for text in ("i8 i64 i8", "f32 f64 f32", "f16 f16 f16", "f64 f64 f32", "i64 i64 i1",
                 "i8 complex<f64> complex<f32>", "i32 f32 complex<f64>", "i1 i32 i32"):  # fmt: skip
        a, inner, z = (BY_NAME[name] for name in text.split())
        term = contraction((a, a), (z,), accumulator=inner)
        yield "accumulator", text, term, "integers"
        if can_convert(z, inner):
            yield "accumulator", text, replace(term, overwrite=False), "integers"


def last(element):
    return Combine("last", (argument(1, element),), (0,))


def product_plus_one(element):
    a, b = argument(0, element), argument(1, element)
    sums = apply("add", apply("multiply", a, b), constant(1, element))
    return Combine("product_plus_one", (sums,), (1,))


def regions():
    """Each combine region of each type; semirings with each of their products."""
    for element in ALL:
        found = dict(COMBINES[element.kind])
        if element.kind != "boolean":
            found["product_plus_one"] = product_plus_one
        found["last"] = last
        if element in NARROW_FLOATS:
            del found["log_sum_exp"]  # its neutral element is not one of these
        for name, build in found.items():
            yield from combines(name, build(element), element)


def combines(name, combine, element):
    x, y = argument(0, element), argument(1, element)
    exact = "uniform" if name in ("multiply", "affine", "product_plus_one") else "integers"
    if element.kind in ("integer", "boolean"):
        exact = "integers"
    if name == "arg_max":
        place = argument(2, i32)
        term = contraction(
            (element, element, i32), (element, i32), ("aqr", "rbq", "qr"),
            map=(apply("add", x, y), place), combine=combine,
        )  # fmt: skip
        yield name, element.name, term, exact
        return
    if name == "affine":
        maps = [(x, y)]
    else:
        ops = SEMIRINGS.get(name, ("multiply",))
        if name in ("and", "or", "xor"):
            ops = ops[:1]
        maps = [(apply(op, x, y),) for op in ops]
    results = (element,) * len(combine.expressions)
    for mapped in maps:
        term = contraction((element, element), results, map=mapped, combine=combine)
        yield name, element.name, term, exact
        # B alone varies with r: the last step of r has no fill, and ends early.
        term = contraction(
            (element, element), results, ("aq", "rbq"), map=mapped, combine=combine,
            overwrite=False,
        )  # fmt: skip
        yield name, element.name, term, exact


def epilogues():
    for element in ALL:
        if element.kind == "boolean":
            continue
        plain = contraction((element, element), (element,))
        inner = plain.accumulators()[0]
        acc = argument(0, inner)
        half = constant(0.5 if inner.kind in ("float", "complex") else 3, inner)

        def end(name, value, sides=(), term=plain, results=1, finish=convert):
            whole = replace(term, sides=sides, epilogue=(finish(value, element),) * results)
            data = "uniform" if name == "activation" else "integers"
            return name, element.name, whole, data

        for subset in ("", "a", "b", "ab", "ba"):
            side = operand("S", element, subset)
            value = apply("add", acc, convert(argument(1, element), inner))
            yield end("bias", value, (side,))
        yield end("scale", apply("multiply", acc, half))
        if inner.kind == "float":
            yield end("activation", apply("maximum", acc, constant(0.0, inner)))
            yield end("activation", apply("tanh", acc))
        if inner.kind == "float" and inner is not f16:
            logistic = apply("log", apply("add", constant(1.0, inner), apply("exp", apply(
                "minimum", acc, constant(8.0, inner)))))  # fmt: skip
            yield end("activation", logistic)
        old = apply("multiply", convert(argument(1, element), inner), half)
        update = apply("add", apply("multiply", acc, constant(2, inner)), old)
        yield end("alpha AB + beta C", update, plain.results)
        three = contraction((element, element), (element,) * 3)
        yield end("several results", apply("multiply", acc, half), (), three, 3)


def several_sums():
    """Sums beside one another, each into a result."""
    for element in ALL:
        x, y = argument(0, element), argument(1, element)
        mapped = (apply("multiply", x, y), x, apply("add", x, y))
        term = contraction((element, element), (element,) * 3, map=mapped)
        yield "several sums", element.name, term, "integers"
        yield "several sums", element.name, replace(term, overwrite=False), "integers"


def cases():
    for source in (products, mixed_products, regions, epilogues, several_sums):
        yield from source()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=len(SCHEDULES))
    parser.add_argument("--in-turn", action="store_true", help="one of them for each case")
    parser.add_argument("--tc-run", default="tc-run")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    runner = ScheduledRun(options.tc_run)
    counts, failed = collections.Counter(), 0
    for number, (kind, types, term, data) in enumerate(cases()):
        if options.only not in f"{kind}: {types}":
            continue
        program = Program("contract", (term,), data, seed=7)
        schedules = SCHEDULES[: options.schedules]
        if options.in_turn:
            schedules = [schedules[number % len(schedules)]]
        for schedule in schedules:
            runner.schedule = schedule
            message = run.check(program, runner)
            if message:
                failed += 1
                print(f"FAILED {kind}: {types}, {schedule}: {message}\n  {program}")
            else:
                counts[kind] += 1
    runner.stop()
    for kind in sorted(counts):
        print(f"{kind}: {counts[kind]}")
    print(f"{sum(counts.values())} agree, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
