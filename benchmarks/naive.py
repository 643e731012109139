#!/usr/bin/env python3
"""Sets nests as they are written first against the best form of the same program.

For each pair of functions in cases/naive.mlir, a nest and its `_best` (linalg, or a nest by
hand), the counted and the simulated (level A) time of all kernels, and their ratios. Writes
reports/naive.csv and reports/naive.md into the build folder, and with --save also
results/naive.csv here. With --limit=1.25 a nest whose counted time is more than that of its
best form times this is an error. Nothing is measured.
"""

import argparse
import sys

import model
import ranks

COLUMNS = ["nest", "kernels", "best_kernels", "counted_us", "best_counted_us", "counted_over_best"]
COLUMNS += ["simulated_us", "best_simulated_us", "simulated_over_best"]


def count(options, text):
    """The number of kernels, and their microseconds as counted and as simulated."""
    launches = model.count_function(options, text)
    counted = sum(launch["seconds"] for launch in launches)
    simulated = sum(launch["simulated"]["seconds"] for launch in launches)
    return len(launches), 1e6 * counted, 1e6 * simulated


def compare(options, functions, name):
    """The row of one nest."""
    kernels, counted, simulated = count(options, functions[name])
    best_kernels, best_counted, best_simulated = count(options, functions[name + "_best"])
    row = {
        "nest": name,
        "kernels": kernels,
        "best_kernels": best_kernels,
        "counted_us": round(counted, 1),
        "best_counted_us": round(best_counted, 1),
        "counted_over_best": round(counted / best_counted, 3),
        "simulated_us": round(simulated, 1),
        "best_simulated_us": round(best_simulated, 1),
        "simulated_over_best": round(simulated / best_simulated, 3),
    }
    print(" ".join(str(row[column]) for column in COLUMNS), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--nests", default="", help="names; default all")
    parser.add_argument("--sample-blocks", type=int, default=2, help="of each, at least")
    parser.add_argument("--limit", type=float, help="on counted time over that of the best form")
    parser.add_argument("--save", action="store_true", help="also write results/")
    options = parser.parse_args()
    functions = model.load_functions("naive.mlir")
    nests = [name for name in functions if not name.endswith("_best")]
    names = [name for name in options.nests.split(",") if name] or nests
    if unknown := set(names) - set(nests):
        parser.error(f"expected names of nests, got '{', '.join(sorted(unknown))}'")
    rows = [compare(options, functions, name) for name in names]
    summary = ranks.summarise_columns(
        rows,
        lambda row: row["nest"],
        (("counted_over_best", max), ("simulated_over_best", max)),
    )
    title = "Nests as written first over the best form"
    model.write_reports("naive", title, rows, summary, options, COLUMNS)
    slow = [row["nest"] for row in rows if options.limit and row["counted_over_best"] > options.limit]
    if slow:
        print(f"error: expected at most {options.limit} of the best form, got more: {', '.join(slow)}")
    return len(slow) > 0


if __name__ == "__main__":
    sys.exit(main())
