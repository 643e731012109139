"""Random schedules with tensor instructions, run on the emulator and verified.

random_mma.py --tc-run=PATH [--seed=S] [--count=N]

Any box of iterators may make up the rows, columns and terms of an instruction, whatever
their extents: primes, ones, more lanes than there are results. The last line counts what
was run, by what it had. Exit status 1 as for random_schedules.py.
"""

import math
import sys

from random_schedules import run_cases

EXTENTS = [1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 24, 31, 32]
NARROW = ["m16n8k4.tf32", "m16n8k8.tf32", "m16n8k8.f16", "m16n8k16.f16", "m16n8k8.bf16", "m16n8k16.bf16", "m16n8k16.s8", "m16n8k32.s8"]
SHAPES = {
    "sm_80": ["m8n8k4.f64", *NARROW],
    "sm_89": ["m16n8k32.f8"],
    "sm_90a": ["m8n8k4.f64", "m16n8k4.f64", "m16n8k8.f64", "m16n8k16.f64", *NARROW, "m16n8k32.f8"],
}
# Results may be as inputs, or as accumulators.
DTYPES = {"f64": ["f64", "c128"], "tf32": ["f32", "c64"], "f16": ["f16", "f16,f16->f32"], "bf16": ["bf16", "bf16,bf16->f32"], "s8": ["i8,i8->i32"], "f8": ["f8e4m3", "f8e5m2,f8e4m3", "f8e5m2->f16", "f8e4m3,f8e5m2->f8e4m3"]}
MOST_POINTS, MOST_WARPS, MOST_RESULTS = 1 << 16, 8, 32
FEATURES = ["vector", "stages", "unroll", "promote", "batch", "box", "split", "edge", "c64", "c128", *SHAPES["sm_90a"]]


def draw_contraction(draw):
    """The labels by what they are, the operands, and the extents."""
    names = iter("abcdefghijk")
    take = lambda least, most: [next(names) for _ in range(draw.randint(least, most))]
    kinds = {"m": take(1, 3), "n": take(1, 3), "k": take(1, 3), "batch": take(0, 1)}
    operands = [
        kinds["m"] + kinds["k"] + kinds["batch"],
        kinds["n"] + kinds["k"] + kinds["batch"],
        kinds["m"] + kinds["n"] + kinds["batch"],
    ]
    for labels in operands:
        draw.shuffle(labels)
    labels = [label for kind in kinds.values() for label in kind]
    while True:
        sizes = {label: draw.choice(EXTENTS) for label in labels}
        if math.prod(sizes.values()) <= MOST_POINTS:
            return kinds, operands, sizes


def draw_fold(draw, labels, lanes):
    """Factors above 1 of some labels, with a product of `lanes`."""
    fold = dict.fromkeys(labels, 1)
    while lanes > 1:
        fold[draw.choice(labels)] *= 2
        lanes //= 2
    return {label: factor for label, factor in fold.items() if factor > 1}


