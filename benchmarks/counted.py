#!/usr/bin/env python3
"""Compiles every contraction of cases/contractions.json at full extents, and sums of
those of CCSD(T) (triples.py), runs some blocks of each kernel on the emulator, and sets
what they count against what the problem needs at least.

Writes reports/counted.csv and reports/counted.md into the build folder, and with
--save also results/counted.csv here. Nothing is measured: counted times are the
emulator's (docs/Emulator.md), simulated ones those of the model in
tc/Target/LaunchTime.h, over the same counts, and a floor is the larger of two times, that of
the flops at the chip's peak and that of moving each element once. Goals that are
missed are listed; the exit status is 1 when a problem is not counted or one with
a limit is behind it (goals.json).
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time

import goals
import problems
import static
import triples

COLUMNS = [
    "problem",
    "dtype",
    "floor_us",  # the larger of the two that follow
    "floor_bytes_us",
    "floor_flops_us",
    "simt_floor_us",  # without tensor units, at the chip's rates
    "predicted_us",  # by the cost model of the schedule search
    "simulated_us",  # level A, over what is counted
    "simulated_over_simt_floor",
    "counted_us",
    "counted_over_floor",
    "counted_over_simt_floor",
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

BYTES = {"f32": 4, "f64": 8}
PEAKS = {"f32": "f32_ffma_tflops", "f64": "f64_tensor_tflops"}
LEGEND = """floor_us is that of contractions.json, for an H200: bytes at the peak of
its memory, or flops at the peak of f32 or, for f64, of its tensor units. Goals are
for the simt_floor_us: the same with the rate of f64 multiply-adds, half as high, by the
rates of the chip; products in f64 with tensor instructions may take less. Ratios of sectors and wavefronts
are over the ideal of docs/Emulator.md; times in microseconds.""".replace("\n", " ")


def find_floors(problem, dtype, peaks):
    """Microseconds for the bytes and for the flops, at the chip's peak rates."""
    moved = problem["elements"] * BYTES[dtype]
    return (
        moved / (peaks["hbm_tb_s"] * 1e12) * 1e6,
        problem["flops"] / (peaks[PEAKS[dtype]] * 1e12) * 1e6,
    )


def find_simt_floor(problem, dtype, rates):
    """Microseconds by the chip's rates of memory and of multiply-adds."""
    moved = problem["elements"] * BYTES[dtype] / rates["dram_bytes_per_second"]
    return max(moved, problem["flops"] / rates[f"{dtype}_flops"]) * 1e6


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


def fill(row, problem, report):
    """Takes what the report of a count says into a row."""
    floor = find_simt_floor(problem, row["dtype"], report["rates"])
    row["simt_floor_us"] = round(floor, 2)
    launches = report["counted"]
    main = max(launches, key=lambda launch: launch["seconds"])
    # Of kernels that stand by for other arguments, those that ran.
    kernels = {kernel["kernel"]: kernel for kernel in report.get("kernels", [report])}
    for name in ("registers", "spill_bytes", "occupancy"):
        row[name] = "" if kernels[main["kernel"]][name] is None else kernels[main["kernel"]][name]
    for name in ("useful_share", "schedule"):
        row[name] = "" if report[name] is None else report[name]
    counted = sum(launch["seconds"] for launch in launches) * 1e6
    row["counted_us"] = round(counted, 2)
    if all(launch["simulated"] for launch in launches):
        simulated = sum(launch["simulated"]["seconds"] for launch in launches) * 1e6
        row["simulated_us"] = round(simulated, 2)
        row["simulated_over_simt_floor"] = round(simulated / floor, 3)
    predicted = [cost.get("seconds") for cost in report["predicted"] if cost]
    if predicted and None not in predicted:
        row["predicted_us"] = round(sum(predicted) * 1e6, 2)
    row["counted_over_floor"] = round(counted / row["floor_us"], 3)
    row["counted_over_simt_floor"] = round(counted / floor, 3)
    row["binds"] = find_limiter(launches)
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


def name_program(problem, dtype, options):
    """The arguments of tc-run that say what is computed."""
    if "sizes" in problem:
        sizes = problems.format_sizes(problem["sizes"])
        return [f"--einsum={problem['einsum']}", f"--sizes={sizes}", f"--dtype={dtype}"]
    path = os.path.join(options.output, f"{problem['name']}_{dtype}.mlir")
    extent = problem["places"]
    triples.write(path, triples.choose(triples.DOUBLES), [extent] * 6, extent, dtype)
    return [path]


def count_one(tool, problem, dtype, peaks, options):
    """One row of the table, and the problem's error ("" when there is none)."""
    command = [
        tool,
        *name_program(problem, dtype, options),
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
    fill(row, problem, json.loads(run.stdout))
    return row, ""


def choose_cases(options, limits):
    """Pairs of a problem and a type: those that are named, or have a limit with
    --limits, or all."""
    names = [name for name in options.problems.split(",") if name]
    return [
        (problem, dtype)
        for problem in problems.load() + triples.load()
        if not names or problem["name"] in names
        for dtype in options.dtypes.split(",")
        if not options.limits or f"{problem['name']} {dtype}" in limits
    ]


def count_all(tool, cases, options):
    """Rows in the order of the cases, and the faults."""
    peaks = problems.load_peaks()
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


def write_reports(rows, summary, options):
    """Writes the tables, and prints the summary."""
    _, commit = static.describe_machine()
    head = [
        f"chip: {options.chip}",
        f"commit: {commit}",
        "counted on the emulator from some blocks of each grid, not measured",
        "simulated times have not been validated on this chip",
    ]
    static.write_csv(os.path.join(options.output, "counted.csv"), rows, head, COLUMNS)
    title = "Kernels of the contractions, counted"
    markdown = os.path.join(options.output, "counted.md")
    static.write_markdown(markdown, title, rows, [*head, LEGEND], summary, COLUMNS)
    if options.save:
        here = os.path.dirname(os.path.abspath(__file__))
        static.write_csv(os.path.join(here, "results", "counted.csv"), rows, head, COLUMNS)
    print("\n".join([*summary, "", LEGEND]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--sample-blocks", type=int, default=1, help="of each, at least")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limits", action="store_true", help="only what has a limit")
    parser.add_argument("--tighten", action="store_true", help="raise the limits to what is found")
    parser.add_argument("--goals", default=goals.PATH, help="file of goals and limits")
    parser.add_argument("--output", help="folder of the tables; default BUILD/reports")
    parser.add_argument("--save", action="store_true", help="also write results/")
    parser.add_argument("--verbose", action="store_true", help="print each row")
    options = parser.parse_args()

    options.output = options.output or os.path.join(options.build, "reports")
    os.makedirs(options.output, exist_ok=True)
    wanted = goals.load(options.goals)
    cases = choose_cases(options, wanted["limits"])
    if not cases:
        parser.error("expected problems of these names, found none")
    rows, faults = count_all(os.path.join(options.build, "bin", "tc-run"), cases, options)
    limits = wanted["limits"]
    if not options.limits:  # Those of what was asked for.
        counted = {f"{problem['name']} {dtype}" for problem, dtype in cases}
        limits = {name: limits[name] for name in limits if name in counted}
    faults += goals.check(rows, limits)
    if options.tighten:
        goals.tighten(rows, wanted["limits"])
        goals.save(wanted, options.goals)
    write_reports(rows, goals.summarise(rows, wanted["goals"]), options)
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{len(rows)} kernels, {len(faults)} faults; table in {options.output}/counted.md")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
