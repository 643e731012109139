#!/usr/bin/env python3
"""Compiles every contraction of cases/contractions.json at full extents, runs
some blocks of each kernel on the emulator, and sets what they count against
what the problem needs at least.

Writes reports/counted.csv and reports/counted.md into the build folder, and with
--save also results/counted.csv here. Nothing is measured: counted times are the
emulator's (docs/Emulator.md), and a floor is the larger of two times, that of
the flops at the chip's peak and that of moving each element once. Goals that are
missed are listed; the exit status is 1 only when a problem is not counted.
"""

import argparse
import concurrent.futures
import json
import math
import os
import statistics
import subprocess
import sys
import time

import problems
import static

COLUMNS = [
    "problem",
    "dtype",
    "floor_us",  # the larger of the two that follow
    "floor_bytes_us",
    "floor_flops_us",
    "predicted_us",  # by the cost model of the schedule search
    "counted_us",
    "counted_over_floor",
    "binds",
    "registers",
    "spill_bytes",
    "occupancy",
    "blocks",
    "waves",
    "useful_share",
    "load_sectors",  # these four: over the ideal
    "store_sectors",
    "shared_wavefronts",
    "shared_store_wavefronts",
    "fma_share",  # of the instructions of the main loop
    "fma_share_all",  # of all instructions
    "local_requests",
    "blocks_run",
    "seconds",  # that counting took here
    "einsum",
    "schedule",
]

# Name, column, which rows, how rows become one number, goal, "least" or "most".
COMPUTE_BOUND = "compute-bound f32"
GOALS = [
    ("useful share, mean over TCCG", "useful_share", "tccg", "mean", 0.93, "least"),
    ("useful share, worst over TCCG", "useful_share", "tccg", "min", 0.80, "least"),
    ("load sectors / ideal", "load_sectors", "all", "geomean", 1.15, "most"),
    ("load sectors / ideal, worst", "load_sectors", "all", "max", 2.0, "most"),
    ("store sectors / ideal", "store_sectors", "all", "geomean", 1.05, "most"),
    ("store sectors / ideal, worst", "store_sectors", "all", "max", 2.0, "most"),
    ("shared wavefronts / ideal", "shared_wavefronts", "all", "mean", 1.10, "most"),
    ("shared wavefronts / ideal, worst", "shared_wavefronts", "all", "max", 1.5, "most"),
    ("FMA share, worst", "fma_share", COMPUTE_BOUND, "min", 0.85, "least"),
    ("counted / floor", "counted_over_floor", "floor over 50 us", "geomean", 1.35, "most"),
    ("counted / floor", "counted_over_floor", "floor up to 50 us", "geomean", 1.8, "most"),
    ("spilled bytes, worst", "spill_bytes", "all", "max", 0, "most"),
    ("local memory requests, worst", "local_requests", "all", "max", 0, "most"),
]
ROWS = {
    "all": lambda row: True,
    "tccg": lambda row: row["problem"].startswith("tccg"),
    COMPUTE_BOUND: lambda row: row["dtype"] == "f32"
    and row["floor_flops_us"] > row["floor_bytes_us"],
    "floor over 50 us": lambda row: row["floor_us"] > 50,
    "floor up to 50 us": lambda row: row["floor_us"] <= 50,
}
REDUCE = {
    "mean": statistics.mean,
    "geomean": lambda values: math.exp(statistics.mean(math.log(v) for v in values)),
    "min": min,
    "max": max,
}
BYTES = {"f32": 4, "f64": 8}
PEAKS = {"f32": "f32_ffma_tflops", "f64": "f64_tensor_tflops"}


def find_floors(problem, dtype, peaks):
    """Microseconds for the bytes and for the flops, at the chip's peak rates."""
    moved = problem["elements"] * BYTES[dtype]
    return (
        moved / (peaks["hbm_tb_s"] * 1e12) * 1e6,
        problem["flops"] / (peaks[PEAKS[dtype]] * 1e12) * 1e6,
    )


def ratio(launches, kinds, name):
    """The sum of `name` over that of its ideal; "" where there is none."""
    found = sum(launch[kind][name] for launch in launches for kind in kinds)
    ideal = sum(launch[kind][f"ideal_{name}"] for launch in launches for kind in kinds)
    return round(found / ideal, 4) if ideal else ""


def find_limiter(launches):
    """What takes longest; "launch" where starting the kernel does."""
    longest = max(launches, key=lambda launch: launch["seconds"])
    work = longest["seconds"] - longest["launch_seconds"]
    return "launch" if work < longest["launch_seconds"] else longest["limiter"]


