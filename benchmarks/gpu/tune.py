#!/usr/bin/env python3
"""Tries the best schedules of the search, counted or simulated on the emulator or
measured on a GPU or the CPU, and keeps the winners in a tuning file, which `tc-compile --tuning=FILE` and
`tc-opt --tc-schedule="tuning=FILE"` read. With --program it sets the thresholds of a program of
dynamic extents for some data sets, and with --script the knobs of a schedule for it.

What is in the file already is tried again with --again only. A run that was stopped
goes on when it is called again.
"""

import argparse
import json
import os
import secrets
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from harness import main, results, thresholds, tuning  # noqa: E402
from harness.cpu import CpuTrials  # noqa: E402
from harness.functions import find_contractions  # noqa: E402
from harness.driver import DriverError, find_driver  # noqa: E402
from harness.problem import Contraction, Problem  # noqa: E402
from harness.programs import (  # noqa: E402
    CountedProgram,
    MeasuredProgram,
    SimulatedProgram,
    read_data_sets,
)
from harness.scripts import Attempts, Script  # noqa: E402
from harness.search import (  # noqa: E402
    LIBRARY,
    CountedTrials,
    MeasuredTrials,
    SearchError,
    SimulatedTrials,
    Tools,
    ask_library,
    choose,
    number_iterators,
)
from harness.timing import Effort  # noqa: E402


class ShowVersion(argparse.Action):
    """Prints the version of the tools that would be used."""

    def __call__(self, parser, options, values, option_string=None):
        print(Tools(options.build).run("tc-compile", ["--version"]).stdout, end="")
        parser.exit()


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tc-tune", description=__doc__.split("\n\n")[0])
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="print it and exit")
    parser.add_argument("--file", help="tuning file to add to")
    parser.add_argument("--merge", nargs="+", metavar="FILE", help="only add these files to it")
    parser.add_argument("--build", default=main.find_build(), help="build folder")
    kinds = ["counted", "simulated", "measured"]
    parser.add_argument(
        "--by", choices=kinds, help="kind of time (default simulated for a program, else counted)"
    )
    parser.add_argument("--top", type=int, default=8, help="schedules to try (default 8)")
    parser.add_argument("--minutes", type=float, default=10, help="stop in so many (default 10)")
    parser.add_argument("--einsum", help="one contraction; else those of --cases")
    parser.add_argument("--sizes", default="", help="its extents, as a=16,b=16")
    parser.add_argument("--cases", default=main.CASES, help="file of contractions")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--dtypes", default="f32,f64")
    parser.add_argument("--chips", default="", help="default: sm_80,sm_90a, or the device's")
    parser.add_argument(
        "--cpu",
        nargs="?",
        const="native",
        metavar="NAME",
        help="measure on this machine's CPU instead, for a CPU as LLVM names it (default native)",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="of the CPU (default 1: processor time)"
    )
    parser.add_argument(
        "--program", metavar="MLIR", help="tune its contractions, or what the next three say"
    )
    parser.add_argument("--script", metavar="MLIR", help="choose its knobs for the program")
    parser.add_argument("--output", metavar="MLIR", help="the script with the options chosen")
    parser.add_argument("--name", default="", help="the function, if it has several")
    parser.add_argument(
        "--data-sets",
        metavar="JSON",
        help="set its thresholds for these: lists of the extents of each argument, or its number",
    )
    parser.add_argument("--keep-order", action="store_true", help="compile it with this option")
    parser.add_argument(
        "--sample-blocks", type=int, default=2, help="of its launches to count, at least"
    )
    parser.add_argument("--again", action="store_true", help="try what is in the file, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--driver", metavar="PATH", help="library of the driver API")
    parser.add_argument(
        "--library",
        nargs="*",
        metavar="cublas=PATH",
        type=lambda text: tuple(text.split("=", 1)),
        help="with --by=measured, try cuBLAS for matrix products, too",
    )
    options = parser.parse_args()
    # Versions of a nest differ in what their threads wait for, which no count tells.
    is_of_nests = options.data_sets or options.script
    if options.cpu:
        if options.chips or is_of_nests or options.by not in (None, "measured"):
            parser.error("expected no --chips, --data-sets, --script and other --by with --cpu")
        if options.threads < 1:
            parser.error(f"expected --threads of at least 1, got {options.threads}")
        options.by = "measured"
    options.by = options.by or ("simulated" if is_of_nests else "counted")
    if options.library is not None and options.by != "measured":
        parser.error("expected --by=measured with --library")
    if any(len(named) != 2 for named in options.library or ()):
        parser.error("expected names and paths in --library, as cublas=PATH")
    if options.top < 1:
        parser.error(f"expected --top of at least 1, got {options.top}")
    if bool(options.script) != bool(options.output):
        parser.error("expected both --script and --output, or none of them")
    if options.script:
        if not options.program or options.file:
            parser.error("expected --program with --script, and no --file")
        return options
    if not options.file:
        parser.error("expected --file, or --script")
    if options.data_sets and not options.program:
        parser.error("expected --program with --data-sets")
    is_on_gpu = options.by == "measured" and not options.cpu
    if options.program and not options.data_sets and is_on_gpu:
        parser.error("expected --by=counted or simulated for contractions of --program")
    return options


