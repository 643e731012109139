"""Random programs, compiled, run on the emulator, and compared with NumPy.

  random_programs.py --seed=1 --count=150 [--family=NAME ...] [--tc-run=PROGRAM]

A family is a form of text; each gets its share of the count. A failure is shrunk
to a small program, which is printed with its text; the same arguments find it
again. The last lines are a table of what was covered, and `N agree, N failed`.
"""

import argparse
import contextlib
import os
import sys
import time
from dataclasses import dataclass, field

import hypothesis
import hypothesis.internal.conjecture.engine
from hypothesis import HealthCheck, Phase

from programs import elements, families
from programs.coverage import Coverage
from programs.run import BREAKS, TcRun, check, read, save
from programs.text import write_program


# A failure is shrunk so long at most. Hypothesis has no setting for it.
hypothesis.internal.conjecture.engine.MAX_SHRINKING_SECONDS = 40


class Wrong(Exception):
    """A program that does not do what it means."""


@dataclass
class Outcome:
    agree: int = 0
    failures: list = field(default_factory=list)  # of (program, message)


def explore(family, count, options, tc_run, coverage):
    """Runs programs of a family. The first failure is shrunk, and the last entry of
    `failures` is the smallest; without shrinking all are gathered."""
    outcome = Outcome()

    @hypothesis.seed(options.seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.given(families.FAMILIES[family].programs(options.types))
    def run_one(program):
        message = check(program, tc_run, options.breaks)
        if message is not None:
            outcome.failures.append((program, message))
            if not options.all_failures:
                raise Wrong()
        elif not outcome.failures or options.all_failures:
            outcome.agree += 1
            coverage.add(program)

    with contextlib.suppress(Wrong):
        run_one()
    if not options.all_failures:
        del outcome.failures[:-1]
    return outcome


def report(family, number, program, message, folder):
    recipe = os.path.join(folder, f"failed-{family}-{number}.txt")
    save(program, recipe)
    print(f"FAILED {family}: {message}")
    print(f"  again: --replay={recipe}")
    print("".join(f"  | {line}\n" for line in write_program(program)[0].splitlines()))


def replay(path, tc_run):
    program = read(path)
    print(write_program(program)[0])
    message = check(program, tc_run)
    print(message or "agrees")
    return message is not None


def read_types(text):
    names = text.split(",")
    for name in names:
        if name not in elements.BY_NAME:
            known = ", ".join(elements.BY_NAME)
            raise argparse.ArgumentTypeError(f"expected types of {known}, got '{name}'")
    return [elements.BY_NAME[name] for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tc-run", default="tc-run")
    parser.add_argument("--folder", help="for the files of the last program")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--family", action="append", choices=list(families.FAMILIES))
    parser.add_argument("--types", type=read_types, default=elements.ALL, help="as f32,i8")
    parser.add_argument("--replay", help="a recipe that a failure left")
    parser.add_argument("--break", dest="breaks", choices=BREAKS, help="to see it found")
    parser.add_argument("--all-failures", action="store_true", help="go on, do not shrink")
    options = parser.parse_args()
    tc_run = TcRun(options.tc_run, options.device, options.chip, options.folder)
    if options.replay:
        return replay(options.replay, tc_run)
    names = options.family or list(families.FAMILIES)
    shares = families.share(names, options.count)
    coverage, agree, failed = Coverage(), 0, 0
    for name in names:
        start = time.monotonic()
        outcome = explore(name, shares[name], options, tc_run, coverage)
        agree += outcome.agree
        failed += len(outcome.failures)
        for number, failure in enumerate(outcome.failures):
            report(name, number, *failure, tc_run.folder)
        seconds = time.monotonic() - start
        print(f"{name}: {outcome.agree} of {shares[name]}, {seconds:.1f} s", flush=True)
    tc_run.stop()
    print(coverage.table())
    empty = coverage.empty_cells()
    print("empty cells:", ", ".join(empty) or "none")
    print(f"{agree} agree, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main())
