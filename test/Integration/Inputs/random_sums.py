"""Random sums of contractions by tensor instructions, run on the emulator and verified.

random_sums.py --tc-run=PATH [--seed=S] [--count=N]

The terms of a sum have the same threads and registers, and the lanes of a warp along
whatever iterators are rows and columns in each: accumulators move in between. The last
line counts what was run, by what it had. Exit status 1 as for random_schedules.py.
"""

import math
import os
import sys
import tempfile

from random_mma import SHAPES, draw_fold
from random_schedules import run_cases

FOLDER = tempfile.TemporaryDirectory()
EXTENTS = [3, 5, 8, 11, 13, 16, 19, 24]
MOST_POINTS, MOST_THREADS, MOST_RESULTS = 1 << 14, 256, 32
# Of inputs and of results, by that of the instruction.
TYPES = {
    "f64": [("f64", "f64"), ("complex<f64>", "complex<f64>")],
    "f16": [("f16", "f32")],
    "bf16": [("bf16", "f32")],
    "s8": [("i8", "i32")],
    "f8": [("f8E4M3FN", "f32"), ("f8E5M2", "f32")],
}
FEATURES = ["moved", "kept", "batch", "added", "edge", "three terms"]
FEATURES += ["f64", "complex<f64>", "f16", "bf16", "i8", "f8E4M3FN", "f8E5M2"]


def draw_tile(draw, sizes):
    """Threads and registers along each label of the result."""
    thread, register = {}, {}
    for label in sizes:
        threads, results = math.prod(thread.values()), math.prod(register.values())
        thread[label] = draw.choice([f for f in (1, 2, 4, 4, 8, 8, 16) if threads * f <= MOST_THREADS])
        register[label] = draw.choice([f for f in (1, 2, 2, 2, 4) if results * f <= MOST_RESULTS])
    return thread, register


def take_lanes(draw, labels, thread, lanes):
    """Lanes along some of `labels`, no more than there are threads; None where they are
    too few."""
    for _ in range(8):
        fold = draw_fold(draw, labels, lanes) if labels else {}
        if fold and all(thread[label] % factor == 0 for label, factor in fold.items()):
            return fold
    return None


def draw_term(draw, name, thread, register, shape):
    """The sides of a product, and its fold; None where the tile has none for it."""
    m = int(shape[1:].split("n")[0])
    for _ in range(32):
        sides = {label: draw.choice(["m", "n", "m", "n", "m", "n", "both"]) for label in thread}
        rows, columns = ([l for l in thread if sides[l] == side] for side in "mn")
        folds = take_lanes(draw, rows, thread, 8), take_lanes(draw, columns, thread, 4)
        if None in folds or not any(register[l] % 2 == 0 for l in columns):
            continue
        if m == 16 and math.prod(register[l] for l in rows) % 2:
            continue
        return {"name": name, "sides": sides, "folds": folds}
    return None


def write_term(draw, term, sizes, shape, tile, element, result, extent, first):
    """The op, and the types of its two inputs."""
    k = int(shape.split("k")[1].split(".")[0])
    q, sides = term["name"], term["sides"]
    operands, memrefs = [], []
    for side in "mn":
        labels = [l for l in sides if sides[l] in (side, "both")] + [q]
        draw.shuffle(labels)
        shape_text = "x".join(str({**sizes, q: extent}[l]) for l in labels)
        memrefs.append(f"memref<{shape_text}x{element}>")
        operands.append(f"%{q}{side}[{', '.join(labels)}] : {memrefs[-1]}")
    show = lambda factors: "[" + ", ".join(f"{l} = {v}" for l, v in factors.items()) + "]"
    alive = lambda factors: {l: v for l, v in factors.items() if v > 1}
    folds = dict(zip("mn", term["folds"]), k={q: 4})
    unit = ", ".join(f"{kind} = {show(fold)}" for kind, fold in folds.items())
    parts = [f"thread = {show(alive(tile[0]))}", f"register = {show(alive(tile[1]))}"]
    parts += [f"step = [{q} = {k * draw.choice([1, 1, 2])}]", f"stages = {draw.choice([1, 2])}"]
    parts += ["kernel = mma", f'unit = <"{shape}", {unit}>']
    space = ", ".join(f"{l} = {n}" for l, n in {**sizes, q: extent}.items())
    return (
        f"tc.contract ({space}) ins({', '.join(operands)}) outs(%Z[{', '.join(sizes)}] : {result}) "
        f"{'overwrite ' if first else ''}{{schedule = #tc.schedule<{', '.join(parts)}>}}"
    ), memrefs


def draw_case(draw, number):
    while True:
        sizes = {label: draw.choice(EXTENTS) for label in "abcd"[: draw.randint(3, 4)]}
        tile = draw_tile(draw, sizes)
        chip = draw.choice(["sm_80", "sm_90a"])
        shape = draw.choice([s for s in SHAPES[chip] if s.split(".")[1] in TYPES])
        names = "pqr"[: draw.randint(2, 3)]
        terms = [draw_term(draw, name, *tile, shape) for name in names]
        if None not in terms and math.prod(sizes.values()) <= MOST_POINTS:
            break
    element, summed = draw.choice(TYPES[shape.split(".")[1]])
    result = f"memref<{'x'.join(map(str, sizes.values()))}x{summed}>"
    overwrites = draw.random() < 0.5
    ops, arguments = [], []
    for n, term in enumerate(terms):
        extent = draw.choice([3, 7, 16, 20])
        op, memrefs = write_term(
            draw, term, sizes, shape, tile, element, result, extent, overwrites and n == 0
        )
        ops.append(op)
        arguments += [f"%{term['name']}{side}: {memref}" for side, memref in zip("mn", memrefs)]
    path = os.path.join(FOLDER.name, f"{number}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        body = "\n    ".join(ops)
        file.write(
            f"func.func @sum({', '.join(arguments)}, %Z: {result}) {{\n"
            f"  tc.sum {{\n    {body}\n  }}\n  return\n}}\n"
        )
    folds = [term["folds"] for term in terms]
    features = {element, "moved" if any(fold != folds[0] for fold in folds) else "kept"}
    features |= {"three terms"} if len(terms) == 3 else set()
    features |= set() if overwrites else {"added"}
    if any("both" in term["sides"].values() for term in terms):
        features.add("batch")
    if any(n % (tile[0][l] * tile[1][l]) for l, n in sizes.items()):
        features.add("edge")
    return features, {"case": str(number), "input": path, "chip": chip}


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, draw_case, FEATURES))
