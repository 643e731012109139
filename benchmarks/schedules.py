#!/usr/bin/env python3
"""Sets the schedules that the compiler takes beside those of a table.

A table is a CSV file with columns problem, dtype and schedule, such as
results/counted.csv of another commit. Both schedules of each row are compiled as
they are now and simulated by both levels, each with the registers that ptxas
reports. Prints the table's time over today's, by type and level, and the rows that
have become slower. Writes reports/schedules.csv into the build folder, and with
--save also results/schedules.csv here. Nothing is measured.
"""

import argparse
import concurrent.futures
import csv
import statistics
import sys

import model

COLUMNS = ["problem", "dtype", "before_a_us", "now_a_us", "gain_a"]
COLUMNS += ["before_b_us", "now_b_us", "gain_b", "before", "now"]
LEVELS = "ab"


def read_schedules(path):
    """By problem and type."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    lacking = {"problem", "dtype", "schedule"} - set(rows[0] if rows else ())
    if lacking:
        sys.exit(f"error: expected columns {', '.join(sorted(lacking))} in '{path}'")
    return {(row["problem"], row["dtype"]): row["schedule"] for row in rows}


def make_row(case, before):
    """None where the schedule of before is refused now."""
    times = {"now": case.time(case.chosen, level_b=True)}
    times["before"] = times["now"] if before == case.chosen else case.time(before, level_b=True)
    if not all(times.values()):
        return None
    row = {"problem": case.problem["name"], "dtype": case.dtype}
    row |= {"before": before, "now": case.chosen}
    for place, level in enumerate(LEVELS, start=1):
        for when, found in times.items():
            row[f"{when}_{level}_us"] = round(found[place] * 1e6, 2)
        row[f"gain_{level}"] = round(times["before"][place] / times["now"][place], 4)
    return row


def summarise(rows):
    lines = ["| type, level | kernels | changed | geometric mean | least | most | slower by over 3 % |"]
    lines += ["|---" * 7 + "|"]
    for dtype in sorted({row["dtype"] for row in rows}):
        group = [row for row in rows if row["dtype"] == dtype]
        changed = sum(row["before"] != row["now"] for row in group)
        for level in LEVELS:
            name = f"gain_{level}"
            least, most = (f(group, key=lambda row: row[name]) for f in (min, max))
            slower = [row["problem"] for row in group if row[name] < 1 / 1.03]
            lines.append(
                f"| {dtype}, {level.upper()} | {len(group)} | {changed} "
                f"| {statistics.geometric_mean(row[name] for row in group):.3f} "
                f"| {least[name]} ({least['problem']}) | {most[name]} ({most['problem']}) "
                f"| {len(slower)}: {', '.join(slower)} |"
            )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    model.add_options(parser)
    parser.add_argument("--against", required=True, help="the table of schedules, a CSV file")
    options = parser.parse_args()
    before = read_schedules(options.against)
    cases = [(p, dtype) for p, dtype in model.choose_cases(options) if (p["name"], dtype) in before]
    if not cases:
        sys.exit(f"error: expected rows of the problems that are chosen in '{options.against}'")

    def run(problem, dtype):
        return make_row(model.Case(options, problem, dtype), before[problem["name"], dtype])

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda case: run(*case), cases))
    refused = [f"{p['name']} {dtype}" for (p, dtype), row in zip(cases, rows) if not row]
    if refused:
        print(f"refused now: {', '.join(refused)}")
    rows = [row for row in rows if row]
    title = "Schedules of before and of now, by simulated time"
    model.write_reports("schedules", title, rows, summarise(rows), options, COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