def choose_problems(options, tools, chip):
    """Contractions to tune; what is measured is a Problem."""
    if options.program:
        return find_contractions(tools, options.program, options.name, chip)
    is_on_gpu = options.by == "measured" and not options.cpu
    dtypes, kind = main.split(options.dtypes), Problem if is_on_gpu else Contraction
    if not options.einsum:
        return main.load_problems(options.cases, dtypes, main.split(options.problems), kind)
    sizes = dict(part.split("=", 1) for part in main.split(options.sizes))
    return [kind.make(options.einsum, options.einsum, sizes, dtype) for dtype in dtypes]


def choose_chips(options):
    """(the driver of a device to measure on, if one is wanted; chips to try for)."""
    chips = main.split(options.chips)
    if options.by != "measured":
        return None, chips or ["sm_80", "sm_90a"]
    driver = find_driver(options.driver)
    if driver.is_emulator:  # To try things out; its entries give way to all others.
        main.say("the emulator runs this: its times say nothing about a GPU")
    own = main.CHIPS.get(driver.capability)
    if chips not in ([], [own]):
        raise SearchError(f"expected the chip of the device, {own}, got {','.join(chips)}")
    return driver, [own]


def choose_effort(driver):
    return Effort.least() if driver.is_emulator else Effort()


def make_trials(options, tools):
    """How schedules are tried, and the chips they are tried for."""
    driver, chips = choose_chips(options)
    if driver:
        effort = choose_effort(driver)
        libraries = None if options.library is None else dict(options.library)
        seed = secrets.randbits(32)
        trials = MeasuredTrials(tools, options.jobs, driver, effort, seed, libraries)
    elif options.by == "counted":
        trials = CountedTrials(tools, options.jobs)
    else:
        trials = SimulatedTrials(tools, options.jobs)
    return trials, chips


def try_schedules(trials, problem, where, schedules, is_time_up):
    """Trials of all schedules, with a line on each, of which one works at least."""

    def tell(number, trial):
        what = f"{(trial.seconds or 0) * 1e6:.2f} us {trials.found}"
        if trial.seconds is None:
            what = trial.why.partition("\n")[0]
        main.say(f"  schedule {number} of {len(schedules)}: {what}")

    tried = trials.try_all(problem, where, schedules, is_time_up, tell)
    good = [trial for trial in tried if trial.seconds is not None]
    if is_time_up() and len(good) < len(tried):
        return None
    if all(trial.seconds is None for trial in tried if trial.schedule != LIBRARY):
        raise SearchError(f"expected a schedule that works, but {tried[0].why}")
    return tried


def make_entry(trials, problem, tunable, tried, schedules, schedule, best):
    """(entry of a schedule, a line on it). `best` is the trial that won, `schedule` what is
    written, of the one in `schedules` that it is from."""
    good = [trial for trial in tried if trial.seconds is not None]
    kernel = choose([trial for trial in tried if trial.schedule != LIBRARY])
    entry = {
        **{name: tunable[name] for name in ("machine", "contraction", "version")},
        "schedule": schedule,
        "found": trials.found,
        "seconds": float(f"{best.seconds:.6g}"),
        "tried": len(good),
        "rank": schedules.index(kernel.schedule) + 1,
        **problem.origin,
        "commit": results.find_commit(),
        **trials.describe(),
    }
    first = good[0].seconds / best.seconds
    which = f"number {entry['rank']} of {len(good)}"
    if best.schedule == LIBRARY:
        which = f"cuBLAS, before {which}"
    line = f"{best.seconds * 1e6:.2f} us {trials.found}, {which}"
    return entry, line + (f", {first:.3f} times as fast as the first" if first > 1 else "")


