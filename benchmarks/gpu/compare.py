#!/usr/bin/env python3
"""Tables and plots of result files of benchmarks/gpu/run.

With one file: means, worst cases, wins and losses against every peer, the share of
the floor, and what was predicted, counted and measured side by side. With two: what
changed from the first to the second.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import plots, results, tables  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="one result file, or two")
    parser.add_argument("--ours", default="tc", help="the contender to compare (default tc)")
    parser.add_argument("--contenders", default="", help="names to compare (default all)")
    parser.add_argument("--plots", metavar="FOLDER", help="also draw plots, as PNG and SVG")
    options = parser.parse_args()
    if len(options.files) > 2:
        parser.error(f"expected one result file or two, got {len(options.files)}")
    return options


def describe_one(run, ours):
    if ours not in tables.list_contenders(run):
        found = ", ".join(tables.list_contenders(run)) or "none"
        raise results.ResultsError(f"expected a contender of {found}, got '{ours}'")
    sections = [
        ("Goals", tables.compare_goals(run, ours)),
        ("Against peers", tables.compare_contenders(run, ours)),
        ("Against the floor", tables.compare_floors(run)),
        ("Predicted, counted and measured", tables.compare_kinds(run, ours)),
        ("Problems", tables.list_problems(run)),
    ]
    lines = tables.describe(run)
    for title, table in sections:
        lines += ["", f"## {title}", "", *(table or ["Nothing to compare."])]
    return lines


def keep(run, names):
    """The run without the rows of other contenders; all of it without names."""
    rows = [row for row in run["rows"] if not names or row["contender"] in names]
    found = ", ".join(tables.list_contenders(run))
    if unknown := [name for name in names if name not in {row["contender"] for row in rows}]:
        raise results.ResultsError(f"expected contenders of {found}, got '{unknown[0]}'")
    return run | {"rows": rows}


def main():
    options = parse_arguments()
    names = [name for name in options.contenders.split(",") if name]
    runs = [keep(results.load(path), names) for path in options.files]
    if len(runs) == 2:
        lines = [*tables.describe(runs[0]), *tables.describe(runs[1]), ""]
        lines += tables.compare_runs(*runs)
    else:
        lines = describe_one(runs[0], options.ours)
    print("\n".join(lines))
    if options.plots:
        drawn = plots.plot_all(runs[-1], options.plots)
        if drawn is None:
            print("compare.py: no plots: matplotlib is not installed", file=sys.stderr)
            return 1
        print(f"compare.py: {len(drawn)} plots in {options.plots}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except results.ResultsError as error:
        print(f"compare.py: error: {error}", file=sys.stderr)
        sys.exit(2)
