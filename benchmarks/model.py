#!/usr/bin/env python3
"""Sets what the cost model predicts against what the emulator counts.

Terms: for each contraction of cases/contractions.json at full extents, with the
schedule that the compiler takes and with the best of the search, each predicted
amount over the counted one. Ranks: for some contractions and many schedules
each, drawn at random among legal ones, how well the order of predicted times is
that of counted ones (Spearman's rank correlation). Writes reports/model.csv and
reports/model.md into the build folder. Nothing is measured.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys

import problems

# Name of a column, and where the number is in a launch, predicted or counted.
TERMS = {
    "load_sectors": ("global_loads", "sectors"),
    "store_sectors": ("global_stores", "sectors"),
    "fill_wavefronts": ("shared_stores", "wavefronts"),
    "read_wavefronts": ("shared_loads", "wavefronts"),
    "instructions": ("instructions",),
    "arithmetic": ("terms", "f32|f64", "amount"),
    "integer": ("terms", "integer", "amount"),
    "memory": ("terms", "memory", "amount"),
    "l2": ("terms", "l2", "amount"),
    "dram": ("terms", "dram", "amount"),
    "seconds": ("seconds",),
}
RANKED = "tccg_01,tccg_07,tccg_13,tccg_19,tccg_21,tccg_31,sd1_3,sd2_5,s1_5,mm_nt"
COLUMNS = ["problem", "dtype", "which", "registers", "predicted_registers"]
COLUMNS += ["predicted_us", "latency_us", "counted_us", "limiter", "counted_limiter"]
COLUMNS += list(TERMS) + ["schedule"]


def find(launch, path):
    """The number at `path`; one of several names may be there. None: nowhere."""
    for names in path:
        launch = next((launch[n] for n in names.split("|") if n in launch), None)
        if launch is None:
            return None
    return launch


def einsum_options(problem, dtype, chip):
    return [
        f"--einsum={problem['einsum']}",
        f"--sizes={problems.format_sizes(problem['sizes'])}",
        f"--dtype={dtype}",
        f"--chip={chip}",
    ]


class Case:
    """One contraction, and the tools to try schedules on it."""

    def __init__(self, options, problem, dtype):
        self.options, self.problem, self.dtype = options, problem, dtype
        command = [self.tool("tc-compile"), *einsum_options(problem, dtype, options.chip)]
        run = subprocess.run(command + ["--emit=tc"], capture_output=True, text=True, check=True)
        self.program = run.stdout
        self.default = re.search(r"#tc\.schedule<[^>]*>", self.program).group(0)

    def tool(self, name):
        return os.path.join(self.options.build, "bin", name)

    def find_best(self, count):
        """The schedules that the search finds, best first."""
        text = re.sub(r" \{schedule = #tc\.schedule<[^>]*>\}", "", self.program)
        flag = f"--tc-schedule=chip={self.options.chip} explain={count}"
        run = subprocess.run(
            [self.tool("tc-opt"), flag, "-o", os.devnull],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        return re.findall(r"best \d+: (#tc\.schedule<[^>]*>)", run.stderr)

    def draw(self, source):
        """A schedule at random; it may be illegal."""
        space, _, rest = self.program.partition("tc.contract (")[2].partition(")")
        extents = {n: int(e) for n, e in re.findall(r"(\w+) = (\d+)", space)}
        results = re.search(r"outs\(%\w+\[([^\]]*)\]", rest).group(1).split(", ")
        lists = {
            "thread": spread(source, results, extents, source.choice([64, 128, 256])),
            "register": spread(source, results, extents, source.choice([4, 16, 32, 64])),
            "step": spread(
                source, [i for i in extents if i not in results], extents, source.choice([4, 8, 16])
            ),
        }
        texts = [
            f"{name} = [{', '.join(f'{i} = {f}' for i, f in factors.items())}]"
            for name, factors in lists.items()
            if factors
        ]
        return f"#tc.schedule<{', '.join(texts + ['kernel = fma'])}>"

    def count(self, schedule):
        """(predicted, counted, report) of one schedule; None where it is refused."""
        command = [
            self.tool("tc-run"),
            *einsum_options(self.problem, self.dtype, self.options.chip),
            "--count",
            f"--sample-blocks={self.options.sample_blocks}",
            "--report=json",
            f"--schedule={schedule}",
        ]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            if "illegal schedule" in run.stderr or "workgroup memory" in run.stderr:
                return None
            raise RuntimeError(run.stderr)
        report = json.loads(run.stdout)
        if len(report["counted"]) != 1 or "seconds" not in report["predicted"][0]:
            return None
        return report["predicted"][0], report["counted"][0], report


def spread(source, iterators, extents, target):
    """Factors whose product is at most `target`, over iterators in any order."""
    factors = {}
    for iterator in source.sample(iterators, len(iterators)):
        options = [f for f in (1, 2, 3, 4, 8, 16, 32, 64) if f <= min(target, extents[iterator])]
        factor = source.choice(options[-3:])
        if factor > 1:
            factors[iterator] = factor
        target //= factor
    # The last is the fastest thread: half of the time the fastest iterator.
    if source.random() < 0.5:
        factors = dict(sorted(factors.items(), key=lambda item: list(extents).index(item[0])))
    return factors


def make_row(case, which, schedule):
    found = case.count(schedule)
    if found is None:
        return None
    predicted, counted, report = found
    row = dict.fromkeys(COLUMNS, "")
    row.update(
        problem=case.problem["name"],
        dtype=case.dtype,
        which=which,
        registers=report["registers"],
        predicted_registers=predicted["registers"],
        predicted_us=round(predicted["seconds"] * 1e6, 2),
        latency_us=round(predicted["latency_seconds"] * 1e6, 2),
        counted_us=round(counted["seconds"] * 1e6, 2),
        limiter=predicted["limiter"],
        counted_limiter=counted["limiter"],
        schedule=schedule,
    )
    for name, path in TERMS.items():
        ours, theirs = find(predicted, path), find(counted, path)
        if ours and theirs:
            row[name] = round(ours / theirs, 4)
    return row


def find_rank_correlation(first, second):
    """Spearman's, equal values sharing a rank."""

    def rank(values):
        order = sorted(values)
        return [(2 * order.index(v) + order.count(v) - 1) / 2 for v in values]

    a, b = rank(first), rank(second)
    mean_a, mean_b = statistics.mean(a), statistics.mean(b)
    spread_a = math.sqrt(sum((x - mean_a) ** 2 for x in a))
    spread_b = math.sqrt(sum((y - mean_b) ** 2 for y in b))
    if not spread_a or not spread_b:
        return 1.0
    return sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b)) / (spread_a * spread_b)