def fill(row, report):
    """Takes what the report of a count says into a row."""
    for name in ("registers", "spill_bytes", "occupancy", "useful_share", "schedule"):
        row[name] = "" if report[name] is None else report[name]
    launches = report["counted"]
    counted = sum(launch["seconds"] for launch in launches) * 1e6
    row["counted_us"] = round(counted, 2)
    row["counted_over_floor"] = round(counted / row["floor_us"], 3)
    row["binds"] = find_limiter(launches)
    main = max(launches, key=lambda launch: launch["seconds"])
    row["blocks"] = sum(launch["blocks"] for launch in launches)
    row["blocks_run"] = sum(launch["blocks_run"] for launch in launches)
    row["waves"] = "" if main["waves"] is None else round(main["waves"], 2)
    row["load_sectors"] = ratio(launches, ["global_loads"], "sectors")
    row["store_sectors"] = ratio(launches, ["global_stores"], "sectors")
    shared = ["shared_loads", "shared_stores"]
    row["shared_wavefronts"] = ratio(launches, shared, "wavefronts")
    row["shared_store_wavefronts"] = ratio(launches, shared[1:], "wavefronts")
    row["local_requests"] = sum(launch["local"]["requests"] for launch in launches)
    loop = main["main_loop"]
    if loop:
        row["fma_share"] = round(loop["multiply_adds"] / loop["instructions"], 4)
        row["fma_share_all"] = round(main["multiply_adds"] / main["instructions"], 4)


def count_one(tool, problem, dtype, peaks, options):
    """One row of the table, and the problem's error ("" when there is none)."""
    command = [
        tool,
        f"--einsum={problem['einsum']}",
        f"--sizes={problems.format_sizes(problem['sizes'])}",
        f"--dtype={dtype}",
        f"--chip={options.chip}",
        "--count",
        f"--sample-blocks={options.sample_blocks}",
        "--report=json",
    ]
    start = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    row = dict.fromkeys(COLUMNS, "")
    moved, computed = find_floors(problem, dtype, peaks)
    row.update(
        problem=problem["name"],
        einsum=problem["einsum"],
        dtype=dtype,
        floor_bytes_us=round(moved, 2),
        floor_flops_us=round(computed, 2),
        floor_us=round(max(moved, computed), 2),
        seconds=round(time.monotonic() - start, 1),
    )
    if run.returncode != 0:
        return row, run.stderr.strip() or f"exit status {run.returncode}"
    fill(row, json.loads(run.stdout))
    return row, ""


def count_all(tool, options):
    """Rows in a fixed order, and the faults."""
    peaks = problems.load_peaks()
    cases = [
        (problem, dtype)
        for problem in problems.load()
        if not options.problems or problem["name"] in options.problems.split(",")
        for dtype in options.dtypes.split(",")
    ]
    rows, faults = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda case: count_one(tool, *case, peaks, options), cases)
        for row, fault in found:
            rows.append(row)
            if fault:
                faults.append(f"{row['problem']} {row['dtype']}: {fault}")
            if options.verbose:
                print(" | ".join(str(row[name]) for name in COLUMNS[:-2]), flush=True)
    return rows, faults


def summarise(rows):
    """Lines that set what was found against each goal."""
    lines = ["| | rows | found | goal | met | worst at |", "|---|---|---|---|---|---|"]
    for title, column, which, reduce, goal, side in GOALS:
        group = [row for row in rows if row[column] != "" and ROWS[which](row)]
        if not group:
            continue
        found = REDUCE[reduce]([row[column] for row in group])
        is_most = side == "most"
        worst = (max if is_most else min)(group, key=lambda row: row[column])
        met = found <= goal if is_most else found >= goal
        how = "" if reduce in ("min", "max") else f", {reduce}"
        lines.append(
            f"| {title}{how} | {len(group)}, {which} | {found:.3f} | "
            f"{'<=' if is_most else '>='} {goal} | {'yes' if met else 'no'} | "
            f"{worst['problem']} {worst['dtype']}: {worst[column]} |"
        )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--sample-blocks", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", action="store_true", help="also write results/")
    parser.add_argument("--verbose", action="store_true", help="print each row")
    options = parser.parse_args()

    rows, faults = count_all(os.path.join(options.build, "bin", "tc-run"), options)
    if not rows:
        parser.error("expected problems of these names, found none")
    _, commit = static.describe_machine()
    head = [
        f"chip: {options.chip}",
        f"commit: {commit}",
        f"counted on the emulator from {options.sample_blocks} blocks of each grid, not measured",
    ]
    reports = os.path.join(options.build, "reports")
    summary = summarise(rows)
    static.write_csv(os.path.join(reports, "counted.csv"), rows, head, COLUMNS)
    title = "Kernels of the contractions, counted"
    static.write_markdown(os.path.join(reports, "counted.md"), title, rows, head, summary, COLUMNS)
    if options.save:
        here = os.path.dirname(os.path.abspath(__file__))
        static.write_csv(os.path.join(here, "results", "counted.csv"), rows, head, COLUMNS)
    print("\n".join(summary))
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{len(rows)} kernels, {len(faults)} faults; table in {reports}/counted.md")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
