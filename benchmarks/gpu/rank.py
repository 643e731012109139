#!/usr/bin/env python3
"""Sets measured times of schedules against those predicted and simulated.

`rank.py make --output=DIR` tries legal schedules as benchmarks/ranks.py does, half
of them drawn at random, half among the best that the search knows, and writes a
bundle with a kernel of each, and DIR/ranks.json with its predicted and simulated
times. `run --bundle=DIR` measures them on a GPU, and `rank.py report DIR RESULT.json`
writes a row per problem: Spearman's rank correlation of each kind of time with the
measured one, and what the compiler's schedule takes over the fastest that was tried.
"""

import argparse
import concurrent.futures
import json
import math
import os
import random
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import model  # noqa: E402
import ranks  # noqa: E402
import static  # noqa: E402
from harness import bundle, main, problem, results  # noqa: E402

KINDS = ("predicted_us", "simulated_us", "simulated_b_us")
COLUMNS = ["problem", "dtype", "schedules"]
COLUMNS += [f"rank_correlation_{kind[:-3]}" for kind in KINDS]
COLUMNS += [f"rank_correlation_{kind[:-3]}_known" for kind in KINDS]
COLUMNS += [f"measured_over_{kind[:-3]}" for kind in KINDS]
COLUMNS += ["chosen_us", "least_us", "chosen_over_least", "least_schedule"]
SCHEDULE_COLUMNS = ["problem", "dtype", "kind", *KINDS, "measured_us", "schedule"]


def try_schedules(options, case):
    """Rows of schedules with their times: the compiler's, known ones, drawn ones."""
    case = model.Case(options, *case)
    source, half = random.Random(case.problem["name"]), options.schedules // 2
    known = case.find_best(8 * half)
    known = source.sample(known, min(len(known), half))
    drawn = (ranks.draw(case, source) for _ in range(40 * half))
    rows = []
    for kind, schedules, wanted in (
        ("chosen", [case.chosen], 1),
        ("known", known, half),
        ("drawn", drawn, half),
    ):
        for schedule, times in ranks.simulate_times(case, schedules, wanted).items():
            row = {"problem": case.problem["name"], "dtype": case.dtype, "kind": kind}
            row["variant"] = "search" if kind == "chosen" else f"{kind}-{len(rows):02}"
            rows.append(row | {"schedule": schedule} | dict(zip(KINDS, times)))
    bundle.print_progress(f"{case.problem['name']} {case.dtype}: {len(rows)} schedules")
    return rows


def make(options):
    """Writes the bundle and the table beside it."""
    cases = model.choose_cases(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tried = list(pool.map(lambda case: try_schedules(options, case), cases))
    rows, wanted = [], []
    for (contraction, dtype), found in zip(cases, tried):
        (measured,) = problem.load([contraction], [dtype])
        rows += found
        wanted += [(measured, options.chip, row["variant"], row["schedule"]) for row in found]
    commit = results.find_commit()
    faults = bundle.make(
        options.build,
        options.output,
        wanted,
        jobs=options.jobs,
        commit=commit,
        progress=bundle.print_progress,
    )
    for fault in faults:
        print(f"FAILED {fault}")
    bundle.write_json(os.path.join(options.output, "ranks.json"), {"commit": commit, "rows": rows})
    return 1 if faults else 0


def join(table, run):
    """The rows of each problem that have a measured time, with it."""
    measured = {
        (row["problem"], row["dtype"], row["contender"]): row["time_us"]
        for row in run["rows"]
        if row["status"] == "right"
    }
    joined = {}
    for row in table["rows"]:
        name = "tc" if row["variant"] == "search" else f"tc-{row['variant']}"
        time = measured.get((row["problem"], row["dtype"], name))
        if time:
            key = (row["problem"], row["dtype"])
            joined.setdefault(key, []).append(row | {"measured_us": time})
    return joined


def summarise_problem(key, rows):
    """The row of one problem; None without the compiler's schedule, or with too few."""
    chosen = [row for row in rows if row["kind"] == "chosen"]
    others = [row for row in rows if row["kind"] != "chosen"]
    if not chosen or len(others) < 4:
        return None
    least = min(others, key=lambda row: row["measured_us"])
    made = dict.fromkeys(COLUMNS, "")
    made.update(problem=key[0], dtype=key[1], schedules=len(others))
    for kind in KINDS:
        if kind not in chosen[0]:  # Level B was not asked for.
            continue
        pairs = [(row[kind], row["measured_us"]) for row in others]
        known = [(row[kind], row["measured_us"]) for row in others if row["kind"] == "known"]
        ratios = [math.log(measured / time) for time, measured in pairs]
        name = kind[:-3]
        made[f"rank_correlation_{name}"] = round(ranks.find_rank_correlation(pairs), 3)
        if len(known) > 3:
            made[f"rank_correlation_{name}_known"] = round(ranks.find_rank_correlation(known), 3)
        made[f"measured_over_{name}"] = round(math.exp(statistics.mean(ratios)), 3)
    made.update(
        chosen_us=round(chosen[0]["measured_us"], 2),
        least_us=round(least["measured_us"], 2),
        chosen_over_least=round(chosen[0]["measured_us"] / least["measured_us"], 3),
        least_schedule=least["schedule"],
    )
    return made


def shorten(row):
    """The row of one schedule, times to a hundredth of a microsecond."""
    times = {kind: round(row[kind], 2) for kind in (*KINDS, "measured_us") if kind in row}
    return {name: (row | times).get(name, "") for name in SCHEDULE_COLUMNS}


def report(options):
    with open(os.path.join(options.bundle, "ranks.json"), encoding="utf-8") as file:
        table = json.load(file)
    run = results.load(options.result)
    joined = join(table, run)
    made = [summarise_problem(*item) for item in joined.items()]
    made = [row for row in made if row]
    if not made:
        raise results.ResultsError(f"{options.result}: expected times of this bundle, found none")
    head = [
        f"device: {run['device']}",
        f"commit: {table['commit']}",
        f"date: {run['started'][:10]}",
        "measured on that device; predicted by the cost model, simulated by levels A and B",
    ]
    columns = [(name, min) for name in COLUMNS if name.startswith("rank")]
    columns += [(name, max) for name in COLUMNS if "_over_" in name]
    columns = [(name, worst) for name, worst in columns if all(r[name] != "" for r in made)]
    name_row = lambda row: f"{row['problem']} {row['dtype']}"  # noqa: E731
    print("\n".join(ranks.summarise_columns(made, name_row, columns)))
    if options.output:
        static.write_csv(options.output, made, head, COLUMNS)
    if options.schedules:
        rows = [shorten(row) for rows in joined.values() for row in rows]
        static.write_csv(options.schedules, rows, head, SCHEDULE_COLUMNS)
    return 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make", help="write a bundle of schedules")
    model.add_options(maker, main.find_build())
    maker.add_argument("--level-b", action="store_true", help="simulate by level B, too")
    maker.add_argument("--output", required=True, help="folder of the bundle")
    maker.add_argument("--schedules", type=int, default=16, help="of each problem")
    reporter = commands.add_parser("report", help="read what was measured")
    reporter.add_argument("bundle", help="folder of the bundle")
    reporter.add_argument("result", help="result file of `run`")
    reporter.add_argument("--output", help="table of problems to write, as CSV")
    reporter.add_argument("--schedules", help="table of all schedules to write, as CSV")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        options = parse_arguments()
        sys.exit(make(options) if options.command == "make" else report(options))
    except (bundle.BundleError, results.ResultsError, ValueError, OSError) as error:
        print(f"rank.py: error: {error}", file=sys.stderr)
        sys.exit(2)