def tune_one(trials, tools, problem, chip, tunable, top, is_time_up):
    """(entry of the winner, a line on it); no entry when the time was up."""
    schedules = tools.find_best(problem, chip, top, problem.number)
    tried = try_schedules(trials, problem, chip, schedules, is_time_up)
    if tried is None:
        return None, "the time is up"
    best, kernel = choose(tried), choose([one for one in tried if one.schedule != LIBRARY])
    schedule = kernel.schedule
    if best.schedule == LIBRARY:
        schedule = ask_library(schedule)
    schedule = number_iterators(schedule, tunable["iterators"])
    where = {"machine": chip, **tunable}
    return make_entry(trials, problem, where, tried, schedules, schedule, best)


def is_known(known, tunable, chip, found):
    """Is there an entry that was found in this way, or a better one?"""
    entry = known.get((chip, tunable["contraction"], tunable["version"]))
    return entry and tuning.FOUND.index(entry["found"]) >= tuning.FOUND.index(found)


def tune_all(options, cases, tune_case):
    """Tunes the cases, pairs of a problem and a machine, until the time is up.
    `tune_case(problem, machine, known, is_late)` gives an entry or None, and what to say."""
    deadline = time.monotonic() + 60 * options.minutes
    faults, kept = 0, 0
    for place, (problem, machine) in enumerate(cases, 1):
        head = f"[{place}/{len(cases)}] {problem.key} {machine}"
        if time.monotonic() > deadline:
            main.say(f"the time is up: {len(cases) - place + 1} of {len(cases)} are left")
            break
        try:
            known = {} if options.again else tuning.load(options.file)
            entry, line = tune_case(problem, machine, known, lambda: time.monotonic() > deadline)
            if entry:
                tuning.update(options.file, [entry], replace=options.again)
                kept += 1
            main.say(f"{head}: {line}")
        except SearchError as error:
            faults += 1
            main.say(f"{head}: FAILED {error}")
    main.say(f"{kept} entries written to {options.file}, {faults} faults")
    return 1 if faults else 0


def tune(options):
    tools = Tools(options.build)
    trials, chips = make_trials(options, tools)

    def tune_case(problem, chip, known, is_late):
        tunable = problem.find_tunable(tools, chip)
        if is_known(known, tunable, chip, trials.found):
            return None, "known"
        return tune_one(trials, tools, problem, chip, tunable, options.top, is_late)

    cases = [(problem, chip) for chip in chips for problem in choose_problems(options, tools, chip)]
    return tune_all(options, sorted(cases, key=lambda case: case[0].key), tune_case)


def tune_cpu(options):
    tools = Tools(options.build)
    trials = CpuTrials(tools, options.cpu, options.threads)

    def tune_case(problem, _, known, is_late):
        tunable, schedules = trials.find_tunable(problem, options.top)
        if is_known(known, tunable, tunable["machine"], trials.found):
            return None, "known"
        tried = try_schedules(trials, problem, tunable, schedules, is_late)
        if tried is None:
            return None, "the time is up"
        best = choose(tried)
        return make_entry(trials, problem, tunable, tried, schedules, best.schedule, best)

    if options.program:
        problems = trials.find_contractions(options.program, options.name, options.top)
    else:
        problems = sorted(choose_problems(options, tools, None), key=lambda problem: problem.key)
    return tune_all(options, [(problem, options.cpu) for problem in problems], tune_case)


def make_program(options, tools, chip, driver, path):
    flags = [path] + ([f"--name={options.name}"] if options.name else [])
    flags += ["--keep-order"] if options.keep_order else []
    if driver:
        return MeasuredProgram(tools, chip, flags, driver, choose_effort(driver))
    kind = CountedProgram if options.by == "counted" else SimulatedProgram
    return kind(tools, chip, flags, options.sample_blocks)


