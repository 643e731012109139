#!/usr/bin/env python3
"""Draws simulated times against those that others published.

The points are those of results/simulated.csv, which `./dev bench simulated --save`
writes: a panel for each level, a mark for each chip, both axes logarithmic, and the
lines of equal times and of times that are off by a quarter. Writes reports/simulated.svg
into the build folder, and with --save results/simulated.svg here.

Needs Matplotlib (Debian: python3-matplotlib).
"""

import argparse
import csv
import io
import pathlib
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("error: expected Matplotlib (Debian: python3-matplotlib)")
matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402  (the backend comes first)

HERE = pathlib.Path(__file__).parent
LEVELS = {"level_a_us": "level A", "simulated_us": "level B"}
MARKS = {"V100": "o", "P100": "s", "A6000": "^", "RTX 2080 Super": "v"}
OFF = 1.25  # the factor of the outer lines


def read_points(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"chip", "measured_us", *LEVELS} <= set(rows[0]):
        sys.exit(f"error: expected a table of simulated times in '{path}'")
    unknown = {row["chip"] for row in rows} - set(MARKS)
    if unknown:
        sys.exit(f"error: expected chips of {', '.join(MARKS)}, got {', '.join(unknown)}")
    return rows


def draw_level(axes, rows, column):
    for chip, mark in MARKS.items():
        points = [row for row in rows if row["chip"] == chip and row[column]]
        axes.plot(
            [float(row["measured_us"]) for row in points],
            [float(row[column]) for row in points],
            mark,
            label=chip,
            markersize=4,
            fillstyle="none",
        )
    times = [float(row["measured_us"]) for row in rows]
    ends = [min(times) / 2, max(times) * 2]
    for factor, style in ((1, "-"), (OFF, ":"), (1 / OFF, ":")):
        axes.plot(ends, [factor * end for end in ends], style, color="gray", linewidth=0.8)
    axes.set(xscale="log", yscale="log", title=LEVELS[column], aspect="equal")
    axes.set(xlabel="measured, us", ylabel="simulated, us")


def draw(rows):
    # The same file for the same points.
    pyplot.rcParams.update({"svg.hashsalt": "tc", "svg.fonttype": "none", "font.size": 9})
    figure, panels = pyplot.subplots(1, len(LEVELS), figsize=(9, 4.5))
    for axes, column in zip(panels, LEVELS):
        draw_level(axes, rows, column)
    panels[0].legend(loc="upper left")
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--table", default=HERE / "results/simulated.csv", help="the points")
    parser.add_argument("--save", action="store_true", help="keep the picture in results/")
    options = parser.parse_args()
    figure = draw(read_points(options.table))
    text = io.StringIO()
    figure.savefig(text, metadata={"Date": None})
    lines = [line.rstrip() + "\n" for line in text.getvalue().splitlines()]
    reports = pathlib.Path(options.build) / "reports"
    for folder in [reports] + ([HERE / "results"] if options.save else []):
        folder.mkdir(exist_ok=True, parents=True)
        (folder / "simulated.svg").write_text("".join(lines), encoding="utf-8")
        print(folder / "simulated.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
