"""Plots of result files by matplotlib, as PNG and SVG; without it there are none."""

import os

from .arithmetic import TYPES
from .ceilings import find_rate
from .tables import by_problem, list_contenders


def load_matplotlib():
    """matplotlib.pyplot, without a screen; None where it is not installed."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    # The same data gives the same file.
    matplotlib.rcParams["svg.hashsalt"] = "tc"
    import matplotlib.pyplot

    return matplotlib.pyplot


def _save(figure, folder, name):
    paths = [os.path.join(folder, f"{name}.{form}") for form in ("png", "svg")]
    for path in paths:
        metadata = {"Date": None} if path.endswith("svg") else None
        figure.savefig(path, dpi=120, bbox_inches="tight", metadata=metadata)
        if path.endswith("svg"):
            _strip_lines(path)
    return paths


def _strip_lines(path):
    """Takes the spaces at the end of lines away, which matplotlib leaves."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip() for line in file]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def _title(run, text):
    kind = "measured" if run["kind"] == "measured" else "EMULATED, not measured"
    return f"{text}: {run['device']}, {kind}, {run['commit']}"


def plot_roofline(plot, run, dtype, folder):
    """Flops a second over flops a byte, under the ceilings that the device reached."""
    figure, axes = plot.subplots(figsize=(8, 5))
    ceilings, points = run["ceilings"], by_problem(run)
    intensities = []
    for name in list_contenders(run):
        rows = [r[name] for key, r in points.items() if key[1] == dtype and name in r]
        if not rows:
            continue
        x = [row["flops"] / row["bytes"] for row in rows]
        intensities += x
        axes.scatter(x, [row["flops"] / row["time_us"] * 1e6 for row in rows], s=14, label=name)
    if not intensities:
        plot.close(figure)
        return []
    ends = [min(intensities) / 2, max(intensities) * 2]
    ridge = find_rate(dtype, ceilings) / ceilings["copy_bytes_per_second"]
    x = sorted([*ends, *([ridge] if ends[0] < ridge < ends[1] else [])])
    roof = [min(find_rate(dtype, ceilings), i * ceilings["copy_bytes_per_second"]) for i in x]
    axes.plot(x, roof, "k-", linewidth=1, label="reached on this device")
    if sheet := run.get("datasheet"):
        roof = [min(find_rate(dtype, sheet), i * sheet["dram_bytes_per_second"]) for i in x]
        axes.plot(x, roof, "k:", linewidth=1, label="data sheet")
    axes.set(xscale="log", yscale="log", xlabel="flops a byte", ylabel="flops a second")
    axes.set_title(_title(run, f"Roofline, {dtype}"), fontsize=9)
    axes.legend(fontsize=7)
    paths = _save(figure, folder, f"roofline-{dtype}")
    plot.close(figure)
    return paths


def plot_problems(plot, run, dtype, folder):
    """The share of the floor that each contender reaches, problem by problem."""
    found = {key[0]: rows for key, rows in by_problem(run).items() if key[1] == dtype}
    if not found:
        return []
    names = list(found)
    figure, axes = plot.subplots(figsize=(max(6, 0.22 * len(names)), 4))
    for contender in list_contenders(run):
        places = [i for i, name in enumerate(names) if contender in found[name]]
        shares = [found[names[i]][contender]["share_of_floor"] for i in places]
        if places:
            axes.plot(places, shares, "o" if contender == "tc" else ".", label=contender)
    axes.axhline(1, color="black", linewidth=0.5)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
    axes.set(ylabel="floor / time", ylim=(0, None))
    axes.set_title(_title(run, f"Share of the floor, {dtype}"), fontsize=9)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    paths = _save(figure, folder, f"problems-{dtype}")
    plot.close(figure)
    return paths


def plot_all(run, folder):
    """Every plot of a run; the paths of the files, or None without matplotlib."""
    plot = load_matplotlib()
    if plot is None:
        return None
    os.makedirs(folder, exist_ok=True)
    paths = []
    present = {row["dtype"] for row in run["rows"]}
    for dtype in (dtype for dtype in TYPES if dtype in present):
        if run.get("ceilings"):
            paths += plot_roofline(plot, run, dtype, folder)
        paths += plot_problems(plot, run, dtype, folder)
    return paths
