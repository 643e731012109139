#!/usr/bin/env python3
"""Sets the order of mappings of nests by predicted time against simulated time.

For each nest of cases/nests.mlir the mappings that tc-map studies: Spearman's rank
correlation of predicted time with that simulated by level A and by level B, and the
simulated time of the mapping that the compiler takes over the least of all. Writes
reports/nests.csv and reports/nests.md into the build folder, and with --save also
results/nests.csv here. Nothing is measured.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import model
import ranks

COLUMNS = ["nest", "mappings", "rank_correlation", "rank_correlation_b"]
COLUMNS += ["predicted_us", "simulated_us", "simulated_b_us"]
COLUMNS += ["chosen_over_least", "chosen_over_least_b", "median_over_least_b"]
COLUMNS += ["least_mapping_b"]
PREDICTED, LEVEL_A, LEVEL_B = range(3)
MOST_MAPPINGS = 32
REMARK = re.compile(r"remark: (?:carried out|then): (#tc\.map<.*>)\n([\d.]+|inf) us")
NEST = re.compile(r"(tc\.par (?:device|block) [^{]*\) )\{")


def find_mappings(options, text):
    """Microseconds that are predicted for each mapping, the one to take first."""
    run = subprocess.run(
        [
            os.path.join(options.build, "bin", "tc-opt"),
            f"--tc-map=chip={options.chip} explain={MOST_MAPPINGS}",
            "-o",
            os.devnull,
        ],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return {mapping: float(time) for mapping, time in REMARK.findall(run.stderr)}


def simulate(options, text):
    """Microseconds of the nest by both levels."""
    launches = model.count_function(options, text, "--simulate")
    return [1e6 * time for time in model.sum_simulated(launches)]


def rank_nest(options, name, text):
    """The row of one nest."""
    times = {}
    for mapping, predicted in find_mappings(options, text).items():
        mapped, found = NEST.subn(rf"\1map {mapping} {{", text)
        assert found == 1, f"expected one tc.par without a mapping in {name}, found {found}"
        times[mapping] = [predicted, *simulate(options, mapped)]
    chosen = next(iter(times.values()))
    ordered = sorted(times, key=lambda mapping: times[mapping][LEVEL_B])
    least_b = times[ordered[0]][LEVEL_B]
    row = {
        "nest": name,
        "mappings": len(times),
        "rank_correlation": ranks.correlate(times, PREDICTED, LEVEL_A),
        "rank_correlation_b": ranks.correlate(times, PREDICTED, LEVEL_B),
        "predicted_us": round(chosen[PREDICTED], 2),
        "simulated_us": round(chosen[LEVEL_A], 2),
        "simulated_b_us": round(chosen[LEVEL_B], 2),
        "chosen_over_least": round(
            chosen[LEVEL_A] / min(time[LEVEL_A] for time in times.values()), 3
        ),
        "chosen_over_least_b": round(chosen[LEVEL_B] / least_b, 3),
        "median_over_least_b": round(times[ordered[len(times) // 2]][LEVEL_B] / least_b, 3),
        "least_mapping_b": ordered[0],
    }
    print(" ".join(str(row[column]) for column in COLUMNS[:-1]), flush=True)
    if options.verbose:
        for mapping in ordered:
            print("   ", *(f"{time:.2f}" for time in times[mapping]), mapping, flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--nests", default="", help="names; default all")
    parser.add_argument("--sample-blocks", type=int, default=4, help="of each, at least")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", action="store_true", help="also write results/")
    parser.add_argument("--verbose", action="store_true", help="print each mapping")
    options = parser.parse_args()
    nests = model.load_functions("nests.mlir")
    names = [name for name in options.nests.split(",") if name] or list(nests)
    if unknown := set(names) - set(nests):
        parser.error(f"expected names of nests, got '{', '.join(sorted(unknown))}'")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda name: rank_nest(options, name, nests[name]), names))
    summary = ranks.summarise_columns(
        rows,
        lambda row: row["nest"],
        (
            ("rank_correlation", min),
            ("rank_correlation_b", min),
            ("chosen_over_least", max),
            ("chosen_over_least_b", max),
            ("median_over_least_b", max),
        ),
    )
    title = "Mappings of nests by predicted and by simulated time"
    model.write_reports("nests", title, rows, summary, options, COLUMNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
