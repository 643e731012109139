#!/usr/bin/env python3
"""Compiles contractions into a bundle: cubins, PTX and a manifest, which is all that
benchmarks/gpu/run needs. Kernels that are in the folder and up to date are kept."""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import bundle, main, results  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", default=main.find_build(), help="build folder")
    parser.add_argument("--output", help="folder of the bundle; default BUILD/bundle")
    parser.add_argument("--cases", default=main.CASES, help="file of contractions")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--chips", default="sm_80,sm_90a")
    parser.add_argument("--variant", help="what to call these kernels (default search, or tuned)")
    parser.add_argument("--tuning", default="", help="tuning file for the compiler")
    parser.add_argument("--schedule", default="", help="schedule of the only problem")
    parser.add_argument("--count", action="store_true", help="count each kernel (seconds each)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def run():
    options = parse_arguments()
    problems = main.load_problems(
        options.cases, main.split(options.dtypes), main.split(options.problems)
    )
    variant = options.variant or ("tuned" if options.tuning else "search")
    wanted = [
        (problem, chip, variant, options.schedule, options.tuning)
        for problem in problems
        for chip in main.split(options.chips)
    ]
    if options.schedule and len(problems) != 1:
        raise ValueError(f"expected one problem for a schedule, got {len(problems)}")
    output = options.output or os.path.join(options.build, "bundle")
    faults = bundle.make(
        options.build,
        output,
        wanted,
        jobs=options.jobs,
        count=options.count,
        commit=results.find_commit(),
        progress=bundle.print_progress,
    )
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{len(wanted) - len(faults)} kernels, {len(faults)} faults; bundle in {output}")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(run())
    except (bundle.BundleError, ValueError, OSError) as error:
        print(f"bundle.py: error: {error}", file=sys.stderr)
        sys.exit(2)
