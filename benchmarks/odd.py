#!/usr/bin/env python3
"""Sets the schedule that the compiler takes for odd matrix products beside others.

Draws products ik,kj->ij with extents from 1000 to 8191, f32 and f64 in turn. For each, level A
simulates the schedule taken, the first of those that the search ranks, and the tile that one
writes by hand: 16x16 threads with 8x8 results each (f64: 8x4). Prints the time of the schedule
taken over the best of the others, and the predicted over the simulated one. Writes
reports/odd.csv and reports/odd.md into the build folder, and with --save also results/odd.csv
here. With --limit=1.1 --error=0.15 a schedule that takes more than 1.1 times the best, or one whose
predicted time is off by over 15 %, is an error. Nothing is measured.
"""

import argparse
import concurrent.futures
import random
import sys

import model
import ranks

EINSUM = "ik,kj->ij"
LEAST, MOST = 1000, 8191
# Registers of a thread along i and j.
BY_HAND = {"f32": (8, 8), "f64": (8, 4)}
COLUMNS = ["problem", "dtype", "predicted_us", "simulated_us", "best_us", "by_hand_us"]
COLUMNS += ["over_best", "over_by_hand", "predicted_over_simulated", "schedule", "best"]


def draw(count, seed):
    """Problems of three random extents each, and their types."""
    dice = random.Random(seed)
    types = list(BY_HAND)
    for number in range(count):
        sizes = {label: dice.randint(LEAST, MOST) for label in "ijk"}
        name = "x".join(str(sizes[label]) for label in "ikj")
        yield {"name": name, "einsum": EINSUM, "sizes": sizes}, types[number % len(types)]


def write_by_hand(dtype):
    """The schedules of the usual tile, by the depth of a step."""
    rows, columns = BY_HAND[dtype]
    return [
        f"#tc.schedule<thread = [i = 16, j = 16], register = [i = {rows}, j = {columns}], "
        f"step = [k = {step}], stages = 2, kernel = fma>"
        for step in (8, 16)
    ]


def make_row(case, ranked):
    def simulate(schedules):
        """The shortest time and its schedule."""
        times = [(case.time(schedule), schedule) for schedule in schedules]
        return min((time[1], schedule) for time, schedule in times if time)

    predicted, simulated = case.time(case.chosen)
    best, schedule = simulate({*case.find_best(ranked), case.chosen})
    by_hand, _ = simulate(write_by_hand(case.dtype))
    row = {
        "problem": case.problem["name"],
        "dtype": case.dtype,
        "predicted_us": round(predicted * 1e6, 1),
        "simulated_us": round(simulated * 1e6, 1),
        "best_us": round(best * 1e6, 1),
        "by_hand_us": round(by_hand * 1e6, 1),
        "over_best": round(simulated / best, 3),
        "over_by_hand": round(simulated / by_hand, 3),
        "predicted_over_simulated": round(predicted / simulated, 3),
        "schedule": case.chosen,
        "best": schedule,
    }
    print(" ".join(str(row[column]) for column in COLUMNS[:-2]), flush=True)
    return row


def find_faults(rows, options):
    """What is beyond the limits, a line each."""
    for row in rows:
        name = f"{row['problem']} {row['dtype']}"
        over = max(row["over_best"], row["over_by_hand"])
        if options.limit and over > options.limit:
            yield f"error: {name}: expected at most {options.limit} of the best, got {over}"
        error = abs(row["predicted_over_simulated"] - 1)
        if options.error and error > options.error:
            yield f"error: {name}: expected an error of at most {options.error}, got {error:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    model.add_options(parser)
    parser.add_argument("--count", type=int, default=40, help="of products")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranked", type=int, default=30, help="schedules of the search, of each")
    parser.add_argument("--limit", type=float, help="on the time over that of the best")
    parser.add_argument("--error", type=float, help="of the predicted time")
    options = parser.parse_args()

    def run(drawn):
        return make_row(model.Case(options, *drawn), options.ranked)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(run, draw(options.count, options.seed)))
    summary = ranks.summarise_columns(
        rows,
        lambda row: f"{row['problem']} {row['dtype']}",
        (
            ("over_best", max),
            ("over_by_hand", max),
            ("predicted_over_simulated", min),
            ("predicted_over_simulated", max),
        ),
    )
    title = "Odd matrix products: the schedule taken beside others"
    model.write_reports("odd", title, rows, summary, options, COLUMNS)
    faults = list(find_faults(rows, options))
    print("\n".join(faults))
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
