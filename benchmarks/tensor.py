#!/usr/bin/env python3
"""Counts what kernels with tensor instructions take, beside what their instructions need.

The contractions of cases/contractions.json that arithmetic limits in f64 (CCSD: TCCG 12 to
30, and the matrix products), at full extents, in f64, in f32 with each --precision, in bf16,
and in complex numbers. A floor is the time that all multiply-adds take at the rate of
mma.sync, three of them for one of tf32x3 and four for one of complex numbers, or that of
moving each element once. Writes reports/tensor.csv and reports/tensor.md into the build folder, and
with --save also results/tensor.csv here. Nothing is measured. The exit status is 1 when a kernel
spills, or is not counted.
"""

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys

import problems
import static

# Name, dtype, precision, bytes of an element, the rate, and instructions for a product.
TYPES = {
    "f64": ("f64", "", 8, "mma_f64_flops", 1),
    "tf32x3": ("f32", "tf32x3", 4, "mma_tf32_flops", 3),
    "tf32": ("f32", "tf32", 4, "mma_tf32_flops", 1),
    "bf16x9": ("f32", "bf16x9", 4, "mma_f16_flops", 9),
    "bf16x6": ("f32", "bf16x6", 4, "mma_f16_flops", 6),
    "bf16x3": ("f32", "bf16x3", 4, "mma_f16_flops", 3),
    "bf16x1": ("f32", "bf16", 4, "mma_f16_flops", 1),
    "bf16": ("bf16", "", 2, "mma_f16_flops", 1),
    "c128": ("c128", "", 16, "mma_f64_flops", 4),
    "c64_tf32x3": ("c64", "tf32x3", 8, "mma_tf32_flops", 12),
    "c64_bf16x6": ("c64", "bf16x6", 8, "mma_f16_flops", 24),
}
COLUMNS = [
    "problem",
    "type",
    "floor_us",
    "counted_us",
    "counted_over_floor",
    "simulated_us",
    "simulated_over_floor",
    "simulated_b_us",
    "simulated_b_over_floor",
    "binds",
    "registers",
    "spill_bytes",
    "useful_share",
    "seconds_to_ptx",
    "einsum",
    "schedule",
]
LEGEND = (
    "floor_us is by the rates of mma.sync that the model has (include/tc/Target/Machine.h); times "
    "in microseconds: simulated_us by level A, simulated_b_us by level B."
)


def choose_problems():
    named = [problem["name"] for problem in problems.load()]
    ccsd = [f"tccg_{number}" for number in range(12, 31)]
    chosen = ccsd + [name for name in named if name.startswith("mm_")]
    return [problem for problem in problems.load() if problem["name"] in chosen]


def count_one(tool, problem, name, chip):
    """One row of the table, and the problem's error ("" when there is none)."""
    dtype, precision, width, rate, products = TYPES[name]
    command = [
        tool,
        f"--einsum={problem['einsum']}",
        f"--sizes={problems.format_sizes(problem['sizes'])}",
        f"--dtype={dtype}",
        f"--precision={precision}",
        f"--chip={chip}",
        "--count",
        "--simulate",
        "--sample-blocks=1",
        "--report=json",
    ]
    row = dict.fromkeys(COLUMNS, "")
    row.update(problem=problem["name"], type=name, einsum=problem["einsum"])
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return row, run.stderr.strip() or f"exit status {run.returncode}"
    report = json.loads(run.stdout)
    moved = problem["elements"] * width / report["rates"]["dram_bytes_per_second"]
    floor = max(moved, products * problem["flops"] / report["rates"][rate])
    counted = sum(launch["seconds"] for launch in report["counted"])
    simulated, traced = (
        sum(launch[level]["seconds"] for launch in report["counted"])
        for level in ("simulated", "simulated_b")
    )
    longest = max(report["counted"], key=lambda launch: launch["seconds"])
    kernels = report.get("kernels", [report])  # one of its own, or several
    row.update(
        floor_us=round(floor * 1e6, 2),
        counted_us=round(counted * 1e6, 2),
        counted_over_floor=round(counted / floor, 3),
        simulated_us=round(simulated * 1e6, 2),
        simulated_over_floor=round(simulated / floor, 3),
        simulated_b_us=round(traced * 1e6, 2),
        simulated_b_over_floor=round(traced / floor, 3),
        binds=longest["limiter"],
        registers=max(kernel["registers"] for kernel in kernels),
        spill_bytes=max(kernel["spill_bytes"] for kernel in kernels),
        useful_share=round(report["useful_share"], 4),
        seconds_to_ptx=round(sum(report["compile_ms"][stage] for stage in ("lower", "ptx")) / 1000, 2),
        schedule=report["schedule"],
    )
    spilled = row["spill_bytes"]
    return row, f"expected no spill, got {spilled} bytes" if spilled else ""


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summarise(rows):
    """For each type: geometric means over the CCSD problems and over the products."""
    lines = [
        "| type | problems | counted / floor | most | simulated / floor | most | level B | most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in TYPES:
        for kind in ("tccg", "mm"):
            chosen = [row for row in rows if row["type"] == name and row["problem"].startswith(kind) and row["binds"]]
            if not chosen:
                continue
            cells = [name, str(len(chosen))]
            for column in ("counted_over_floor", "simulated_over_floor", "simulated_b_over_floor"):
                worst = max(chosen, key=lambda row: row[column])
                cells.append(f"{geomean([row[column] for row in chosen]):.3f}")
                cells.append(f"{worst[column]:.3f} ({worst['problem']})")
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", action="store_true", help="also write results/")
    options = parser.parse_args()
    names = options.types.split(",")
    if unknown := [name for name in names if name not in TYPES]:
        parser.error(f"expected types of {', '.join(TYPES)}, got {unknown[0]}")
    tool = os.path.join(options.build, "bin", "tc-run")
    cases = [(problem, name) for name in names for problem in choose_problems()]
    rows, faults = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, fault in pool.map(lambda case: count_one(tool, *case, options.chip), cases):
            rows.append(row)
            if fault:
                faults.append(f"{row['problem']} {row['type']}: {fault}")
    _, commit = static.describe_machine()
    head = [f"chip: {options.chip}", f"commit: {commit}", "counted on the emulator from some blocks of each grid, not measured"]
    summary = summarise(rows)
    reports = os.path.join(options.build, "reports")
    static.write_csv(os.path.join(reports, "tensor.csv"), rows, head, COLUMNS)
    title = "Kernels with tensor instructions, counted"
    static.write_markdown(os.path.join(reports, "tensor.md"), title, rows, [*head, LEGEND], summary, COLUMNS)
    if options.save:
        here = os.path.dirname(os.path.abspath(__file__))
        static.write_csv(os.path.join(here, "results", "tensor.csv"), rows, head, COLUMNS)
    print("\n".join([*summary, "", LEGEND]))
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{len(rows)} kernels, {len(faults)} faults; table in {reports}/tensor.md")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
