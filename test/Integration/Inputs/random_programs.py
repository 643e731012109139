"""Random programs, compiled, run on the emulator, and compared with NumPy.

  random_programs.py --seed=1 --count=150 [--family=NAME ...] [--tc-run=PROGRAM]

A family is a form of text; each gets its share of the count. A failure is shrunk
to a small program, which is printed with its text; the same arguments find it
again. The last lines are a table of what was covered, and `N agree, N failed`.
"""

import argparse
import os
import sys
import time

import hypothesis
import hypothesis.internal.conjecture.engine
from hypothesis import HealthCheck, Phase

from programs import families
from programs.coverage import Coverage
from programs.run import TcRun, check, read, save
from programs.text import write_program


# A failure is shrunk so long at most. Hypothesis has no setting for it.
hypothesis.internal.conjecture.engine.MAX_SHRINKING_SECONDS = 40


class Wrong(Exception):
    """A program that does not do what it means."""


def explore(family, seed, count, tc_run, coverage, shrinks):
    """(number of programs that agree, the smallest that fails and why, or None)."""
    agree, failures = [0], []
    phases = [Phase.generate, Phase.shrink] if shrinks else [Phase.generate]

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.given(families.FAMILIES[family].programs())
    def run_one(program):
        message = check(program, tc_run)
        if message is None:
            agree[0] += 1
            coverage.add(program)
            return
        failures.append((program, message))
        raise Wrong()

    try:
        run_one()
    except Wrong:
        return agree[0], failures[-1]
    return agree[0], None


def report(family, program, message, folder):
    recipe = os.path.join(folder, f"failed-{family}.txt")
    save(program, recipe)
    print(f"FAILED {family}: {message}")
    print(f"  again: --replay={recipe}")
    print("".join(f"  | {line}\n" for line in write_program(program).splitlines()))


def replay(path, tc_run):
    program = read(path)
    print(write_program(program))
    message = check(program, tc_run)
    print(message or "agrees")
    return message is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tc-run", default="tc-run")
    parser.add_argument("--folder", help="for the files of the last program")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--family", action="append", choices=list(families.FAMILIES))
    parser.add_argument("--replay", help="a recipe that a failure left")
    parser.add_argument("--no-shrink", action="store_true")
    options = parser.parse_args()
    tc_run = TcRun(options.tc_run, options.device, options.chip, options.folder)
    if options.replay:
        return replay(options.replay, tc_run)
    names = options.family or list(families.FAMILIES)
    shares = families.share(names, options.count)
    coverage, agree, failed = Coverage(), 0, 0
    for name in names:
        start = time.monotonic()
        done, failure = explore(
            name, options.seed, shares[name], tc_run, coverage, not options.no_shrink
        )
        agree += done
        if failure:
            failed += 1
            report(name, *failure, tc_run.folder)
        print(f"{name}: {done} of {shares[name]}, {time.monotonic() - start:.1f} s", flush=True)
    tc_run.stop()
    print(coverage.table())
    empty = coverage.empty_cells()
    if empty:
        print("empty cells:", ", ".join(empty))
    print(f"{agree} agree, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main())