def make_runs(program, folder, number, data_set):
    inputs = os.path.join(folder, str(number))
    os.mkdir(inputs)
    files = program.write_arguments(inputs, data_set)
    return thresholds.Runs(lambda limits: program.run(files, limits))


def tune_program(program, chip, sets):
    """The entry of the thresholds for one chip."""
    function, defaults = program.get_defaults()
    if not defaults:
        raise SearchError(f"expected thresholds in '{function}', for {chip}; it has none")
    with tempfile.TemporaryDirectory() as folder:
        all_runs = [make_runs(program, folder, number, one) for number, one in enumerate(sets)]
        limits = thresholds.tune(all_runs, defaults, lambda line: main.say(f"  {line}"))
        before = [runs.get(defaults).seconds for runs in all_runs]
        after = [runs.get(limits).seconds for runs in all_runs]
    for one, old, new in zip(sets, before, after):
        times = f"{new * 1e6:.2f} us {program.found}, {old * 1e6:.2f} by the defaults"
        main.say(f"  {json.dumps(one)}: {times}")
    return {
        "machine": chip,
        "function": function,
        "version": thresholds.VERSION,
        "thresholds": limits,
        "found": program.found,
        "seconds": float(f"{sum(after):.6g}"),
        "tried": sum(runs.count for runs in all_runs),
        "data_sets": sets,
        "commit": results.find_commit(),
    }


def tune_thresholds(options):
    tools, sets = Tools(options.build), read_data_sets(options.data_sets)
    driver, chips = choose_chips(options)
    for chip in chips:
        main.say(f"{options.program} {chip}")
        entry = tune_program(make_program(options, tools, chip, driver, options.program), chip, sets)
        tuning.update(options.file, [entry], replace=options.again)
        main.say(f"{entry['function']} {chip}: {entry['tried']} runs, written to {options.file}")
    return 0


def tune_script(options):
    """Chooses the knobs of a script for all data sets together."""
    tools = Tools(options.build)
    deadline = time.monotonic() + 60 * options.minutes
    driver, chips = choose_chips(options)
    if len(chips) != 1:
        raise SearchError(f"expected one chip for a script (--chips), got {','.join(chips)}")
    sets = read_data_sets(options.data_sets) if options.data_sets else [[]]
    script = Script(tools, options.script)
    knobs = script.find_knobs()
    if not knobs:
        raise SearchError(f"expected knobs (transform.tune) in '{options.script}', found none")

    def try_choice(choice):
        with tempfile.TemporaryDirectory() as folder:
            path = script.apply(choice, options.program, folder)
            program = make_program(options, tools, chips[0], driver, path)
            runs = [make_runs(program, folder, number, one) for number, one in enumerate(sets)]
            return sum(run.get({}).seconds for run in runs)

    attempts = Attempts(
        *(knobs, try_choice, lambda line: main.say(f"  {line}")),
        lambda: time.monotonic() > deadline,
    )
    found = "emulated" if driver and driver.is_emulator else options.by
    main.say(f"{options.program} by {options.script}, {chips[0]}, {found}")
    best = attempts.find_best()
    script.write(dict(zip(knobs, best)), options.output)
    seconds = attempts.times[best]
    main.say(
        f"{seconds * 1e6:.2f} us {found}, number {list(attempts.times).index(best) + 1} "
        f"of {len(attempts.times)}, written to {options.output}"
    )
    return 0


def run():
    options = parse_arguments()
    if options.script:
        return tune_script(options)
    if options.merge:
        for path in options.merge:
            if not os.path.exists(path):
                raise tuning.TuningError(f"expected a tuning file at '{path}'")
            tuning.update(options.file, tuning.load(path).values())
        return 0
    if options.cpu:
        return tune_cpu(options)
    return tune_thresholds(options) if options.data_sets else tune(options)


if __name__ == "__main__":
    try:
        sys.exit(run())
    except (tuning.TuningError, SearchError, DriverError, ValueError, OSError) as error:
        print(f"tc-tune: error: {error}", file=sys.stderr)
        sys.exit(2)