def draw_schedule(draw, kinds, sizes, shape):
    """The text of a schedule, and the features that it has."""
    alive = {kind: [l for l in labels if sizes[l] > 1] for kind, labels in kinds.items()}
    if not (alive["m"] and alive["n"] and alive["k"]):
        return None, set()
    folds = {kind: draw_fold(draw, alive[kind], lanes) for kind, lanes in (("m", 8), ("n", 4), ("k", 4))}
    form, dtype = shape.split(".")
    m, k = (int(part) for part in form[1:].replace("n8k", " ").split())
    widths = {"f64": (1, 1, 2), "tf32": (1, 2, 4), "f16": (1, 2, 4, 8), "bf16": (1, 2, 4, 8), "s8": (1, 2, 4, 8), "f8": (1, 2, 4, 8)}[dtype]
    features = {shape}
    vector = {l: draw.choice([v for v in widths if sizes[l] % v == 0]) for kind in alive for l in alive[kind]}
    register, thread, step, warps, results = {}, {}, {}, 1, 1
    for label in alive["m"] + alive["n"] + alive["batch"]:
        lanes = {**folds["m"], **folds["n"]}.get(label, 1)
        more = draw.choice([f for f in (1, 1, 2, 3, 4) if warps * f <= MOST_WARPS])
        warps *= more
        thread[label] = lanes * more
        register[label] = draw.choice([1] + [f for f in (1, 2, 3) if results * f * vector[label] <= MOST_RESULTS // 4])
        results *= register[label] * vector[label]
    # Whole fragments: a second column, and a second row where there are 16.
    if not any(register[l] % 2 == 0 or vector[l] % 2 == 0 for l in alive["n"]):
        register[draw.choice(alive["n"])] *= 2
    rows = math.prod(register[l] * vector[l] for l in alive["m"])
    if m == 16 and rows % 2:
        register[draw.choice(alive["m"])] *= 2
    for label in alive["k"]:
        step[label] = folds["k"].get(label, 1) * vector[label] * draw.choice([1, 1, 2, 3])
    while math.prod(step.values()) % k:
        step[draw.choice(alive["k"])] *= 2
    unroll = {}
    if draw.random() < 0.4:
        for label in step:
            together = folds["k"].get(label, 1) * vector[label]
            passes = [n for n in (1, 2, 3, 4) if step[label] % (n * together) == 0]
            unroll[label] = step[label] // draw.choice(passes)
        if math.prod(unroll.values()) % k:
            unroll = {}
        elif unroll != step:
            features.add("unroll")
    split = {}
    label = draw.choice(alive["k"])
    if draw.random() < 0.6 and sizes[label] % 2 == 0 and sizes[label] // 2 >= step[label]:
        if sizes[label] // 2 % vector[label] == 0:
            split[label] = 2
            features.add("split")
    if any(len(fold) > 1 for fold in folds.values()):
        features.add("box")
    if alive["batch"]:
        features.add("batch")
    for l in alive["m"] + alive["n"]:
        if sizes[l] % (thread[l] * register[l] * vector[l]):
            features.add("edge")
    vector = {label: v for label, v in vector.items() if v > 1}
    if vector:
        features.add("vector")
    show = lambda factors: "[" + ", ".join(f"{l} = {v}" for l, v in factors.items()) + "]"
    order = list(thread)
    draw.shuffle(order)
    lists = {
        "thread": {l: thread[l] for l in order},
        "register": register,
        "step": step,
        "vector": vector,
        "split": split,
        "unroll": unroll,
    }
    parts = [f"{name} = {show(factors)}" for name, factors in lists.items() if factors]
    stages = draw.choice([1, 2, 3])
    if stages > 1:
        features.add("stages")
        parts.append(f"stages = {stages}")
    unit = ", ".join(f"{kind} = {show(fold)}" for kind, fold in folds.items())
    # Instructions of tf32 and bf16 may be for parts of f32.
    most = min(math.prod(step.values()), 16 if dtype in ("tf32", "bf16") else 128)
    if dtype not in ("f64", "s8") and draw.random() < 0.4:
        features.add("promote")
        unit += f", promote = {draw.randrange(k, most + 1, k)}"
    parts += ["kernel = mma", f'unit = <"{shape}", {unit}>']
    return "#tc.schedule<" + ", ".join(parts) + ">", features


def draw_case(draw, number):
    while True:
        kinds, operands, sizes = draw_contraction(draw)
        chip = draw.choice(["sm_80", "sm_89", "sm_90a", "sm_90a", "sm_90a"])
        shape = draw.choice(SHAPES[chip])
        schedule, features = draw_schedule(draw, kinds, sizes, shape)
        if schedule:
            break
    case = {
        "case": str(number),
        "einsum": "{},{}->{}".format(*("".join(labels) for labels in operands)),
        "sizes": sizes,
        "dtype": draw.choice(DTYPES[shape.split(".")[1]]),
        "schedule": schedule,
        "chip": chip,
    }
    if shape.endswith("tf32"):
        case["precision"] = draw.choice(["tf32", "tf32x3"])
    if shape.endswith("bf16") and draw.random() < 0.5:
        case["dtype"] = draw.choice(["f32", "c64"])
        case["precision"] = draw.choice(["bf16", "bf16x3", "bf16x6", "bf16x9"])
    if case["dtype"] in ("c64", "c128"):
        features.add(case["dtype"])
    return features, case


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, draw_case, FEATURES))
