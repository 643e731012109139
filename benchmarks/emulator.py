#!/usr/bin/env python3
"""Times the emulator against the same work as loops, on one core.

Six kernels run with no checks, with those of bounds, with all, and, but for the one
with wgmma, with every warp masked, and thread by thread; and their work as loops that
are split at the barriers, by clang -O2 (emulator/Loops.h). Runs of all of them
alternate; a time is the median, in milliseconds of processor time, of code already
compiled, and a ratio is the median over the runs of time / time of the loops. All
results are compared in the same run. Compile time is what the first launch of one
block takes more than the second, by instruction of the kernel's PTX.

Writes reports/emulator.csv and reports/emulator.md into the build folder, and with
--save also results/emulator.csv here. With --check the exit status is 1 when a
target is missed.
"""

import argparse
import csv
import datetime
import json
import os
import re
import statistics
import subprocess
import sys

import problems
from static import describe_machine

# Kernels.cpp has the others. The schedule is that of the loops.
CONTRACTION = [
    "--einsum=cefg,gdba->fedcba",
    "--sizes=" + problems.format_sizes(dict.fromkeys("abcdefg", 16)),
    "--schedule=#tc.schedule<thread = [c = 16, ba = 16], "
    "register = [e = 8, ba = 8], step = [g = 16], kernel = fma>",
    "--chip=sm_80",
]
WAYS = ["none", "bounds", "all", "masked", "threads"]
EFFORTS = ["quick", "optimized"]
# At most so many times the loops, as a geometric mean; ms per instruction.
RATIO_LIMITS = {"none": 3, "all": 15, "masked": 10}
# Written by hand, and its work as a loop over rows, terms and columns.
WGMMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "emulator", "wgmma.ptx")
COMPILE_LIMITS = {"none": 0.3, "all": 1}
COLUMNS = (
    ["kernel", "instructions", "loops_ms"]
    + [f"{way}_ms" for way in WAYS]
    + [f"{way}_ratio" for way in WAYS]
    + [f"compile_{way}_{effort}" for way in WAYS for effort in EFFORTS]
)


def count_instructions(text):
    """PTX instructions by kernel; directives and labels are none."""
    counts = {}
    for match in re.finditer(r"\.entry\s+(\w+)\(.*?\)[^{]*\{(.*?)\n\}", text, re.DOTALL):
        lines = [line.split("//")[0].strip() for line in match.group(2).splitlines()]
        counts[match.group(1)] = sum(
            line.endswith(";") and not line.startswith(".") for line in lines
        )
    return counts


def run_tool(command):
    """What the program writes; ends with its message when it fails."""
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr.strip() or f"{command[0]}: exit status {run.returncode}")
    return run.stdout


def make_row(result, instructions):
    """Medians of one kernel's runs."""
    runs, compilations = result["run_ms"], result["compile_ms"]
    row = dict.fromkeys(COLUMNS, "")
    row |= {"kernel": result["kernel"], "instructions": instructions}
    row["loops_ms"] = statistics.median(runs["loops"])
    for way in WAYS:
        if way not in runs:  # it would take minutes
            continue
        row[f"{way}_ms"] = statistics.median(runs[way])
        ratios = [time / base for time, base in zip(runs[way], runs["loops"])]
        row[f"{way}_ratio"] = statistics.median(ratios)
        for effort in EFFORTS:
            time = statistics.median(compilations[f"{way}_{effort}"])
            row[f"compile_{way}_{effort}"] = time / instructions
    return row


def make_mean(rows):
    """The row of geometric means of the ratios and of the compile times."""
    mean = dict.fromkeys(COLUMNS, "")
    mean["kernel"] = "geometric mean"
    rows = [row for row in rows if row["kernel"] != "wgmma"]  # has a target of its own
    for column in COLUMNS:
        if column.endswith("_ratio") or column.startswith("compile_"):
            # A difference of two launches may come out as 0.
            if rows:
                mean[column] = statistics.geometric_mean(max(row[column], 1e-6) for row in rows)
    return mean


def format_cell(value):
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def format_table(titles, columns, rows):
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for row in rows:
        lines.append("| " + " | ".join(format_cell(row[column]) for column in columns) + " |")
    return "\n".join(lines) + "\n"


