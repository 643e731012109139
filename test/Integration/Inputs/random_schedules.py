"""Random schedules of random contractions, run on the emulator and verified.

random_schedules.py --tc-run=PATH [--seed=S] [--count=N]

What a search would not choose must be right, too: any factors, vectors, lanes listed
twice, copies ahead, threads that share results, sums in parts. Most schedules are drawn
so that they are legal; the compiler may refuse one by a sentence, but not fail on it.

The last line counts what was run, by what it had. Exit status 1 when a kernel is wrong,
or crashes, or when something was never run.
"""

import argparse
import json
import random
import subprocess
import sys
from collections import Counter

EXTENTS = [1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 20, 24, 31, 32, 36, 48, 64, 96]
DTYPES = ["f32", "f32", "f64", "f16", "i32", "c64"]
MOST_POINTS, MOST_THREADS, MOST_RESULTS = 1 << 15, 256, 16
FEATURES = ["vector", "lanes", "stages", "shared", "split", "rest"]


def draw_contraction(draw):
    """An einsum with its extents: rows, columns, batch, contracted and summed labels."""
    names = iter("abcdefghij")
    take = lambda most: [next(names) for _ in range(draw.randint(0, most))]
    rows, columns, batch = take(2), take(2), take(1)
    contracted = [next(names)] + take(1)
    first, second, result = rows + contracted + batch, columns + contracted + batch, rows + columns + batch
    if draw.random() < 0.25:
        second, result = None, rows + batch
    inputs = [labels for labels in (first, second) if labels is not None]
    for labels in [*inputs, result]:
        draw.shuffle(labels)
    labels = sorted({label for operand in inputs for label in operand})
    while True:
        sizes = {label: draw.choice(EXTENTS) for label in labels}
        if draw.random() < 0.3:
            sizes[draw.choice([l for l in labels if l not in result])] = draw.choice([97, 128, 250, 512])
        points = 1
        for extent in sizes.values():
            points *= extent
        if points <= MOST_POINTS:
            break
    einsum = ",".join("".join(operand) for operand in inputs) + "->" + "".join(result)
    return einsum, sizes, result


def draw_factor(draw, most):
    return draw.choice([f for f in (1, 1, 2, 3, 4, 8, 16) if f <= max(most, 1)])


def draw_schedule(draw, sizes, result):
    """The text of a schedule, and the features that it has."""
    lists = {"thread": [], "register": [], "step": [], "vector": [], "split": []}
    features, threads, results = set(), 1, 1
    labels = list(sizes)
    draw.shuffle(labels)
    for label in labels:
        extent, contracted = sizes[label], label not in result
        vector = draw.choice([v for v in (1, 1, 2, 4) if extent % v == 0])
        parts = 1
        if contracted and extent > 1 and draw.random() < 0.4:
            parts = draw.randint(2, min(extent, 9))
            vector = vector if extent % (parts * vector) == 0 else 1
        lanes = 1
        if draw.random() < 0.2 and (extent // parts) % (vector * 2) == 0 and not contracted:
            lanes = 2
        thread = draw_factor(draw, min(extent // vector // lanes // parts, MOST_THREADS // threads // lanes))
        if contracted and draw.random() < 0.6:
            thread = 1
        register = 1 if contracted else draw_factor(draw, MOST_RESULTS // results // vector)
        if contracted:
            multiple = thread * vector
            step = multiple * draw.randint(1, max(1, min(4, extent // parts // multiple)))
            if extent % parts and step * parts > extent:
                parts = 1
            if parts > 1:
                features |= {"split", "rest"} if extent % parts else {"split"}
                lists["split"].append((label, parts))
            lists["step"].append((label, step))
            features |= {"shared"} if thread > 1 else set()
        else:
            results *= register * vector
        threads *= thread * lanes
        lists["thread"].append((label, thread))
        if lanes > 1:
            features.add("lanes")
            lists["thread"].append((label, lanes))
        lists["register"].append((label, register))
        if vector > 1:
            features.add("vector")
            lists["vector"].append((label, vector))
    # An iterator that is listed twice is so with its faster factor at the end.
    lists["thread"].sort(key=lambda factor: draw.random())
    lists["register"] = [f for f in lists["register"] if f[0] in result]
    parts = [
        f"{name} = [" + ", ".join(f"{label} = {value}" for label, value in factors) + "]"
        for name, factors in lists.items()
        if factors
    ]
    stages = draw.choice([1, 1, 2, 3])
    if stages > 1:
        features.add("stages")
        parts.append(f"stages = {stages}")
    return "#tc.schedule<" + ", ".join([*parts, "kernel = fma>"]), features


def draw_case(draw, number):
    einsum, sizes, result = draw_contraction(draw)
    # Iterators of extent 1 are gone before there is a schedule.
    alive = {label: extent for label, extent in sizes.items() if extent > 1}
    schedule, features = draw_schedule(draw, alive, result)
    return features, {
        "case": str(number),
        "einsum": einsum,
        "sizes": sizes,
        "dtype": draw.choice(DTYPES),
        "schedule": schedule,
        "chip": "sm_90a",
    }


def run_cases(what, draw_case, features):
    """Runs as many cases as the command line says. Returns the exit status."""
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    parser.add_argument("--tc-run", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    cases = [draw_case(draw, number) for number in range(options.count)]
    lines = "".join(json.dumps(case) + "\n" for _, case in cases)
    command = [options.tc_run, "--batch=-", "--device=emulator", "--verify"]
    run = subprocess.run(command, input=lines, capture_output=True, text=True)
    outcomes = [json.loads(line) for line in run.stdout.splitlines()]
    seen, refused, failed = Counter(), 0, 0
    for (found, case), outcome in zip(cases, outcomes):
        problem = outcome.get("error", "")
        # Labels that lie together are one iterator, of another name.
        if "has an illegal schedule" in problem or "to name iterators" in problem:
            refused += 1
        elif problem or not outcome["report"]["verified"]:
            failed += 1
            print(json.dumps(case), "\n  ", problem or "wrong result")
        else:
            seen.update(found)
    if len(outcomes) < len(cases):
        print(f"stopped at {json.dumps(cases[len(outcomes)][1])}\n{run.stderr}")
        failed += len(cases) - len(outcomes)
    verified = len(cases) - refused - failed
    counts = ", ".join(f"{seen[feature]} {feature}" for feature in features)
    missing = [feature for feature in features if not seen[feature]]
    print(f"{verified} verified, {refused} refused, {failed} failed; {counts}")
    print(f"never run: {', '.join(missing) or 'none'}")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, draw_case, FEATURES))
