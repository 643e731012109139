#!/usr/bin/env python3
"""Sets what the cost model predicts against what the emulator counts.

For each contraction of cases/contractions.json at full extents, with the schedule
that the compiler takes: each predicted amount over the counted one. Writes
reports/model.csv and reports/model.md into the build folder, and with --save also
results/model.csv here. Nothing is measured.
"""

import argparse
import concurrent.futures
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

import problems
import static

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
}
# The same of a demand, in "launch" of a prediction and "simulated" of a count.
DEMANDS = [
    "arithmetic_cycles",
    "load_store_cycles",
    "rounds",
    "ahead",
    "copied",
    "barriers",
    "depth",
    "blocks_per_multiprocessor",
]
COLUMNS = ["problem", "dtype", "registers", "predicted_registers"]
COLUMNS += ["predicted_us", "simulated_us", "bound_us", "counted_us"]
COLUMNS += ["limiter", "counted_limiter", *TERMS, *DEMANDS, "seconds", "bound", "schedule"]


def find(launch, path):
    """The number at `path`; one of several names may be there. None: nowhere."""
    for names in path:
        launch = next((launch[n] for n in names.split("|") if n in launch), None)
        if launch is None:
            return None
    return launch


# Its unit has brackets of its own.
SCHEDULE = r"#tc\.schedule<(?:[^<>]|<[^<>]*>)*>"


def einsum_options(problem, dtype, chip):
    return [
        f"--einsum={problem['einsum']}",
        f"--sizes={problems.format_sizes(problem['sizes'])}",
        f"--dtype={dtype}",
        f"--chip={chip}",
    ]


