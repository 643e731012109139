#!/usr/bin/env python3
"""Compiles every contraction of cases/contractions.json and tabulates what the
compiler and ptxas say about the kernels. Nothing is run.

Writes reports/static.csv and reports/static.md into the build folder, and with
--save also results/static-CHIP.csv here. The exit status is 1 when a kernel
spills, exceeds a limit, or does not compile.

Useful share: results / (result places of all block tiles). It is what partial
tiles leave of the accumulators' work; 1 where the tiles divide the extents.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import platform
import statistics
import subprocess
import sys

import problems

COLUMNS = [
    "problem",
    "einsum",
    "dtype",
    "chip",
    "registers",
    "spill_bytes",
    "shared_bytes",
    "occupancy",
    "useful_share",
    "ptx_ms",
    "ptxas_ms",
    "schedule",
]
# Einsum to PTX, without the start of the process: what a user waits for. The limits are of one chip
# and type.
TIMED = ("sm_90a", "f32")
MEDIAN_LIMIT_MS = 100
WORST_LIMIT_MS = 250
# What else the machine does only adds to a time, so the least of a few says most.
TIMED_RUNS = 3


def compile_one(tool, problem, dtype, chip, runs):
    """One row of the table, with the least times of `runs` compilations, and the problem's error
    ("" when there is none)."""
    command = [
        tool,
        f"--einsum={problem['einsum']}",
        f"--sizes={problems.format_sizes(problem['sizes'])}",
        f"--dtype={dtype}",
        f"--chip={chip}",
        "--report=json",
    ]
    row = dict.fromkeys(COLUMNS, "")
    row.update(problem=problem["name"], einsum=problem["einsum"], dtype=dtype, chip=chip)
    reports = []
    for _ in range(runs):
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return row, run.stderr.strip() or f"exit status {run.returncode}"
        reports.append(json.loads(run.stdout))
    for name in COLUMNS:
        if name in reports[0]:
            row[name] = "" if reports[0][name] is None else reports[0][name]
    times = [report["compile_ms"] for report in reports]
    row["ptx_ms"] = round(min(t["parse"] + t["lower"] + t["ptx"] for t in times), 1)
    assembled = [t["ptxas"] for t in times if t["ptxas"] is not None]
    row["ptxas_ms"] = round(min(assembled), 1) if assembled else ""
    return row, find_fault(row)


def find_fault(row):
    """Why the kernel of this row is not acceptable; "" when it is."""
    if row["registers"] == "":
        return "not assembled"
    if row["spill_bytes"] != 0:
        return f"spills {row['spill_bytes']} bytes"
    if row["occupancy"] == 0:
        return "exceeds a limit of the chip: no block fits"
    return ""


def compile_all(tool, jobs, chips, dtypes, names, runs):
    """Rows in a fixed order, and the faults."""
    cases = [
        (problem, dtype, chip)
        for problem in problems.load()
        if not names or problem["name"] in names
        for dtype in dtypes
        for chip in chips
    ]
    rows, faults = [], []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for row, fault in pool.map(lambda case: compile_one(tool, *case, runs), cases):
            rows.append(row)
            if fault:
                faults.append(f"{row['problem']} {row['dtype']} {row['chip']}: {fault}")
    return rows, faults


def describe_machine():
    """Processor and commit, for the head of each file."""
    processor = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            models = [l.split(":", 1)[1].strip() for l in file if l.startswith("model name")]
        processor = f"{len(models)} x {models[0]}" if models else processor
    except OSError:
        pass
    here = os.path.dirname(os.path.abspath(__file__))
    git = subprocess.run(
        ["git", "-C", here, "describe", "--always", "--dirty"],
        capture_output=True,
        text=True,
        check=False,
    )
    return processor, git.stdout.strip() or "unknown"


def summarise(rows):
    """Lines that say how each chip and type fared."""
    lines = [
        "| chip | dtype | problems | registers, most | occupancy, median | "
        "useful share, mean | useful share, least | "
        "PTX ms, median | PTX ms, worst |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    groups = sorted({(row["chip"], row["dtype"]) for row in rows})
    for chip, dtype in groups:
        group = [r for r in rows if (r["chip"], r["dtype"]) == (chip, dtype) and r["ptx_ms"] != ""]
        if not group:
            continue

        def column(name):
            return [row[name] for row in group if row[name] != ""]

        registers, occupancy = column("registers"), column("occupancy")
        useful, times = column("useful_share"), column("ptx_ms")
        lines.append(
            f"| {chip} | {dtype} | {len(group)} "
            f"| {max(registers) if registers else ''} "
            f"| {statistics.median(occupancy) if occupancy else '':.3} "
            f"| {statistics.mean(useful):.3f} | {min(useful):.3f} "
            f"| {statistics.median(times):.0f} | {max(times):.0f} |"
        )
    return lines


def write_csv(path, rows, head, columns):
    """A CSV file whose first lines, with #, are `head`."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        for line in head:
            file.write(f"# {line}\n")
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_markdown(path, title, rows, head, summary, columns):
    """The same as a table to read, with a summary before it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# {title}\n\n")
        file.write("".join(f"{line}  \n" for line in head) + "\n")
        file.write("\n".join(summary) + "\n\n")
        file.write("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|\n")
        for row in rows:
            cells = [str(row[name]) for name in columns]
            file.write("| " + " | ".join(cells) + " |\n")


def check_times(rows):
    """Faults of the time from einsum to PTX."""
    timed = [row for row in rows if (row["chip"], row["dtype"]) == TIMED]
    times = [row["ptx_ms"] for row in timed if row["ptx_ms"] != ""]
    if not times:
        return []
    faults = []
    for name, time, limit in (
        ("in the median", statistics.median(times), MEDIAN_LIMIT_MS),
        ("at worst", max(times), WORST_LIMIT_MS),
    ):
        if time > limit:
            faults.append(f"einsum to PTX takes {time:.1f} ms {name}, expected at most {limit}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chips", default="sm_80,sm_90a")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", action="store_true", help="also write results/")
    parser.add_argument(
        "--check-times",
        action="store_true",
        help=f"one at a time, the least of {TIMED_RUNS} runs each; fail when those of "
        f"{' and '.join(TIMED)} are too slow",
    )
    options = parser.parse_args()
    if options.check_times:
        if TIMED[0] not in options.chips.split(",") or TIMED[1] not in options.dtypes.split(","):
            parser.error(f"expected {' and '.join(TIMED)} for --check-times")
        options.jobs = 1

    rows, faults = compile_all(
        os.path.join(options.build, "bin", "tc-compile"),
        options.jobs,
        options.chips.split(","),
        options.dtypes.split(","),
        [name for name in options.problems.split(",") if name],
        TIMED_RUNS if options.check_times else 1,
    )
    if not rows:
        parser.error("expected problems of these names, found none")
    processor, commit = describe_machine()
    head = [
        f"machine: {processor}, {options.jobs} at a time"
        + (f", the least times of {TIMED_RUNS} runs" if options.check_times else ""),
        f"commit: {commit}",
        "predicted and assembled, not measured; times in milliseconds",
    ]
    reports = os.path.join(options.build, "reports")
    write_csv(os.path.join(reports, "static.csv"), rows, head, COLUMNS)
    title = "Kernels of the contractions, as compiled"
    markdown = os.path.join(reports, "static.md")
    write_markdown(markdown, title, rows, head, summarise(rows), COLUMNS)
    if options.save:
        here = os.path.dirname(os.path.abspath(__file__))
        write_csv(os.path.join(here, "results", "static.csv"), rows, head, COLUMNS)
    if options.check_times:
        faults += check_times(rows)

    print("\n".join(summarise(rows)))
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{len(rows)} kernels, {len(faults)} faults; table in {reports}/static.md")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
