"""Random contractions of functions of their inputs by tensor instructions, verified.

random_factors.py --tc-run=PATH [--seed=S] [--count=N]

Schedules are those of random_mma.py. The map multiplies a function of each input: signs,
conjugates, weights of 8 bits, numbers that are widened. Some functions of zero are not
zero: where a tile sticks out, its further terms must add nothing all the same. The last
line counts what was run, by what it had. Exit status 1 as for random_schedules.py.
"""

import os
import sys
import tempfile

from random_mma import SHAPES, draw_contraction, draw_schedule
from random_schedules import run_cases

FOLDER = tempfile.TemporaryDirectory()
# By type of the instruction: that of products, and of elements the functions of %x that
# give a factor %y.
CONJUGATE = "%y = complex.conj %x : {}"
NEGATIVE = "%y = arith.negf %x : {}"
SQUARE = "%y = arith.mulf %x, %x : {}"
SHIFTED = "%one = arith.constant 1.5 : {0}\n%y = arith.addf %x, %one : {0}"
INVERSE = (
    "%one = arith.constant 1.0 : {0}\n%q = arith.mulf %x, %x : {0}\n"
    "%r = arith.addf %q, %one : {0}\n%y = arith.divf %one, %r : {0}"
)
WIDENED = "%y = arith.extf %x : {1} to {0}"
DEQUANTIZED = (
    "%n = arith.sitofp %x : i8 to {0}\n%zero = arith.constant 3.0 : {0}\n"
    "%m = arith.subf %n, %zero : {0}\n%scale = arith.constant 0.125 : {0}\n"
    "%y = arith.mulf %m, %scale : {0}"
)
REAL = [("same", NEGATIVE), ("same", SQUARE), ("same", SHIFTED), ("same", INVERSE)]
FUNCTIONS = {
    "f64": [*REAL, ("f32", WIDENED), ("i8", DEQUANTIZED)],
    "complex<f64>": [("same", CONJUGATE), ("same", "%y = complex.neg %x : {}")],
    "f32": [*REAL, ("f16", WIDENED), ("i8", DEQUANTIZED)],
    "complex<f32>": [("same", CONJUGATE)],
    "f16": [*REAL, ("i8", DEQUANTIZED)],
    "bf16": [*REAL, ("i8", DEQUANTIZED)],
}
# Types of factors, and of the products, by the instruction.
PRODUCTS = {
    "f64": [("f64", "f64", None), ("complex<f64>", "complex<f64>", None)],
    "tf32": [(t, t, p) for t in ("f32", "complex<f32>") for p in ("tf32", "tf32x3")],
    "f16": [("f16", "f32", None)],
    "bf16": [("bf16", "f32", None), ("f32", "f32", "bf16x3"), ("f32", "f32", "bf16x9")],
}
OPS = ["complex.conj", "complex.neg", "negf", "divf", "addf", "sitofp", "extf"]
FEATURES = ["edge", "elements", *OPS, *FUNCTIONS]


def draw_factor(draw, name, factor, product):
    """The type of the elements, the lines that make a factor of one, and its name."""
    element, lines = draw.choice([("same", ""), *FUNCTIONS[factor]])
    element = factor if element == "same" else element
    lines = lines.format(factor, element).split("\n") if lines else []
    value = f"%{name}y" if lines else f"%{name}x"
    if factor != product:
        lines.append(f"%w = arith.extf {'%y' if lines else '%x'} : {factor} to {product}")
        value = f"%{name}w"
    return element, [line.replace("%", f"%{name}") for line in lines], value


def write_program(draw, operands, sizes, schedule, kinds):
    """The text, and what it has."""
    factor, product, precision = kinds
    left, right = (draw_factor(draw, name, factor, product) for name in "lr")
    shape = lambda labels, element: f"memref<{'x'.join(str(sizes[l]) for l in labels)}x{element}>"
    types = [shape(operands[0], left[0]), shape(operands[1], right[0]), shape(operands[2], product)]
    inputs = [
        f"{name}[{', '.join(labels)}] : {memref}"
        for name, labels, memref in zip(("%A", "%B", "%C"), operands, types)
    ]
    multiply = "complex.mul" if product.startswith("complex") else "arith.mulf"
    body = "\n    ".join(
        [*left[1], *right[1], f"%p = {multiply} {left[2]}, {right[2]} : {product}", f"tc.yield %p : {product}"]
    )
    space = ", ".join(f"{label} = {extent}" for label, extent in sizes.items())
    text = (
        f"func.func @f(%A: {types[0]}, %B: {types[1]}, %C: {types[2]}) {{\n"
        f"  tc.contract ({space}) ins({inputs[0]}, {inputs[1]}) outs({inputs[2]})\n"
        f"  {'overwrite ' if draw.random() < 0.5 else ''}PRECISION{{schedule = {schedule}}}\n"
        f"  map (%lx: {left[0]}, %rx: {right[0]}) {{\n    {body}\n  }}\n  return\n}}\n"
    ).replace("PRECISION", f"precision({precision}) " if precision else "")
    found = [op for op in OPS if op in body]
    return text, {factor, *(found or ["elements"])}


def draw_case(draw, number):
    while True:
        kinds, operands, sizes = draw_contraction(draw)
        chip = draw.choice(["sm_80", "sm_90a"])
        shape = draw.choice([s for s in SHAPES[chip] if s.split(".")[1] in PRODUCTS])
        schedule, features = draw_schedule(draw, kinds, sizes, shape)
        if schedule:
            break
    text, found = write_program(
        draw, operands, sizes, schedule, draw.choice(PRODUCTS[shape.split(".")[1]])
    )
    path = os.path.join(FOLDER.name, f"{number}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return features | found, {"case": str(number), "input": path, "chip": chip}


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, draw_case, FEATURES))
