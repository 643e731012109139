"""Compiles problems with the schedule that is chosen for them, and again with that
schedule given as text, and compares the PTX.

    reapply.py TC_COMPILE BENCHMARKS STRIDE

BENCHMARKS is the folder of benchmarks/problems.py; every STRIDE-th problem is compiled.
"""

import json
import re
import subprocess
import sys


def compile_problem(tool, problem, *options):
    """What tc-compile prints of a problem."""
    sizes = problems.format_sizes(problem["sizes"])
    command = [tool, f"--einsum={problem['einsum']}", f"--sizes={sizes}", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    tool, stride = sys.argv[1], int(sys.argv[3])
    chosen = problems.load()[::stride]
    changed = 0
    for number, problem in enumerate(chosen):
        schedule = json.loads(compile_problem(tool, problem, "--report=json"))["schedule"]
        given = compile_problem(tool, problem, f"--schedule={schedule}", "-o", "-")
        if given != compile_problem(tool, problem, "-o", "-"):
            print(f"FAILED {problem['name']}: other PTX with {schedule}")
        if number < 5:  # that it is taken at all: one stage less shows
            other = re.sub(r"stages = \d+, ", "", schedule)
            changed += given != compile_problem(tool, problem, f"--schedule={other}", "-o", "-")
    print(f"{len(chosen)} problems compared; {changed} of 5 change with another schedule")


sys.path.insert(0, sys.argv[2])
import problems  # noqa: E402  (of the benchmarks)

main()