def rank_case(options, problem, dtype, pool):
    """Rows of schedules drawn at random, and one line of the summary."""
    case, source = Case(options, problem, dtype), random.Random(problem["name"])
    drawn = []
    while len(drawn) < 4 * options.schedules:
        drawn.append(case.draw(source))
    drawn = list(dict.fromkeys(case.find_best(3) + [case.default] + drawn))
    rows = []
    for start in range(0, len(drawn), options.jobs):
        if len(rows) >= options.schedules:
            break
        part = drawn[start : start + options.jobs]
        rows += [r for r in pool.map(lambda s: make_row(case, "drawn", s), part) if r]
    predicted = [row["predicted_us"] for row in rows]
    counted = [row["counted_us"] for row in rows]
    chosen = counted[predicted.index(min(predicted))]
    line = (
        f"| {problem['name']} {dtype} | {len(rows)} "
        f"| {find_rank_correlation(predicted, counted):.3f} "
        f"| {min(counted):.1f} | {chosen:.1f} | {statistics.median(counted):.1f} |"
    )
    return rows, line


def summarise(rows):
    lines = ["| predicted / counted | kernels | geometric mean | least | most |"]
    lines += ["|---|---|---|---|---|"]
    for name in TERMS:
        group = [row for row in rows if row[name] not in ("", 0)]
        if not group:
            continue
        values = [row[name] for row in group]
        mean = math.exp(statistics.mean(math.log(v) for v in values))
        least, most = (f(group, key=lambda row: row[name]) for f in (min, max))
        lines.append(
            f"| {name} | {len(group)} | {mean:.3f} "
            f"| {least[name]} ({least['problem']} {least['dtype']} {least['which']}) "
            f"| {most[name]} ({most['problem']} {most['dtype']} {most['which']}) |"
        )
    return lines


def compare_best(rows):
    """How the search's choice does against the compiler's, counted."""
    times = {}
    for row in rows:
        times.setdefault((row["problem"], row["dtype"]), {})[row["which"]] = row["counted_us"]
    ratios = {k: t["best"] / t["default"] for k, t in times.items() if len(t) == 2}
    if not ratios:
        return []
    mean = math.exp(statistics.mean(math.log(v) for v in ratios.values()))
    least, most = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
    return [
        f"best of the search / default, counted time: geometric mean {mean:.3f}, "
        f"least {ratios[least]:.3f} ({' '.join(least)}), most {ratios[most]:.3f} "
        f"({' '.join(most)})"
    ]


def count_terms(options, pool):
    def count_one(arguments):
        case = Case(options, *arguments)
        chosen = [("default", case.default)] + [("best", s) for s in case.find_best(1)]
        return [row for which, s in chosen if (row := make_row(case, which, s))]

    cases = [
        (problem, dtype)
        for problem in problems.load()
        if not options.problems or problem["name"] in options.problems.split(",")
        for dtype in options.dtypes.split(",")
    ]
    return [row for rows in pool.map(count_one, cases) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--ranked", default=RANKED, help="problems to rank schedules of")
    parser.add_argument("--schedules", type=int, default=32, help="of each of these")
    parser.add_argument("--sample-blocks", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    lines = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = count_terms(options, pool)
        lines += summarise(rows) + [""] + compare_best(rows)
        print("\n".join(lines), flush=True)
        head = ["", "| problem | schedules | rank correlation | counted us, least | "]
        head[1] += "of the one predicted best | median |"
        ranks = head + ["|---|---|---|---|---|---|"]
        print("\n".join(ranks), flush=True)
        for problem in problems.load():
            if problem["name"] not in options.ranked.split(","):
                continue
            for dtype in options.dtypes.split(","):
                more, line = rank_case(options, problem, dtype, pool)
                rows += more
                ranks.append(line)
                print(line, flush=True)
    reports = os.path.join(options.build, "reports")
    os.makedirs(reports, exist_ok=True)
    with open(os.path.join(reports, "model.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    with open(os.path.join(reports, "model.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ranks) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
