#!/usr/bin/env python3
"""Writes the measured section of docs/Performance.md from the result files that are
committed, benchmarks/results/gpu/*.json. With --check it writes nothing, and fails
when the section is not what it would write."""

import argparse
import glob
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import results, tables  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN = "<!-- measured: made by benchmarks/gpu/performance.py from benchmarks/results/gpu -->"
END = "<!-- end of measured -->"
NOTHING = "Nothing has been measured on a GPU yet."


def write_section(folder):
    """The lines between the marks."""
    lines = []
    # The names end in dates: the newest comes first.
    for path in sorted(glob.glob(os.path.join(folder, "*.json")), reverse=True):
        run = results.load(path)
        if run["kind"] != "measured":
            raise results.ResultsError(f"{path}: expected what a GPU measured, got {run['kind']}")
        name = os.path.basename(path)
        lines += [f"### {run['device']}, {run['started'][:10]}", ""]
        lines += [f"From [{name}](../benchmarks/results/gpu/{name}).", "", *tables.describe(run)]
        for table in (
            tables.compare_goals(run),
            tables.compare_contenders(run),
            tables.compare_floors(run),
            tables.compare_estimates(run),
        ):
            lines += ["", *table] if table else []
        lines.append("")
    return lines[:-1] if lines else [NOTHING]


def replace_section(text, section, path):
    """The page with another section; raises where it has not exactly one place for it."""
    before, begin, rest = text.partition(BEGIN + "\n")
    _, end, after = rest.partition(END + "\n")
    if not begin or not end:
        raise results.ResultsError(f"{path}: expected the lines '{BEGIN}' and '{END}'")
    return "".join([before, begin, "\n", *(f"{line}\n" for line in section), "\n", end, after])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--page", default=os.path.join(ROOT, "docs", "Performance.md"))
    parser.add_argument("--results", default=os.path.join(ROOT, "benchmarks", "results", "gpu"))
    options = parser.parse_args()
    with open(options.page, encoding="utf-8") as file:
        text = file.read()
    wanted = replace_section(text, write_section(options.results), options.page)
    if text == wanted:
        return 0
    if options.check:
        print(f"{options.page}: expected the section that {os.path.basename(__file__)} writes")
        return 1
    with open(options.page, "w", encoding="utf-8") as file:
        file.write(wanted)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except results.ResultsError as error:
        print(f"performance.py: error: {error}", file=sys.stderr)
        sys.exit(2)
