"""What counted kernels should reach, and what some must not fall behind.

goals.json has both: `goals`, for means and worst cases over all problems, which
are reported; and `limits`, what single problems reach today, which are checked.
A limit is the worst value that passes, by problem, type and column.
"""

import json
import math
import os
import statistics

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goals.json")

ROWS = {
    "all": lambda row: True,
    "tccg": lambda row: row["problem"].startswith("tccg"),
    "fused (T), f64": lambda row: row["problem"].startswith("triples") and row["dtype"] == "f64",
    "floor over 50 us": lambda row: row["simt_floor_us"] > 50,
    "floor up to 50 us": lambda row: row["simt_floor_us"] <= 50,
}
REDUCE = {
    "mean": statistics.mean,
    "geomean": lambda values: math.exp(statistics.mean(math.log(v) for v in values)),
    "min": min,
    "max": max,
}
# Columns of which more is better; of all others less is.
RISING = {"useful_share"}


def load(path=PATH):
    """The contents of goals.json."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(wanted, path=PATH):
    """Writes them, a goal and a problem a line."""
    parts = [[json.dumps(goal) for goal in wanted["goals"]]]
    limits = wanted["limits"].items()
    parts.append([f"{json.dumps(name)}: {json.dumps(columns)}" for name, columns in limits])
    inner = [",\n".join(f"    {line}" for line in part) for part in parts]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{{\n  "goals": [\n{inner[0]}\n  ],\n  "limits": {{\n{inner[1]}\n  }}\n}}\n')


def summarise(rows, goals):
    """Lines of a table that sets what was found against each goal."""
    lines = ["| | rows | found | goal | met | worst at |", "|---|---|---|---|---|---|"]
    for goal in goals:
        column = goal["column"]
        group = [row for row in rows if row[column] != "" and ROWS[goal["rows"]](row)]
        if not group:
            continue
        found = REDUCE[goal["reduce"]]([row[column] for row in group])
        is_most = "most" in goal
        worst = (max if is_most else min)(group, key=lambda row: row[column])
        wanted = goal["most"] if is_most else goal["least"]
        met = found <= wanted if is_most else found >= wanted
        lines.append(
            f"| {goal['name']}, {goal['reduce']} | {len(group)}, {goal['rows']} | {found:.3f} | "
            f"{'<=' if is_most else '>='} {wanted} | {'yes' if met else 'no'} | "
            f"{worst['problem']} {worst['dtype']}: {worst[column]} |"
        )
    return lines


def check(rows, limits):
    """Faults of rows that are behind their limits, and of limits without row."""
    faults = []
    found = {f"{row['problem']} {row['dtype']}": row for row in rows}
    for name, columns in limits.items():
        if name not in found:
            faults.append(f"{name}: expected to be counted, since it has limits")
            continue
        for column, limit in columns.items():
            value = found[name][column]
            is_rising = column in RISING
            if value == "" or (value < limit if is_rising else value > limit):
                side = "at least" if is_rising else "at most"
                faults.append(f"{name}: expected {column} of {side} {limit}, got {value!r}")
    return faults


def tighten(rows, limits):
    """Sets each limit that a row is better than to what the row has, with two
    digits behind the point."""
    for row in rows:
        columns = limits.get(f"{row['problem']} {row['dtype']}", {})
        for column, limit in columns.items():
            if row[column] == "":
                continue
            if column in RISING:
                columns[column] = max(limit, math.floor(row[column] * 100) / 100)
            else:
                columns[column] = min(limit, math.ceil(row[column] * 100) / 100)
