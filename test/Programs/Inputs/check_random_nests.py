"""Checks random par/seq programs: check_random_nests.py SEED COUNT FOLDER [options].

All of them run at every phase on the CPU (compare.py of test/Phases), and their PTX
on the emulator with all checks and threads in an adversarial order, against the
reference. What differs stays in FOLDER, a file a program.
"""

import argparse
import json
import os
import subprocess
import sys

import random_neighbours
import random_nests
import run_program

WRITERS = {
    "nests": random_nests.write_programs,
    "neighbours": random_neighbours.write_programs,
    "rows": lambda seed, count: random_neighbours.write_programs(seed, count, has_rows=True),
}
TOGETHER = 50  # programs a process of the CPU runs


def check_phases(programs, options):
    """The output of the first comparison that fails, or nothing."""
    for first in range(0, len(programs), TOGETHER):
        path = os.path.join(options.folder, f"programs-{first}.mlir")
        with open(path, "w") as file:
            file.write("\n".join(programs[first : first + TOGETHER]))
        options.file = path
        status, output = run_program.check_phases(options)
        if status != 0:
            return f"{path}:\n{output}"
        os.remove(path)
    return ""


def check_order(paths, order, flags=()):
    """What tc-run says of each program that fails."""
    cases = "\n".join(json.dumps({"case": p, "input": p, "name": n}) for p, n in paths)
    done = subprocess.run(
        ["tc-run", "--batch=-", "--verify", "--device=emulator", "--checks=all", *flags],
        input=cases,
        env={**os.environ, "TC_EMU_SCHEDULE": order},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [f"{r['case']}: {r['error']}" for r in reports if "error" in r]
    if len(reports) != len(paths):
        failed.append(f"{order}: tc-run ended at case {len(reports)}\n{done.stderr}")
    return failed


def flatten(program, version, name):
    """`program` with that version of each nest of rows that can have it; contractions in rows are
    taken out of them before."""
    flat = subprocess.run(
        ["tc-opt", "--tc-distribute", f"--tc-flatten=version={version}"],
        input=program,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    flat = flat.replace("module {", "", 1).rstrip().removesuffix("}")
    return flat.replace("#map", f"#of_{name}")  # many go into one file


def check(options):
    programs = WRITERS[options.writer](options.seed, options.count)
    os.makedirs(options.folder, exist_ok=True)
    if options.version:
        programs = [flatten(p, options.version, f"f{n}_") for n, p in enumerate(programs)]
    difference = check_phases(programs, options)
    if difference:
        print(difference)
        return 1
    paths = []
    for number, text in enumerate(programs):
        paths.append((os.path.join(options.folder, f"f{number}.mlir"), f"f{number}"))
        with open(paths[-1][0], "w") as file:
            file.write(text)
    failed = check_order(paths, f"adversarial:{options.seed}")
    if failed:
        print(f"{len(failed)} of {len(paths)} programs fail on the emulator")
        print("\n".join(failed[: options.most]))
        return 1
    print(f"{len(paths)} programs: same")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("folder")
    parser.add_argument("--writer", choices=sorted(WRITERS), default="nests")
    parser.add_argument("--version", help="of tc-flatten, that nests of rows have")
    parser.add_argument("--passes", type=str.split, default=[])
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--most", type=int, default=5, help="failures that are printed")
    return check(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
