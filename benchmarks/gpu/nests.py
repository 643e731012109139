#!/usr/bin/env python3
"""Measures nests beside the best form of the same program on a GPU.

`nests.py make --output=DIR` compiles the functions of cases/naive.mlir (a nest as it is
written first, and its `_best`) and of cases/nests.mlir, and writes cubins and a plan of their
launches. `nests.py run DIR --output=FILE` measures them on a GPU and needs no compiler. Results
are not looked at: `tc-run --device=cuda --verify` does that.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import model  # noqa: E402
import static  # noqa: E402
from harness import bundle, data, main, results  # noqa: E402
from harness.contenders import takes_cubins  # noqa: E402
from harness.driver import DriverError, find_driver  # noqa: E402
from harness.prepared import PreparedProgram  # noqa: E402
from harness.timing import Clock, Effort  # noqa: E402

FILES = ("naive.mlir", "nests.mlir")
COLUMNS = ["nest", "kernels", "measured_us", "best_measured_us", "measured_over_best"]
COLUMNS += ["counted_us", "measured_over_counted", "simulated_us", "measured_over_simulated"]


def make_one(options, name, text):
    """The plan of one function, whose kernels are in the folder, for devices and as text."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        command = [os.path.join(options.build, "bin", "tc-compile"), file.name]
        for form in ("cubin", "ptx"):
            path = os.path.join(options.output, f"{name}.{form}")
            subprocess.run(
                [*command, f"--chip={options.chip}", f"--emit={form}", "-o", path], check=True
            )
    report = model.report_function(options, text)
    counted = report["counted"]
    return {
        "nest": name,
        **bundle.describe_plan(report),
        "counted_us": 1e6 * sum(launch["seconds"] for launch in counted),
        "simulated_us": 1e6 * sum(launch["simulated"]["seconds"] for launch in counted),
    }


def make(options):
    """Writes the folder."""
    os.makedirs(options.output, exist_ok=True)
    functions = {}
    files = options.cases or FILES
    for file in files:
        # Both files have a function `matmul`, of other extents.
        stem = os.path.basename(file).removesuffix(".mlir")
        prefix = "" if file == files[0] else f"{stem}_"
        for name, text in model.load_functions(file).items():
            functions[prefix + name] = text
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        plans = pool.map(lambda item: make_one(options, *item), functions.items())
        content = {"commit": results.find_commit(), "chip": options.chip, "nests": list(plans)}
    bundle.write_json(os.path.join(options.output, "nests.json"), content)
    print(f"{len(functions)} functions in {options.output}")
    return 0


def prepare(clock, filler, folder, plan):
    """The launches of one function of the folder."""
    form = "cubin" if takes_cubins(clock.driver) else "ptx"
    with open(os.path.join(folder, f"{plan['nest']}.{form}"), "rb") as file:
        return PreparedProgram(clock, filler, file.read(), plan)


def run(options):
    """Measures what `make` wrote."""
    driver = find_driver(options.driver)
    with open(os.path.join(options.folder, "nests.json"), encoding="utf-8") as file:
        content = json.load(file)
    effort = Effort.least() if driver.is_emulator else Effort()
    clock, filler = Clock(driver, effort), data.Filler(driver)
    plans = {plan["nest"]: plan for plan in content["nests"]}
    rows = []
    for name, plan in plans.items():
        if name.endswith("_best"):
            continue
        group = [plan] + [plans[best] for best in [name + "_best"] if best in plans]
        prepared = [prepare(clock, filler, options.folder, one) for one in group]
        sets = min(len(one.sets) for one in prepared)
        times = [t.as_row()["time_us"] for t in clock.compare([p.launch for p in prepared], sets)]
        driver.synchronize()
        for one in prepared:
            one.free()
        rows.append(make_row(plan, times))
        print(" ".join(str(rows[-1][column]) for column in COLUMNS), flush=True)
    kind = "emulated, not measured" if driver.is_emulator else "measured on that device"
    head = [
        f"device: {driver.name}",
        f"commit: {content['commit']}",
        f"date: {datetime.date.today()}",
        f"{kind}; counted and simulated (level A) by the emulator",
    ]
    static.write_csv(options.output, rows, head, COLUMNS)
    return 0


def make_row(plan, times):
    row = dict.fromkeys(COLUMNS, "")
    row.update(
        nest=plan["nest"], kernels=len(plan["launches"]), measured_us=round(times[0], 2)
    )
    if len(times) > 1:
        row["best_measured_us"] = round(times[1], 2)
        row["measured_over_best"] = round(times[0] / times[1], 3)
    for kind in ("counted", "simulated"):
        row[f"{kind}_us"] = round(plan[f"{kind}_us"], 2)
        row[f"measured_over_{kind}"] = round(times[0] / plan[f"{kind}_us"], 3)
    return row


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make", help="compile the functions")
    maker.add_argument("--build", default=main.find_build(), help="build folder")
    maker.add_argument("--chip", default="sm_90a")
    maker.add_argument("--sample-blocks", type=int, default=2, help="to count, of each grid")
    maker.add_argument("--cases", action="append", metavar="FILE", help="MLIR; default both")
    maker.add_argument("--output", required=True, help="folder to write")
    runner = commands.add_parser("run", help="measure them")
    runner.add_argument("folder", help="what `make` wrote")
    runner.add_argument("--driver", metavar="PATH", help="library of the driver API")
    runner.add_argument("--output", required=True, help="table to write, as CSV")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        options = parse_arguments()
        sys.exit(make(options) if options.command == "make" else run(options))
    except (DriverError, subprocess.CalledProcessError, RuntimeError, OSError) as error:
        print(f"nests.py: error: {error}", file=sys.stderr)
        sys.exit(2)
