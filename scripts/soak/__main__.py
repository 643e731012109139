#!/usr/bin/env python3
"""Random programs and mutated inputs, for as long as there is time: `./dev soak`.

Families take turns. What a turn makes depends on the seed, the family and the number of
the turn alone. A fault is shrunk and saved in a folder of its own, from which it runs
again (--replay=FOLDER), and becomes a test (--keep=FOLDER). The last lines are a table;
the exit status is 1 when there was a fault."""

import argparse
import concurrent.futures
import hashlib
import itertools
import multiprocessing
import os
import signal
import sys
import time
import xml.etree.ElementTree as ElementTree

import findings
import generated
import mutants
from tools import Tools

FAMILIES = [*generated.RUNS, *mutants.MAKERS]
IN_PYTHON = {"calls", "manifest"}  # which does not load libraries that sanitizers made


def run_turn(family, number, seed, tools):
    """(family, programs, [(folder, what)], seconds) of one turn."""
    start = time.monotonic()
    digest = hashlib.sha256(f"{seed} {family} {number}".encode()).digest()
    own_seed = int.from_bytes(digest[:4], "big")
    if family in generated.RUNS:
        run, count = generated.RUNS[family]
    else:
        run, count = mutants.run_turn, mutants.count_of_turn(family)
    programs, found = run(family, own_seed, count, tools)
    saved = [(findings.save(finding, tools.found), finding.what) for finding in found]
    return family, programs, saved, time.monotonic() - start


class Tally:
    """What was run of each family."""

    def __init__(self, families):
        self.rows = {family: [0, 0, 0.0] for family in families}

    def add(self, family, programs, failures, seconds):
        for column, value in enumerate((programs, failures, seconds)):
            self.rows[family][column] += value

    def total(self, column):
        return sum(row[column] for row in self.rows.values())

    def table(self):
        lines = [f"{'family':14}{'programs':>10}{'failures':>10}{'seconds':>10}"]
        total = [self.total(column) for column in range(3)]
        for name, (programs, failures, seconds) in [*self.rows.items(), ("all", total)]:
            lines.append(f"{name:14}{programs:10}{failures:10}{seconds:10.0f}")
        return "\n".join(lines)

    def write_report(self, path):
        """A test a family, in xunit form."""
        suite = ElementTree.Element("testsuite", name="soak")
        for family, (programs, failures, _) in self.rows.items():
            case = ElementTree.SubElement(suite, "testcase", classname="soak", name=family)
            if failures or not programs:
                text = f"{failures} of {programs} programs"
                ElementTree.SubElement(case, "failure", message=text)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        ElementTree.ElementTree(suite).write(path)


def ignore_interrupts():
    """In a worker: its turn ends before the soak does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def soak(options, tools):
    """Hands out turns until there is enough, or until an interrupt; returns the tally."""
    tally = Tally(options.family)
    turns = ((family, number) for number in itertools.count() for family in options.family)
    end = time.monotonic() + options.minutes * 60
    planned = 0
    interrupted = False

    def interrupt(*_):
        nonlocal interrupted
        interrupted = True
        print("interrupted: waits for the turns that have begun", flush=True)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def is_enough():
        # Each family has a turn, whatever the time.
        return interrupted or (
            planned >= len(options.family)
            and (
                time.monotonic() >= end
                or (options.programs and tally.total(0) >= options.programs)
            )
        )

    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(
        options.jobs, mp_context=context, initializer=ignore_interrupts
    ) as pool:
        signal.signal(signal.SIGINT, interrupt)
        running = set()
        while True:
            while len(running) < options.jobs and not is_enough():
                family, number = next(turns)
                planned += 1
                running.add(pool.submit(run_turn, family, number, options.seed, tools))
            if not running:
                return tally
            done, running = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for future in done:
                family, programs, saved, seconds = future.result()
                tally.add(family, programs, len(saved), seconds)
                for folder, what in saved:
                    print(f"FAILED {family}: {what}\n  again: ./dev soak --replay={folder}\n"
                          f"  keep:  ./dev soak --keep={folder}", flush=True)  # fmt: skip


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--minutes", type=float, help="how long (default 5)")
    parser.add_argument("--programs", type=int, help="how many; no limit of time then")
    parser.add_argument("--seed", default="1", help="any text")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--report", help="writes the table in xunit form, too")
    parser.add_argument("--replay", metavar="FOLDER", help="run what was found again")
    parser.add_argument("--keep", metavar="FOLDER", help="make a test of what was found")
    parser.add_argument("--tests", metavar="FOLDER", help="where to (default test/Found)")
    options = parser.parse_args()
    if options.minutes is None:
        options.minutes = 1e9 if options.programs else 5
    options.family = options.family or FAMILIES
    return options


def main():
    options = parse_arguments()
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if options.keep:
        print(findings.keep(options.keep, options.tests or os.path.join(source, "test", "Found")))
        return 0
    build = os.path.abspath(options.build)
    folder = os.path.join(build, "soak", f"run-{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    tools = Tools(source, build, folder)
    try:
        if options.replay:
            what = findings.replay(options.replay, tools)
            print(what or "nothing is wrong")
            return 1 if what else 0
        if tools.is_sanitized:
            options.family = [name for name in options.family if name not in IN_PYTHON]
            print("left out under sanitizers:", ", ".join(sorted(IN_PYTHON)))
        tally = soak(options, tools)
    finally:
        tools.remove_folder()
    print(tally.table())
    if options.report:
        tally.write_report(options.report)
    return 1 if tally.total(1) else 0


if __name__ == "__main__":
    sys.exit(main())
