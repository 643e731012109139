#!/usr/bin/env python3
"""Sets the order of schedules by predicted time against that by simulated time.

For each contraction of cases/contractions.json at full extents, some legal
schedules: half of them drawn at random, half of them among the best that the
search knows. Reports Spearman's rank correlation of predicted time with that
simulated by level A, and the simulated time of the schedule that the compiler
takes over the least of the others. With --level-b also the rank correlation of
level A with level B, and the same ratio by level B. Writes reports/ranks.csv and
reports/ranks.md into the build folder, and with --save also results/ranks.csv here.
Nothing is measured.
"""

import argparse
import concurrent.futures
import math
import random
import re
import statistics
import sys

import model

COLUMNS = ["problem", "dtype", "schedules", "rank_correlation", "rank_correlation_drawn"]
COLUMNS += ["chosen_us", "least_us", "chosen_over_least", "median_us"]
COLUMNS += ["rank_correlation_b", "rank_correlation_b_known", "chosen_over_least_b"]
COLUMNS += ["least_schedule"]
PREDICTED, LEVEL_A, LEVEL_B = range(3)  # as model.Case.time gives them
FACTORS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)


def spread(source, iterators, extents, target):
    """Factors whose product is at most `target`, over iterators in any order."""
    factors = {}
    for iterator in source.sample(iterators, len(iterators)):
        options = [f for f in FACTORS if f <= min(target, extents[iterator])]
        factor = source.choice(options[-4:])
        if factor > 1:
            factors[iterator] = factor
        target //= factor
    # The last is the fastest thread: half of the time the fastest iterator.
    if source.random() < 0.5:
        factors = dict(sorted(factors.items(), key=lambda item: list(extents).index(item[0])))
    return factors


def draw(case, source):
    """A schedule at random; it may be illegal."""
    space, _, rest = case.program.partition("tc.contract (")[2].partition(")")
    extents = {n: int(e) for n, e in re.findall(r"(\w+) = (\d+)", space)}
    results = re.search(r"outs\(%\w+\[([^\]]*)\]", rest).group(1).split(", ")
    terms = [i for i in extents if i not in results]
    lists = {
        "thread": spread(source, results, extents, source.choice([64, 128, 256])),
        "register": spread(source, results, extents, source.choice([1, 4, 16, 32])),
        "step": spread(source, terms, extents, source.choice([4, 8, 16, 32])),
        "vector": {},
    }
    for iterator, extent in extents.items():
        width = source.choice([1, 1, 2, 4])
        steps = lists["step"].get(iterator, 1)
        if extent % width == 0 and (iterator in results or steps % width == 0) and width > 1:
            lists["vector"][iterator] = width
    texts = [
        f"{name} = [{', '.join(f'{i} = {f}' for i, f in factors.items())}]"
        for name, factors in lists.items()
        if factors
    ]
    stages = source.choice([1, 2, 3])
    texts += [f"stages = {stages}"] if stages > 1 else []
    return f"#tc.schedule<{', '.join(texts + ['kernel = fma'])}>"


def find_rank_correlation(pairs):
    """Spearman's, of two values each, those that are equal to three digits sharing
    a rank."""

    def rank(values):
        values = [float(f"{value:.3g}") for value in values]
        order = sorted(values)
        return [(2 * order.index(v) + order.count(v) - 1) / 2 for v in values]

    a, b = (rank(values) for values in zip(*pairs))
    mean_a, mean_b = statistics.mean(a), statistics.mean(b)
    spread_a = math.sqrt(sum((x - mean_a) ** 2 for x in a))
    spread_b = math.sqrt(sum((y - mean_b) ** 2 for y in b))
    if not spread_a or not spread_b:
        return float(spread_a == spread_b)
    return sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b)) / (spread_a * spread_b)


def simulate_times(case, schedules, wanted):
    """Microseconds of the first `wanted` legal schedules: predicted, and simulated by
    each level that is asked for."""
    times = {}
    for schedule in schedules:
        if len(times) == wanted:
            break
        found = None if schedule in times else case.time(schedule, case.options.level_b)
        if found:
            times[schedule] = [seconds * 1e6 for seconds in found]
    return times


def correlate(times, first, second):
    """The rank correlation of two columns of `times`."""
    pairs = [(row[first], row[second]) for row in times.values()]
    return round(find_rank_correlation(pairs), 3)


def rank_case(options, problem, dtype):
    """The row of one problem and type."""
    case, source = model.Case(options, problem, dtype), random.Random(problem["name"])
    half = options.schedules // 2
    known = case.find_best(8 * half)
    known = source.sample(known, min(len(known), half))
    known = simulate_times(case, known, half)
    drawn = simulate_times(case, (draw(case, source) for _ in range(40 * half)), half)
    times = drawn | known
    chosen = simulate_times(case, [case.chosen], 1)[case.chosen]
    least = min(times, key=lambda schedule: times[schedule][LEVEL_A])
    row = dict.fromkeys(COLUMNS, "")
    row.update(
        problem=problem["name"],
        dtype=dtype,
        schedules=len(times),
        rank_correlation=correlate(times, PREDICTED, LEVEL_A),
        rank_correlation_drawn=correlate(drawn, PREDICTED, LEVEL_A),
        chosen_us=round(chosen[LEVEL_A], 2),
        least_us=round(times[least][LEVEL_A], 2),
        chosen_over_least=round(chosen[LEVEL_A] / times[least][LEVEL_A], 3),
        median_us=round(statistics.median(row[LEVEL_A] for row in times.values()), 2),
        least_schedule=least,
    )
    if options.level_b:
        least_b = min(row[LEVEL_B] for row in times.values())
        row.update(
            rank_correlation_b=correlate(times, LEVEL_A, LEVEL_B),
            rank_correlation_b_known=correlate(known, LEVEL_A, LEVEL_B),
            chosen_over_least_b=round(chosen[LEVEL_B] / least_b, 3),
        )
    print(" ".join(str(row[name]) for name in COLUMNS[:-1]), flush=True)
    return row


def summarise_columns(rows, name_row, columns):
    """A table of pairs of a column and what picks the worst of two of its values."""
    lines = ["| | mean | median | worst |", "|---|---|---|---|"]
    for name, worst in columns:
        if rows[0][name] == "":
            continue
        row = worst(rows, key=lambda row: row[name])
        values = [row[name] for row in rows]
        lines.append(
            f"| {name} | {statistics.mean(values):.3f} | {statistics.median(values):.3f} "
            f"| {row[name]} ({name_row(row)}) |"
        )
    return lines


def summarise(rows):
    return summarise_columns(
        rows,
        lambda row: f"{row['problem']} {row['dtype']}",
        (
            ("rank_correlation", min),
            ("rank_correlation_drawn", min),
            ("chosen_over_least", max),
            ("rank_correlation_b", min),
            ("rank_correlation_b_known", min),
            ("chosen_over_least_b", max),
        ),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    model.add_options(parser)
    parser.add_argument("--schedules", type=int, default=32, help="of each problem")
    parser.add_argument("--level-b", action="store_true", help="simulate by level B, too")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(
            pool.map(lambda case: rank_case(options, *case), model.choose_cases(options))
        )
    title = "Schedules by predicted and by simulated time"
    model.write_reports("ranks", title, rows, summarise(rows), options, COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
