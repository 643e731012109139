#!/usr/bin/env python3
"""Draws simulated times against those that others published, and the roofline of the
kernels that tc compiles.

simulated.svg has the points of results/simulated.csv, which `./dev bench simulated
--save` writes: a panel for each level, a mark for each chip, both axes logarithmic, and
the lines of equal times and of times that are off by a quarter. roofline.svg has those
of results/counted.csv, which `./dev bench counted --save` writes: a panel for each type,
the flop rate of each kernel by simulated time (level A) over the flops for each byte that
its problem has to move, and the roof by the rates of the chip, without tensor units.
accuracy.svg has the errors of results/accuracy.csv, which `./dev bench accuracy --save`
writes, over the length of the sums: a panel for each chip and distribution. rows.svg has
the versions of results/rows.csv, which `./dev bench rows --save` writes, where all rows
together have 2^25 terms: a panel for each nest, and what the compiler chooses in black.

Writes them into reports/ of the build folder, and with --save into results/ here and
docs/images.

Needs Matplotlib (Debian: python3-matplotlib).
"""

import argparse
import csv
import io
import pathlib
import sys

import problems
import triples

try:
    import matplotlib
except ImportError:
    sys.exit("error: expected Matplotlib (Debian: python3-matplotlib)")
matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402  (the backend comes first)

HERE = pathlib.Path(__file__).parent
IMAGES = HERE.parent / "docs/images"
LEVELS = {"level_a_us": "level A", "simulated_us": "level B"}
MARKS = {"V100": "o", "P100": "s", "A6000": "^", "RTX 2080 Super": "v"}
OFF = 1.25  # the factor of the outer lines
BYTES = {"f32": 4, "f64": 8}
TICKS = [10, 20, 50, 100]  # TFlop/s
VERSIONS = ["thread", "warp", "block", "device"]
SWEEP = 2**25  # terms of all rows
DRAWN = ["both signs", "positive", "wide"]  # distributions
# By the first letters of a problem's name.
FAMILIES = {
    "tccg": ("o", "TCCG"),
    "s": ("^", "coupled cluster, triples"),
    "mm": ("s", "matrix products"),
}


def read_table(path, columns, what):
    """The rows of a table that has these columns, without the comments above it."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    if not rows or not set(columns) <= set(rows[0]):
        sys.exit(f"error: expected a table of {what} in '{path}'")
    return rows


def read_comment(path, name):
    """The value of a line `# NAME: VALUE` above a table."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(f"# {name}: "):
                return line.split(": ", 1)[1].strip()
    sys.exit(f"error: expected a line '# {name}: ...' in '{path}'")


def read_points(path):
    rows = read_table(path, {"chip", "measured_us", *LEVELS}, "simulated times")
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


def draw_levels(rows):
    figure, panels = pyplot.subplots(1, len(LEVELS), figsize=(9, 4.5))
    for axes, column in zip(panels, LEVELS):
        draw_level(axes, rows, column)
    panels[0].legend(loc="upper left")
    figure.tight_layout()
    return figure


def read_kernels(path):
    """Each kernel of a table of counts, with `flops` and least `bytes` of its problem."""
    columns = {"problem", "dtype", "simt_floor_us", "floor_bytes_us", "simulated_us"}
    known = {problem["name"]: problem for problem in problems.load() + triples.load()}
    rows = [row for row in read_table(path, columns, "counts") if row["simulated_us"]]
    for row in rows:
        problem = known[row["problem"]]
        row["flops"] = problem["flops"]
        row["bytes"] = problem["elements"] * BYTES[row["dtype"]]
    return rows


def draw_roof(axes, rows):
    """min(bandwidth * x, peak), both by the floors of the table; axes in TFlop/s."""
    bandwidth = max(row["bytes"] / float(row["floor_bytes_us"]) for row in rows) / 1e6
    peak = max(row["flops"] / float(row["simt_floor_us"]) for row in rows) / 1e6
    ridge, last = peak / bandwidth, 1500
    axes.plot([1, ridge, last], [bandwidth, peak, peak], color="black", linewidth=1)
    axes.text(last, peak * 1.06, f"{peak:.1f} TFlop/s", ha="right")
    axes.text(ridge * 0.45, peak * 0.5, f"{bandwidth:.1f} TB/s", ha="right")


def draw_kernels(axes, rows):
    for prefix, (mark, label) in FAMILIES.items():
        family = [row for row in rows if row["problem"].startswith(prefix)]
        axes.plot(
            [row["flops"] / row["bytes"] for row in family],
            [row["flops"] / float(row["simulated_us"]) / 1e6 for row in family],
            mark,
            label=label,
            markersize=4,
            fillstyle="none",
        )