def format_tables(rows):
    times = ["kernel", "loops_ms"] + [f"{way}_ms" for way in WAYS]
    times += [f"{way}_ratio" for way in WAYS]
    titles = ["kernel", "loops ms"] + [f"{way} ms" for way in WAYS] + [f"{way} x" for way in WAYS]
    compilations = [column for column in COLUMNS if column.startswith("compile_")]
    compile_titles = [column[8:].replace("_", ", ") for column in compilations]
    return (
        format_table(titles, times, rows)
        + "\nMilliseconds of compilation per PTX instruction:\n\n"
        + format_table(
            ["kernel", "instructions"] + compile_titles,
            ["kernel", "instructions"] + compilations,
            rows,
        )
    )


def find_misses(rows):
    """Targets that are missed, as text."""
    *kernels, mean = rows
    for row in kernels:
        if row["kernel"] == "wgmma" and row["all_ratio"] > RATIO_LIMITS["all"]:
            yield (
                f"wgmma, all: {row['all_ratio']:.3g} times the loops,"
                f" at most {RATIO_LIMITS['all']} wanted"
            )
    for way, limit in RATIO_LIMITS.items():
        if mean[f"{way}_ratio"] != "" and mean[f"{way}_ratio"] > limit:
            yield f"{way}: {mean[f'{way}_ratio']:.3g} times the loops, at most {limit} wanted"
    for way, limit in COMPILE_LIMITS.items():
        for effort in EFFORTS:
            time = mean[f"compile_{way}_{effort}"]
            if time != "" and time > limit:
                yield f"compile {way}, {effort}: {time:.3g} ms an instruction, at most {limit} wanted"


def write_csv(path, head, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for line in head)
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: format_cell(value) for name, value in row.items()})


def measure(build, runs, only):
    """One row a kernel, and that of the means."""
    bench = os.path.join(build, "benchmarks", "emulator")
    paths = [os.path.join(bench, name) for name in ("kernels.ptx", "contraction.ptx")]
    run_tool([os.path.join(build, "bin", "tc-compile"), *CONTRACTION, "-o", paths[1]])
    instructions = {}
    for path in [*paths, WGMMA]:
        with open(path, encoding="utf-8") as file:
            instructions.update(count_instructions(file.read()))
    command = [os.path.join(build, "bin", "tc-bench-emulator"), f"--runs={runs}"]
    command += [f"--kernels={paths[0]}", f"--contraction={paths[1]}", f"--wgmma={WGMMA}"]
    results = json.loads(run_tool(command + ([f"--only={only}"] if only else [])))
    if not results:
        sys.exit(f"expected names of kernels, got '{only}'")
    rows = [make_row(result, instructions[result["kernel"]]) for result in results]
    return rows + [make_mean(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--runs", type=int, default=5, help="of which the median is taken")
    parser.add_argument("--only", default="", help="names of kernels; default all")
    parser.add_argument("--json", action="store_true", help="print JSON, no tables")
    parser.add_argument("--save", action="store_true", help="also write results/")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    options = parser.parse_args()

    rows = measure(options.build, options.runs, options.only)
    processor, commit = describe_machine()
    head = [
        f"machine: {processor}, one core used",
        f"commit: {commit}, {datetime.date.today()}",
        f"median of {options.runs} runs, measured; times in milliseconds, of compilation "
        "in milliseconds per PTX instruction",
    ]
    reports = os.path.join(options.build, "reports")
    write_csv(os.path.join(reports, "emulator.csv"), head, rows)
    with open(os.path.join(reports, "emulator.md"), "w", encoding="utf-8") as file:
        file.write("# The emulator against loops\n\n")
        file.write("".join(f"{line}  \n" for line in head) + "\n" + format_tables(rows))
    if options.save:
        here = os.path.dirname(os.path.abspath(__file__))
        write_csv(os.path.join(here, "results", "emulator.csv"), head, rows)
    misses = list(find_misses(rows))
    if options.json:
        print(json.dumps({"about": head, "rows": rows, "missed": misses}, indent=2))
    else:
        print("\n".join(head) + "\n\n" + format_tables(rows))
        print("\n".join(f"MISSED {miss}" for miss in misses) or "every target is met")
    return 1 if options.check and misses else 0


if __name__ == "__main__":
    sys.exit(main())
