"""Numbers and tables from result files: ratios, means, wins and losses. Text only."""

import json
import math
import os
import statistics
import textwrap

from .arithmetic import TYPES
from .ceilings import find_rate

NEAR = 0.02  # within so much, two times are a draw
MISSES = 0.2  # by more than this a measured time misses a counted one
COLUMNS = 100  # of a line of Markdown; tables have longer ones
GOALS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "goals.json")


def geomean(values):
    """The geometric mean; None of nothing."""
    values = list(values)
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else None


def by_problem(run):
    """(problem, dtype) -> contender -> row, of what is right and timed."""
    found = {}
    for row in run["rows"]:
        if row["status"] == "right" and row.get("time_us"):
            found.setdefault((row["problem"], row["dtype"]), {})[row["contender"]] = row
    return found


def find_ratios(run, ours, peer):
    """Speed of `ours` over that of `peer` where both have a time: time of the peer over
    our time, by problem and type. "best:PREFIX" is the fastest peer of that name."""
    ratios = {}
    for key, rows in by_problem(run).items():
        if ours not in rows:
            continue
        times = [
            row["time_us"]
            for name, row in rows.items()
            if name == peer or (peer.startswith("best:") and name.startswith(peer[5:]))
        ]
        if times:
            ratios[key] = min(times) / rows[ours]["time_us"]
    return ratios


def count_wins(ratios):
    """(wins, draws, losses)."""
    wins = sum(ratio > 1 + NEAR for ratio in ratios.values())
    losses = sum(ratio < 1 - NEAR for ratio in ratios.values())
    return wins, len(ratios) - wins - losses, losses


