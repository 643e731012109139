#!/usr/bin/env python3
"""Times the search for a schedule, for each contraction of
cases/contractions.json at full extents: wall clock of the pass, by MLIR's timer.

Prints the median and the slowest. A machine under load gives larger numbers.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys

import model


def time_search(case):
    """Milliseconds that the pass takes."""
    command = [case.tool("tc-opt"), f"--tc-schedule=chip={case.options.chip}", "--mlir-timing"]
    run = subprocess.run(
        [*command, "-o", os.devnull],
        input=case.without_schedule(),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(re.search(r"([\d.]+) \([^)]*\) +\S*Schedule", run.stderr).group(1)) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    model.add_options(parser)
    options = parser.parse_args()
    times = {
        f"{problem['name']} {dtype}": time_search(model.Case(options, problem, dtype))
        for problem, dtype in model.choose_cases(options)
    }
    slowest = sorted(times, key=times.get)[-6:]
    print(f"median {statistics.median(times.values()):.1f} ms of {len(times)} searches")
    print("\n".join(f"{name} {times[name]:.1f} ms" for name in slowest))
    return 0


if __name__ == "__main__":
    sys.exit(main())
