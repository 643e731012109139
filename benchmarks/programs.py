#!/usr/bin/env python3
"""Runs the programs of programs/ on the emulator against NumPy, and counts them at full size.

At test size, with all checks of the emulator: the largest error of each result, relative to
its largest element, must keep the bound of the program. At the sizes of the data sets of the
study (Henriksen et al., PPoPP 2019): counted and simulated time (level A) of all launches, by
some blocks of each, and the versions of each nest of rows. Extents are dynamic, so that one
program has all data sets; files of arguments without contents give them. The matrix products are
counted with static extents, too. Writes reports/programs.csv and reports/programs.md into the
build folder, and with --save also results/programs.csv here. Nothing is measured.
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

COLUMNS = ["program", "data_set", "extents", "sizes", "launches", "counted_us", "simulated_us"]
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


def fix_version(options, source, version, folder):
    """The path of the program with `version` of each nest of rows that has it."""
    path = os.path.join(folder, f"{version}-{os.path.basename(source)}")
    flatten = f"--tc-flatten=chip={options.chip} version={version}"
    passes = ["--tc-inline=host", "--convert-scf-to-tc", "--tc-fuse-nests", flatten]
    run_tool(options, "tc-opt", source, *passes, "-o", path)
    return path


def check(options, program, sizes, version):
    """Prints the errors; whether they keep their bound."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = fix_version(options, program.path, version, folder) if version else program.path
        errors = run_program(options, program, path, sizes)
    right = all(error <= program.bound for error in errors.values())  # NaN is not
    listed = [f"{name} {error:.1e}" for name, error in errors.items()]
    listed += [f"version {version}"] if version else []
    listed += [f"bound {program.bound:.0e}", f"{time.monotonic() - start:.1f} s"]
    verdict = "right" if right else "WRONG"
    print(f"{verdict}: {program.name}: {', '.join(listed)}", flush=True)
    return right


def check_all(options, programs):
    """The number of checks that found something wrong."""
    return sum(
        not check(options, program, sizes, version)
        for program in programs
        for sizes in [program.test, *(() if options.check_only else program.more)]
        for version in options.versions.split(",")
    )


def find_versions(options, program):
    """The versions of each nest of rows, as the remarks of tc-flatten name them."""
    _, remarks = run_tool(
        options,
        "tc-opt",
        program.path,
        "--tc-inline=host",
        f"--tc-to-nvvm=chip={options.chip}",
        "--remarks-filter=tc-flatten",
        "-o",
        os.devnull,
    )
    return "; ".join(VERSIONS.findall(remarks))


def guard_subscripts(text):
    """The program with at least 0 where an integer becomes a subscript: buffers hold -1 (of floats
    NaN) when a program is counted, those of more than 1 GiB 0. It is an instruction more each."""
    return re.sub(
        r"(%(\w+)) = (arith.index_cast %\w+ : i32 to index)",
        r"%\2_read = \3\n%\2_least = arith.constant 0 : index\n"
        r"\1 = arith.maxsi %\2_read, %\2_least : index",
        text,
    )


def count(options, program, data_set, versions, fixed=""):
    """The row of one program with one data set, with static extents if `versions` is
    empty, else dynamic ones; it names what the host chooses from, or the version that is `fixed`."""
    start = time.monotonic()
    sizes = program.full[data_set]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{program.name}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(guard_subscripts(program.get_text(None if versions else sizes)))
        if fixed:
            path = fix_version(options, path, fixed, folder)
        output, _ = run_tool(
            options,
            "tc-run",
            path,
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
        "extents": "static" if not versions else "dynamic",
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


def count_program(options, program):
    """The rows of all data sets; with --versions as many more, of those."""
    versions = find_versions(options, program) or "contractions"
    rows = [count(options, program, name, "") for name in program.fixed]
    rows += [count(options, program, name, versions) for name in program.full]
    fixed = [version for version in options.versions.split(",") if version and version in versions]
    return rows + [
        count(options, program, name, version, version)
        for name in program.full
        for version in fixed
    ]


def summarise(rows):
    lines = ["| program | sizes | launches | *counted* us | *simulated* us | versions |"]
    lines += ["|---|---|---|---|---|---|"]
    for row in rows:
        name = f"{row['program']} {row['data_set']}"
        name += ", static" if row["extents"] == "static" else ""
        cells = [name, row["sizes"].replace("=", " ")]
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
    parser.add_argument(
        "--versions", default="", help="of nests of rows, each in turn: thread,warp,block,device"
    )
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
    wrong = 0 if options.count_only else check_all(options, programs)
    if not options.check_only:
        rows = [row for program in programs for row in count_program(options, program)]
        title = "Programs of the study on incremental flattening"
        model.write_reports("programs", title, rows, summarise(rows), options, COLUMNS)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
