#!/usr/bin/env python3
"""Simulates SGEMM kernels of published tiles on the chips of the publications.

Each rung of simulated/ladder.cu has the tiles of kernels whose times others published
(RUNGS below), but not their code: level A and level B have never been compared with it,
so the errors tell how much of what validates them is the code of those kernels. Each
rung is first run on the emulator and its results are verified. Prints a summary and writes
reports/ladder.csv into the build folder; with --save results/ladder.csv here.

Needs what `simulated` needs.
"""

import argparse
import concurrent.futures
import hashlib
import json
import re
import sys

import simulated

# By rung: the kernels of the same tiles.
RUNGS = {
    1: ["siboehm/1"],
    2: ["siboehm/2", "yzhaiustc/1"],
    3: ["siboehm/3"],
    4: ["yzhaiustc/4"],
    5: ["yzhaiustc/5"],
    6: ["yzhaiustc/6"],
    7: ["siboehm/4"],
    8: ["yzhaiustc/7"],
    9: ["siboehm/5"],
    10: ["siboehm/6", "yzhaiustc/8"],
    11: ["siboehm/9"],
    12: ["yzhaiustc/9"],
    13: ["siboehm/10"],
    14: ["yzhaiustc/11"],
}
CHECKED = 256  # rows of the matrices that are verified


def verify(builder, program, rung):
    """Raises Failed unless the results of the rung are right."""
    report = builder.folder / f"report-{program.name}-{rung}-check.json"
    env = {
        "LD_LIBRARY_PATH": str(builder.libraries),
        "TC_EMU_CHECKS": "all",
        "TC_EMU_REPORT": str(report),
    }
    simulated.run([program, rung, CHECKED, "check"], env=env)
    findings = json.loads(report.read_text())["findings"]
    if findings:
        raise simulated.Failed(f"rung {rung}: {findings[0]}")


def simulate_rung(builder, programs, registers, rung, points):
    """Rows of the kernels whose tiles the rung has; `points` by their names."""
    made = []
    for name, measured in points.items():
        ladder, kernel, size = name.split("/")
        if f"{ladder}/{kernel}" not in RUNGS[rung]:
            continue
        chip = simulated.LADDERS[ladder][0]
        time = builder.time(programs[ladder], [str(rung), size], chip, registers[ladder])
        made.append(simulated.make_row(chip, f"tc/{rung}/{size}", time, measured, name))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    simulated.add_options(parser)
    options = parser.parse_args()
    build, builder = simulated.prepare(options)
    folder = builder.folder
    points = {
        f"{ladder}/{kernel}/{size}": measured
        for ladder, read in (
            ("siboehm", simulated.read_siboehm),
            ("yzhaiustc", simulated.read_yzhaiustc),
        )
        for kernel, size, measured in read(folder)
    }
    programs, registers = {}, {}
    source = simulated.HERE / "simulated/ladder.cu"
    # A program that is there is not built again, so it is named by its text.
    text = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
    for ladder, (chip, capability, *_) in simulated.LADDERS.items():
        name = f"tc-ladder-{capability}-{text}"
        programs[ladder] = builder.build(name, [source], capability, ["-std=c++17"])
        registers[ladder] = simulated.assemble(folder / "ptx" / name, chip, None)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(verify, builder, programs["siboehm"], r) for r in RUNGS]:
            done.result()
        made = [
            pool.submit(simulate_rung, builder, programs, registers, rung, points)
            for rung in RUNGS
        ]
        rows = [row for task in made for row in task.result()]
    rows = [row for row in rows if re.search(options.only, row["kernel"])]
    simulated.write_table("ladder.csv", simulated.COLUMNS, rows, build, options.save)
    simulated.print_summary(rows)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except simulated.Failed as error:
        sys.exit(f"error: {error}")