def load_functions(name):
    """The functions of a file of cases/, by name."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases", name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return dict(re.findall(r"^(?=func\.func @(\w+))(.*?^\})", text, re.M | re.S))


def report_function(options, text, *flags):
    """The report of a function, given as MLIR, with what its launches count."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        command = [os.path.join(options.build, "bin", "tc-run"), file.name]
        command += [f"--chip={options.chip}", "--count", *flags]
        command += [f"--sample-blocks={options.sample_blocks}", "--report=json"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return json.loads(run.stdout)


def count_function(options, text, *flags):
    """What the launches of a function count, given as MLIR."""
    return report_function(options, text, *flags)["counted"]


def sum_simulated(launches):
    """Seconds of all launches of a count with --simulate: by level A and by level B."""
    return [
        sum(launch[level]["seconds"] for launch in launches)
        for level in ("simulated", "simulated_b")
    ]


class Case:
    """One contraction, and the tools to try schedules on it."""

    def __init__(self, options, problem, dtype):
        self.options, self.problem, self.dtype = options, problem, dtype
        command = [self.tool("tc-compile"), *einsum_options(problem, dtype, options.chip)]
        run = subprocess.run(command + ["--emit=tc"], capture_output=True, text=True, check=True)
        self.program = run.stdout
        self.chosen = re.search(SCHEDULE, self.program).group(0)

    def tool(self, name):
        return os.path.join(self.options.build, "bin", name)

    def without_schedule(self):
        """The program, for a search to start from."""
        return re.sub(rf" \{{schedule = {SCHEDULE}\}}", "", self.program)

    def find_best(self, count):
        """The schedules that the search finds, best first."""
        flag = f"--tc-schedule=chip={self.options.chip} explain={count}"
        run = subprocess.run(
            [self.tool("tc-opt"), flag, "-o", os.devnull],
            input=self.without_schedule(),
            capture_output=True,
            text=True,
            check=True,
        )
        return re.findall(rf"best \d+: ({SCHEDULE})", run.stderr)

    def report(self, schedule, flags=()):
        """The report of a count of one schedule; None where it is refused."""
        command = [
            self.tool("tc-run"),
            *einsum_options(self.problem, self.dtype, self.options.chip),
            "--count",
            f"--sample-blocks={self.options.sample_blocks}",
            "--report=json",
            f"--schedule={schedule}",
            *flags,
        ]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            if "illegal schedule" in run.stderr or "workgroup memory" in run.stderr:
                return None
            raise RuntimeError(run.stderr)
        return json.loads(run.stdout)

    def count(self, schedule):
        """(predicted, counted, report) of one schedule of a single kernel; None
        where it is refused."""
        report = self.report(schedule)
        if not report or len(report["counted"]) != 1 or "seconds" not in report["predicted"][0]:
            return None
        return report["predicted"][0], report["counted"][0], report

    def time(self, schedule, level_b=False):
        """Seconds of all kernels of one schedule: predicted, simulated by level A,
        and, if asked for, by level B. None where it is refused, or expected to spill."""
        report = self.report(schedule, ["--simulate"] if level_b else [])
        if not report or any("seconds" not in cost for cost in report["predicted"]):
            return None
        launches = report["counted"]
        times = [sum(cost["seconds"] for cost in report["predicted"])]
        for level in ["simulated"] + ["simulated_b"] * level_b:
            times.append(sum(launch[level]["seconds"] for launch in launches))
        return times


def make_row(case):
    found = case.count(case.chosen)
    if found is None:
        return None
    predicted, counted, report = found
    launch, simulated = predicted["launch"], counted["simulated"]
    row = dict.fromkeys(COLUMNS, "")
    row.update(
        problem=case.problem["name"],
        dtype=case.dtype,
        registers=report["registers"],
        predicted_registers=predicted["registers"],
        predicted_us=round(predicted["seconds"] * 1e6, 2),
        simulated_us=round(counted["simulated"]["seconds"] * 1e6, 2),
        bound_us=round(predicted["bound_seconds"] * 1e6, 2),
        counted_us=round(counted["seconds"] * 1e6, 2),
        limiter=predicted["limiter"],
        counted_limiter=counted["limiter"],
        schedule=case.chosen,
    )
    for name, path in TERMS.items():
        ours, theirs = find(predicted, path), find(counted, path)
        if ours and theirs:
            row[name] = round(ours / theirs, 4)
    for name in DEMANDS:
        ours, theirs = (find(part, ("demand", name)) for part in (launch, simulated))
        if ours and theirs:
            row[name] = round(ours / theirs, 4)
    row["seconds"] = round(predicted["seconds"] / simulated["seconds"], 4)
    row["bound"] = round(predicted["bound_seconds"] / counted["seconds"], 4)
    return row


def summarise(rows):
    lines = ["| predicted / counted | kernels | geometric mean | least | most |"]
    lines += ["|---|---|---|---|---|"]
    for name in [*TERMS, *DEMANDS, "seconds", "bound"]:
        group = [row for row in rows if row[name] not in ("", 0)]
        if not group:
            continue
        values = [row[name] for row in group]
        mean = math.exp(statistics.mean(math.log(v) for v in values))
        least, most = (f(group, key=lambda row: row[name]) for f in (min, max))
        lines.append(
            f"| {name} | {len(group)} | {mean:.3f} "
            f"| {least[name]} ({least['problem']} {least['dtype']}) "
            f"| {most[name]} ({most['problem']} {most['dtype']}) |"
        )
    return lines


def choose_cases(options):
    """Pairs of a problem and a type: those that are named, or all."""
    names = [name for name in options.problems.split(",") if name]
    return [
        (problem, dtype)
        for problem in problems.load()
        if not names or problem["name"] in names
        for dtype in options.dtypes.split(",")
    ]


def add_options(parser, build=None):
    """The options that all benchmarks of the model have; `build` is the build folder
    where none is named."""
    parser.add_argument("--build", required=not build, default=build, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--sample-blocks", type=int, default=1, help="of each, at least")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", action="store_true", help="also write results/")


def write_reports(name, title, rows, summary, options, columns):
    """Writes tables named `name`, and prints the summary."""
    _, commit = static.describe_machine()
    head = [
        f"chip: {options.chip}",
        f"commit: {commit}",
        "predicted by the cost model, and counted on the emulator from some blocks of each grid",
    ]
    output = os.path.join(options.build, "reports")
    os.makedirs(output, exist_ok=True)
    static.write_csv(os.path.join(output, f"{name}.csv"), rows, head, columns)
    markdown = os.path.join(output, f"{name}.md")
    static.write_markdown(markdown, title, rows, head, summary, columns)
    if options.save:
        here = os.path.dirname(os.path.abspath(__file__))
        static.write_csv(os.path.join(here, "results", f"{name}.csv"), rows, head, columns)
    print("\n".join(summary))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    add_options(parser)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda case: make_row(Case(options, *case)), choose_cases(options))
        rows = [row for row in found if row]
    title = "Amounts as predicted, over those counted"
    write_reports("model", title, rows, summarise(rows), options, COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