def draw_roofline(rows, chip):
    figure, panels = pyplot.subplots(1, len(BYTES), figsize=(9, 3.6), sharey=True)
    for axes, dtype in zip(panels, BYTES):
        kernels = [row for row in rows if row["dtype"] == dtype]
        draw_roof(axes, kernels)
        draw_kernels(axes, kernels)
        axes.set(xscale="log", yscale="log", xlim=(1, 2000), ylim=(10, 100))
        axes.set(title=f"{dtype} on {chip}: {len(kernels)} kernels, simulated")
        axes.set(xlabel="flops per byte that the problem has to move")
        axes.set_yticks(TICKS, [str(tick) for tick in TICKS])
        axes.minorticks_off()
    panels[0].set(ylabel="TFlop/s by simulated time (level A)")
    panels[0].legend(loc="lower right")
    figure.tight_layout()
    return figure


def read_errors(path):
    columns = {"chip", "distribution", "precision", "terms", "rms", "fma_rms"}
    return read_table(path, columns, "errors of sums")


def draw_errors(axes, rows):
    """Root mean squares by precision; those of multiply-adds in black."""
    rows = [row for row in rows if not row["precision"].startswith("c64") and ":" not in row["precision"]]
    lines = {"multiply-adds": {int(row["terms"]): float(row["fma_rms"]) for row in rows if row["precision"] != "f16"}}
    for row in rows:
        lines.setdefault(row["precision"], {})[int(row["terms"])] = float(row["rms"])
    for label, points in lines.items():
        style = {"color": "black", "linestyle": "--"} if label == "multiply-adds" else {"marker": "o"}
        axes.plot(*zip(*sorted(points.items())), label=label, markersize=3, linewidth=1, **style)
    axes.set(xscale="log", yscale="log")


def draw_accuracy(rows):
    chips = sorted({row["chip"] for row in rows})
    figure, panels = pyplot.subplots(len(chips), len(DRAWN), figsize=(9, 6.5), sharex=True, sharey=True)
    for chip, row_of_panels in zip(chips, panels):
        for kind, axes in zip(DRAWN, row_of_panels):
            draw_errors(axes, [row for row in rows if (row["chip"], row["distribution"]) == (chip, kind)])
            axes.set(title=f"{chip}, {kind}")
    for axes in panels[-1]:
        axes.set(xlabel="terms of the sum")
    for row_of_panels in panels:
        row_of_panels[0].set(ylabel="mean error / (2^-24 sum |a b|)")
    panels[0][-1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    return figure


def read_rows(path):
    columns = {"nest", "rows", "terms", "chosen", *(f"{version}_us" for version in VERSIONS)}
    rows = read_table(path, columns, "versions of rows")
    return [row for row in rows if int(row["rows"]) * int(row["terms"]) == SWEEP]


def draw_versions(axes, rows):
    """Times of each version over the number of rows, and of that which is chosen."""
    numbers = [int(row["rows"]) for row in rows]
    for version in VERSIONS:
        times = [float(row[f"{version}_us"]) for row in rows]
        axes.plot(numbers, times, marker="o", markersize=3, linewidth=1, label=version)
    chosen = [float(row[f"{row['chosen']}_us"]) for row in rows]
    axes.plot(numbers, chosen, "o", markersize=7, fillstyle="none", color="black", label="chosen")
    axes.set(yscale="log", xlabel="rows, of 2^25 terms together")
    axes.set_xscale("log", base=2)


def draw_rows(rows):
    nests = list(dict.fromkeys(row["nest"] for row in rows))
    figure, panels = pyplot.subplots(1, len(nests), figsize=(9, 3.2), sharey=True, squeeze=False)
    for nest, axes in zip(nests, panels[0]):
        draw_versions(axes, [row for row in rows if row["nest"] == nest])
        axes.set(title=nest)
    panels[0][0].set(ylabel="simulated time in us")
    panels[0][-1].legend()
    figure.tight_layout()
    return figure


def write(figure, name, folders):
    text = io.StringIO()
    figure.savefig(text, metadata={"Date": None})
    lines = [line.rstrip() + "\n" for line in text.getvalue().splitlines()]
    for folder in folders:
        folder.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("".join(lines), encoding="utf-8")
        print(folder / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--table", default=HERE / "results/simulated.csv", help="the points")
    parser.add_argument("--counts", default=HERE / "results/counted.csv", help="the kernels")
    parser.add_argument("--errors", default=HERE / "results/accuracy.csv", help="the sums")
    parser.add_argument("--rows", default=HERE / "results/rows.csv", help="versions of rows")
    parser.add_argument("--save", action="store_true", help="keep the pictures in the tree")
    options = parser.parse_args()
    # The same file for the same points.
    pyplot.rcParams.update({"svg.hashsalt": "tc", "svg.fonttype": "none", "font.size": 9})
    reports = [pathlib.Path(options.build) / "reports"]
    results, images = ([HERE / "results"], [IMAGES]) if options.save else ([], [])
    write(draw_levels(read_points(options.table)), "simulated.svg", reports + results)
    kernels, chip = read_kernels(options.counts), read_comment(options.counts, "chip")
    write(draw_roofline(kernels, chip), "roofline.svg", reports + images)
    write(draw_accuracy(read_errors(options.errors)), "accuracy.svg", reports + images)
    write(draw_rows(read_rows(options.rows)), "rows.svg", reports + images)
    return 0


if __name__ == "__main__":
    sys.exit(main())
