#!/usr/bin/env python3
"""Sets the version of a nest of rows that the compiler chooses against all of them.

For each nest of cases/rows.mlir and some numbers of rows and terms, the simulated time (level
A) of its kernels with each version that tc-flatten can give it, and that of the version that it
chooses over the least. Writes reports/rows.csv and reports/rows.md into the build folder, and
with --save also results/rows.csv here. Nothing is measured.
"""

import argparse
import os
import re
import subprocess
import sys

import model
import ranks

VERSIONS = ("thread", "warp", "block", "device")
COLUMNS = ["nest", "rows", "terms", "chosen", *(f"{v}_us" for v in VERSIONS), "chosen_over_least"]
EXTENTS = [(2**k, 2 ** (25 - k)) for k in range(0, 21, 2)]  # what `./dev bench plot` draws
EXTENTS += [(64, 65536), (64, 16384), (500, 65536), (200, 16384), (1000, 1024), (100, 512)]
EXTENTS += [(1000, 128), (4000, 1024), (8192, 4096), (32768, 1024)]
CHOSEN = re.compile(r"rows have the version '(\w+)'")


def flatten(options, text, version):
    """The nest with `version`, or with that which is chosen; and which it has."""
    run = subprocess.run(
        [
            os.path.join(options.build, "bin", "tc-opt"),
            f"--tc-flatten=chip={options.chip} version={version}",
            "--remarks-filter=tc-flatten",
        ],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    chosen = CHOSEN.search(run.stderr)
    return run.stdout, chosen.group(1) if chosen else version


def simulate(options, text):
    """Microseconds of all kernels."""
    launches = model.count_function(options, text, "--keep-order")
    return 1e6 * sum(launch["simulated"]["seconds"] for launch in launches)


def compare(options, template, name, rows, terms):
    """The row of one nest with these extents."""
    text = template.replace("ROWS", str(rows)).replace("TERMS", str(terms))
    times = {v: simulate(options, flatten(options, text, v)[0]) for v in VERSIONS}
    _, chosen = flatten(options, text, "")
    row = {"nest": name, "rows": rows, "terms": terms, "chosen": chosen}
    row |= {f"{version}_us": round(time, 1) for version, time in times.items()}
    row["chosen_over_least"] = round(times[chosen] / min(times.values()), 3)
    print(" ".join(str(row[column]) for column in COLUMNS), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--sample-blocks", type=int, default=2, help="of each, at least")
    parser.add_argument("--save", action="store_true", help="also write results/")
    options = parser.parse_args()
    functions = model.load_functions("rows.mlir")
    rows = [
        compare(options, text, name, *extents)
        for name, text in functions.items()
        for extents in EXTENTS
    ]
    summary = ranks.summarise_columns(
        rows,
        lambda row: f"{row['nest']} {row['rows']} x {row['terms']}",
        (("chosen_over_least", max),),
    )
    title = "The chosen version of rows over the best one"
    model.write_reports("rows", title, rows, summary, options, COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