def format_number(value, digits=3):
    if value is None:
        return ""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def format_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def wrap(text, indent=""):
    """The lines of a paragraph, or of a list item with its continuations at `indent`."""
    return textwrap.wrap(
        text,
        COLUMNS,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def list_contenders(run):
    """Names in the order of the run, of what was found."""
    return [name for name, found in run["contenders"].items() if found["found"]]


def describe(run):
    """Lines that say where the numbers of a run come from."""
    kind = "*measured*" if run["kind"] == "measured" else "**emulated, not measured**"
    lines = [
        f"- {kind} on {run['device']}, driver {run['driver']}, {run['started'][:10]}, "
        f"commit {run['commit']}, kernels of {run['bundle_commit']}, data of seed {run['seed']}"
    ]
    if ceilings := run.get("ceilings"):
        lines.append(
            f"- reached on this device: {ceilings['copy_bytes_per_second'] / 1e12:.3g} TB/s "
            f"copied, {ceilings['f32_flops'] / 1e12:.3g} TFLOPS of f32, "
            f"{ceilings['f64_flops'] / 1e12:.3g} of f64 without tensor units; "
            f"{ceilings['launch']['device_us']:.3g} us a launch on the device, "
            f"{ceilings['launch']['host_us']:.3g} us on the host"
        )
        by_mma = [
            f"{ceilings[name] / 1e12:.3g} of {kind}"
            for kind in ("f64", "tf32", "bf16", "f16")
            if (name := f"mma_{kind}_flops") in ceilings
        ]
        lines += [f"- by `mma.sync`, in TFLOPS: {', '.join(by_mma)}"] if by_mma else []
    if sheet := run.get("datasheet"):
        lines.append(
            f"- {sheet['source']}: {sheet['dram_bytes_per_second'] / 1e12:.3g} TB/s, "
            f"{sheet['f32_flops'] / 1e12:.3g}, {sheet['f64_flops'] / 1e12:.3g} TFLOPS"
        )
    missing = [f"{n} ({f['why']})" for n, f in run["contenders"].items() if not f["found"]]
    if missing:
        lines.append(f"- missing: {', '.join(missing)}")
    bad = [row for row in run["rows"] if row["status"] in ("wrong", "failed")]
    for row in bad:
        lines.append(
            f"- {row['status'].upper()}: {row['contender']} on {row['problem']} {row['dtype']}: "
            f"{row['why'].splitlines()[0]}"
        )
    if not run.get("finished"):
        lines.append("- the run was stopped before its end")
    return [part for line in lines for part in wrap(line, "  ")]


def compare_contenders(run, ours="tc"):
    """A row for each peer and type: mean, worst, best, wins and losses of `ours`."""
    rows = []
    for peer in [*list_contenders(run), "best:cutensor"]:
        if peer == ours:
            continue
        ratios = find_ratios(run, ours, peer)
        for dtype in sorted({dtype for _, dtype in ratios}):
            part = {key: ratio for key, ratio in ratios.items() if key[1] == dtype}
            worst, best = min(part, key=part.get), max(part, key=part.get)
            name = "cutensor, the best of all" if peer.startswith("best:") else peer
            rows.append(
                [
                    name,
                    dtype,
                    str(len(part)),
                    f"{geomean(part.values()):.3f}",
                    f"{part[worst]:.2f} ({worst[0]})",
                    f"{part[best]:.2f} ({best[0]})",
                    " / ".join(map(str, count_wins(part))),
                ]
            )
    head = ["peer", "type", "problems", f"speed of {ours} / peer, geometric mean"]
    return format_table([*head, "least", "most", "wins / draws / losses"], rows) if rows else []


def _find_goal_values(run, ours, goal):
    """What a goal is about, by problem and type."""
    if "speed" in goal:
        values = find_ratios(run, ours, goal["speed"])
    else:
        values = {
            key: rows[ours]["share_of_floor"]
            for key, rows in by_problem(run).items()
            if ours in rows
            and rows[ours]["floor_binds"] == goal["share"]
            and rows[ours]["floor_us"] > 50
        }
    return {
        key: value
        for key, value in values.items()
        if any(key[0].startswith(prefix) for prefix in goal["problems"])
    }


def compare_goals(run, ours="tc"):
    """A row for each goal of goals.json and type that the run says something about."""
    with open(GOALS, encoding="utf-8") as file:
        goals = json.load(file)["goals"]
    rows = []
    for goal in goals:
        found = _find_goal_values(run, ours, goal)
        for dtype in sorted({dtype for _, dtype in found}):
            part = {key: value for key, value in found.items() if key[1] == dtype}
            worst = min(part, key=part.get)
            value = geomean(part.values()) if "speed" in goal else part[worst]
            met = "yes" if value >= goal["least"] else "no"
            numbers = [str(len(part)), f"{value:.3f}", f">= {goal['least']}", met]
            rows.append([goal["name"], dtype, *numbers, f"{worst[0]}: {part[worst]:.2f}"])
    head = ["goal", "type", "problems", "found", "wanted", "met", "worst at"]
    return format_table(head, rows) if rows else []


def compare_floors(run):
    """A row for each contender and type: time over floor."""
    rows = []
    problems = by_problem(run)
    for name in list_contenders(run):
        for dtype in TYPES:
            part = [r[name] for key, r in problems.items() if key[1] == dtype and name in r]
            if not part:
                continue
            large = [row for row in part if row["floor_us"] > 50 and row["floor_binds"] == "dram"]
            worst = max(part, key=lambda row: row["time_us"] / row["floor_us"])
            rows.append(
                [
                    name,
                    dtype,
                    str(len(part)),
                    f"{geomean(row['time_us'] / row['floor_us'] for row in part):.3f}",
                    f"{worst['time_us'] / worst['floor_us']:.2f} ({worst['problem']})",
                    format_number(geomean(row["share_of_floor"] for row in large)),
                ]
            )
    head = ["contender", "type", "problems", "time / floor, geometric mean", "most"]
    return format_table([*head, "share of copy bandwidth where memory binds, over 50 us"], rows)


def list_problems(run):
    """A row for each problem: the time of each contender, and of the floor."""
    names, rows = list_contenders(run), []
    for (problem, dtype), found in by_problem(run).items():
        first = next(iter(found.values()))
        fastest = min(row["time_us"] for row in found.values())
        cells = []
        for name in names:
            time_us = found[name]["time_us"] if name in found else None
            text = format_number(time_us, 4)
            cells.append(f"**{text}**" if time_us == fastest else text)
        rows.append([problem, dtype, format_number(first["floor_us"], 4), *cells])
    return format_table(["problem", "type", "floor us", *(f"{n} us" for n in names)], rows)


def find_binding(run, row):
    """What the time of a row says that binds: the ceiling of the device that is
    nearest, with the share of it; or the launch, of which it is no more than twice."""
    ceilings = run["ceilings"]
    if row["time_us"] < 2 * ceilings["launch"]["device_us"]:
        return "launch"
    seconds = row["time_us"] * 1e-6
    shares = {
        "dram": row["bytes"] / seconds / ceilings["copy_bytes_per_second"],
        row["dtype"]: row["flops"] / seconds / find_rate(row["dtype"], ceilings),
    }
    nearest = max(shares, key=shares.get)
    return f"{nearest} {shares[nearest]:.2f}"


def compare_kinds(run, ours="tc"):
    """Predicted, counted and measured time of our kernels, and what each says binds."""
    rows = []
    for (problem, dtype), found in by_problem(run).items():
        row = found.get(ours)
        if not row:
            continue
        cells = [problem, dtype]
        for kind in ("predicted", "counted"):
            estimate = row.get(kind)
            cells.append(format_number(estimate["seconds"] * 1e6 if estimate else None, 4))
            cells.append(estimate["limiter"] if estimate else "")
        counted = row.get("counted")
        ratio = row["time_us"] / (counted["seconds"] * 1e6) if counted else None
        cells += [format_number(row["time_us"], 4), find_binding(run, row)]
        rows.append([*cells, format_number(ratio)])
    kind = run["kind"]
    head = ["problem", "type", "*predicted* us", "binds", "*counted* us", "binds"]
    head += [f"*{kind}* us", "nearest ceiling", f"{kind} / counted"]
    return [*format_table(head, rows), "", *wrap(describe_misses(run, ours))]


def compare_estimates(run, ours="tc"):
    """A row for each kind of estimate and type: measured times over estimated ones."""
    found = {}
    for key, rows in by_problem(run).items():
        for kind in ("predicted", "counted"):
            if estimate := rows.get(ours, {}).get(kind):
                ratio = rows[ours]["time_us"] / (estimate["seconds"] * 1e6)
                found.setdefault((kind, key[1]), {})[key[0]] = ratio
    table = []
    for (kind, dtype), ratios in sorted(found.items()):
        least, most = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
        table.append(
            [
                f"*{kind}*",
                dtype,
                str(len(ratios)),
                f"{geomean(ratios.values()):.3f}",
                f"{ratios[least]:.2f} ({least})",
                f"{ratios[most]:.2f} ({most})",
            ]
        )
    head = ["estimate", "type", "problems", f"{run['kind']} / estimate, geometric mean"]
    return format_table([*head, "least", "most"], table) if table else []


def describe_misses(run, ours="tc"):
    """A sentence: how many measured times are off their counted ones."""
    ratios = {
        key: rows[ours]["time_us"] / (rows[ours]["counted"]["seconds"] * 1e6)
        for key, rows in by_problem(run).items()
        if ours in rows and rows[ours].get("counted")
    }
    if not ratios:
        return "Nothing was counted."
    off = [key for key, ratio in ratios.items() if abs(ratio - 1) > MISSES]
    worst = max(ratios, key=lambda key: abs(math.log(ratios[key])))
    return (
        f"{len(off)} of {len(ratios)} {run['kind']} times are off the counted ones by more than "
        f"{MISSES:.0%}; farthest {' '.join(worst)}, {ratios[worst]:.2f} times the count."
    )


def compare_runs(old, new):
    """A row for each contender that both runs have: how its times changed; and one for
    each problem that changed by more than a draw."""
    first, second, ratios = by_problem(old), by_problem(new), {}
    for key, rows in second.items():
        for name, row in rows.items():
            before = first.get(key, {}).get(name)
            if before:
                ratios.setdefault(name, {})[key] = before["time_us"] / row["time_us"]
    head = ["contender", "problems", "speed new / old, geometric mean", "least", "most"]
    rows, changes = [], []
    for name, part in ratios.items():
        worst, best = min(part, key=part.get), max(part, key=part.get)
        ends = [f"{part[key]:.3f} ({' '.join(key)})" for key in (worst, best)]
        rows.append([name, str(len(part)), f"{geomean(part.values()):.3f}", *ends])
        for key, ratio in sorted(part.items(), key=lambda item: item[1]):
            if abs(ratio - 1) > NEAR:
                old_us, new_us = first[key][name]["time_us"], second[key][name]["time_us"]
                numbers = [format_number(old_us, 4), format_number(new_us, 4), f"{ratio:.3f}"]
                changes.append([*key, name, *numbers])
    gone = sorted(set(first) - set(second))
    lines = format_table(head, rows) + [""]
    lines += format_table(["problem", "type", "contender", "old us", "new us", "speed"], changes)
    if gone:
        lines += ["", "only in the old run: " + ", ".join(" ".join(key) for key in gone)]
    return lines
