#!/usr/bin/env python3
"""Runs the programs of programs/ on the emulator against NumPy, and counts them at full size.

At test size, with all checks of the emulator: the largest error of each result, relative to
its largest element, must keep the bound of the program. At the sizes of the data sets of the
study (Henriksen et al., PPoPP 2019): counted and simulated time (level A) of all launches, by
some blocks of each, and the version of each nest of rows. Writes reports/programs.csv and
reports/programs.md into the build folder, and with --save also results/programs.csv here.
Nothing is measured.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import model
import numpy as np
from programs import PROGRAMS
from programs.case import find_error

COLUMNS = ["program", "data_set", "sizes", "launches", "counted_us", "simulated_us"]
COLUMNS += ["launch_us", "versions", "seconds"]
VERSIONS = re.compile(r"rows have the versions?(?:, chosen by extents,)? ('[^\"]*')\"")


def run_tool(options, name, *arguments, **environment):
    """Standard output and error of one of our tools."""
    run = subprocess.run(
        [os.path.join(options.build, "bin", name), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    if run.returncode != 0 or "error:" in run.stderr:
        raise RuntimeError(f"{name}: {run.stderr}")
    return run.stdout, run.stderr


def run_program(options, program, path, sizes):
    """The largest error of each result against the reference."""
    arguments = program.make(sizes, options.seed)
    expected = program.reference(**arguments)
    with tempfile.TemporaryDirectory() as folder:
        outputs = [os.path.join(folder, f"out-{name}.npy") for name in program.results]
        run_tool(
            options,
            "tc-run",
            path,
            f"--chip={options.chip}",
            "--device=emulator",
            f"--inputs={','.join(program.save(arguments, folder))}",
            f"--output={','.join(outputs)}",
            TC_EMU_CHECKS="all",
        )
        got = [np.load(output) for output in outputs]
    return {
        name: find_error(values, expected[name])
        for name, values in zip(program.results, got, strict=True)
    }


def check(options, program):
    """Prints the errors at test size; whether they keep their bound."""
    start = time.monotonic()
    errors = run_program(options, program, program.path, program.test)
    right = max(errors.values()) <= program.bound
    listed = ", ".join(f"{name} {error:.1e}" for name, error in errors.items())
    verdict = "right" if right else "WRONG"
    seconds = time.monotonic() - start
    print(
        f"{verdict}: {program.name}: {listed}; bound {program.bound:.0e}; {seconds:.1f} s",
        flush=True,
    )
    return right


def find_versions(options, program):
    """The versions of each nest of rows, as the remarks of tc-flatten name them."""
    _, remarks = run_tool(
        options,
        "tc-opt",
        program.path,
        f"--tc-to-nvvm=chip={options.chip}",
        "--remarks-filter=tc-flatten",
        "-o",
        os.devnull,
    )
    return "; ".join(VERSIONS.findall(remarks))


def count(options, program, data_set, sizes, versions):
    """The row of one program with one data set."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        output, _ = run_tool(
            options,
            "tc-run",
            program.path,
            f"--chip={options.chip}",
            "--count",
            f"--sample-blocks={options.sample_blocks}",
            f"--inputs={','.join(program.save_shapes(sizes, folder))}",
            "--report=json",
        )
    launches = json.loads(output)["counted"]
    row = {
        "program": program.name,
        "data_set": data_set,
        "sizes": " ".join(f"{name}={extent}" for name, extent in sizes.items()),
        "launches": len(launches),
        "counted_us": round(1e6 * sum(launch["seconds"] for launch in launches), 1),
        "simulated_us": round(
            1e6 * sum(launch["simulated"]["seconds"] for launch in launches), 1
        ),
        "launch_us": round(1e6 * sum(launch["launch_seconds"] for launch in launches), 1),
        "versions": versions,
        "seconds": round(time.monotonic() - start, 1),
    }
    print(" ".join(str(row[column]) for column in COLUMNS), flush=True)
    return row


def summarise(rows):
    lines = ["| program | sizes | launches | *counted* us | *simulated* us | versions |"]
    lines += ["|---|---|---|---|---|---|"]
    for row in rows:
        cells = [f"{row['program']} {row['data_set']}", row["sizes"].replace("=", " ")]
        cells += [str(row[c]) for c in ("launches", "counted_us", "simulated_us", "versions")]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--programs", default="", help="names; default all")
    parser.add_argument("--check-only", action="store_true", help="only run at test size")
    parser.add_argument("--count-only", action="store_true", help="only count at full size")
    parser.add_argument("--sample-blocks", type=int, default=1, help="of each, at least")
    parser.add_argument("--seed", type=int, default=1, help="of the data")
    parser.add_argument("--save", action="store_true", help="also write results/")
    options = parser.parse_args()
    options.programs = [name for name in options.programs.split(",") if name] or list(PROGRAMS)
    if unknown := set(options.programs) - set(PROGRAMS):
        parser.error(f"expected names of programs, got '{', '.join(sorted(unknown))}'")
    return options


def main():
    options = parse_arguments()
    programs = [PROGRAMS[name] for name in options.programs]
    wrong = 0
    if not options.count_only:
        wrong = sum(not check(options, program) for program in programs)
    if not options.check_only:
        rows = []
        for program in programs:
            versions = find_versions(options, program)
            rows += [
                count(options, program, name, sizes, versions)
                for name, sizes in program.full.items()
            ]
        title = "Programs of the study on incremental flattening"
        model.write_reports("programs", title, rows, summarise(rows), options, COLUMNS)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
