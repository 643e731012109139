"""Tries schedules of one contraction: the best that the compiler's search knows, each
counted or simulated on the emulator, or measured on a device."""

import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import tempfile

from . import bundle, results
from .arithmetic import TYPES
from .contenders import BundleContender
from .peers.cublas import Cublas
from .session import Session

NEAR = 1.01
# Its unit is in angle brackets, too.
_SCHEDULE = r"#tc\.schedule<(?:[^<>]|<[^<>]*>)*>"
LIBRARY = "#tc.schedule<kernel = library>"


class SearchError(RuntimeError):
    """A contraction that cannot be tuned, or a tool that failed."""


@dataclasses.dataclass
class Trial:
    """One schedule, and how long it takes; None with the reason where it failed."""

    schedule: str
    seconds: float | None
    why: str = ""


def choose(trials):
    """Of those that work, the first in the order of the search that is within a
    hundredth of the best: less than that neither a count nor a clock can tell, and the
    search knows of latency."""
    good = [trial for trial in trials if trial.seconds is not None]
    least = min(trial.seconds for trial in good)
    return next(trial for trial in good if trial.seconds <= NEAR * least)


def ask_library(schedule):
    """The same, of the kernel that stands in where there is no library."""
    return re.sub(r"kernel = \w+", "kernel = library", schedule)


class Tools:
    """The compiler's tools of one build."""

    def __init__(self, build):
        self.build = build

    def run(self, name, options, text=None):
        command = [os.path.join(self.build, "bin", name), *options]
        try:
            run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        except OSError as error:
            raise SearchError(f"expected {name} in '{self.build}/bin': {error}") from error
        if run.returncode:
            raise SearchError(f"{name}: {run.stderr.strip() or f'exit status {run.returncode}'}")
        return run

    def list_tunable(self, options, chip):
        """What a report says of each contraction, None of one that cannot be tuned."""
        run = self.run("tc-compile", [*options, f"--chip={chip}", "--report=json"])
        return json.loads(run.stdout)["tunable"]

    def describe(self, problem, chip, schedule=""):
        """What a report says of the only contraction."""
        options = problem.options + ([f"--schedule={schedule}"] if schedule else [])
        tunable = self.list_tunable(options, chip)
        if len(tunable) != 1 or tunable[0] is None:
            raise SearchError("expected one sum of products of known extents")
        return tunable[0]

    def is_product(self, problem, chip):
        """Does the compiler ask a library for it, if it is told to?"""
        try:
            self.describe(problem, chip, LIBRARY)
        except SearchError:
            return False
        return True

    def find_best(self, problem, chip, count, number=0):
        """Schedules that the search ranks first for a contraction, by its number, the best
        first, each once."""
        options = [*problem.options, f"--chip={chip}", "--emit=tc"]
        text = self.run("tc-compile", options).stdout
        text = re.sub(rf" \{{schedule = {_SCHEDULE}\}}", "", text)
        # Some may differ in what a schedule does not say.
        options = [f"--tc-schedule=chip={chip} explain={4 * count}", "-o", os.devnull]
        run = self.run("tc-opt", options, text)
        own = run.stderr.split("remark: carried out: ")[number + 1]
        found = re.findall(rf"(?:\A|remark: best \d+: )({_SCHEDULE})", own)
        return list(dict.fromkeys(found))[:count]

    def count(self, options, chip, *more):
        """What is counted of each launch, as reports have it."""
        options = [*options, f"--chip={chip}", *more]
        options += ["--count", "--sample-blocks=1", "--report=json"]
        return json.loads(self.run("tc-run", options).stdout)["counted"]


class CountedTrials:
    """Tries schedules on the emulator's counts, some at a time, of a Contraction or a
    FunctionContraction."""

    found = "counted"

    def __init__(self, tools, jobs):
        self.tools, self.jobs = tools, jobs

    def describe(self):
        return {}

    def get_seconds(self, problem, chip, schedule):
        """Of all launches."""
        return sum(launch["seconds"] for launch in self._count(problem, chip, schedule))

    def _count(self, problem, chip, schedule, *more):
        with problem.choosing(schedule, chip) as chosen:
            return self.tools.count(problem.options + chosen, chip, *more)

    def try_all(self, problem, chip, schedules, is_time_up, tell=lambda number, trial: None):
        """A trial of each schedule, in their order; `tell` hears of each when it is done."""

        def try_one(schedule):
            if is_time_up():
                return Trial(schedule, None, "not tried")
            try:
                return Trial(schedule, self.get_seconds(problem, chip, schedule))
            except SearchError as error:
                return Trial(schedule, None, str(error))

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            trials = []
            for number, trial in enumerate(pool.map(try_one, schedules), 1):
                tell(number, trial)
                trials.append(trial)
            return trials


class SimulatedTrials(CountedTrials):
    """Tries schedules on simulated time, instruction by instruction (level B)."""

    found = "simulated"

    def get_seconds(self, problem, chip, schedule):
        launches = self._count(problem, chip, schedule, "--simulate")
        times = [launch["simulated_b"] for launch in launches]
        for time in times:
            if "outside" in time:
                raise SearchError(f"outside the model: {time['outside']}")
        return sum(time["seconds"] for time in times)


class MeasuredTrials:
    """Tries schedules on a device: all of a problem take turns, each verified. With
    `libraries`, paths by name, cuBLAS is tried as well, after them, for what it computes."""

    def __init__(self, tools, jobs, driver, effort, seed, libraries=None):
        self.libraries = libraries
        self.found = "emulated" if driver.is_emulator else "measured"
        self.tools, self.jobs, self.driver = tools, jobs, driver
        self.effort, self.seed = effort, seed

    def describe(self):
        return {"device": self.driver.name}

    def try_all(self, problem, chip, schedules, is_time_up, tell=lambda number, trial: None):
        if is_time_up():
            return [Trial(schedule, None, "not tried") for schedule in schedules]
        with tempfile.TemporaryDirectory() as folder:
            variants = [f"s{i}" for i in range(len(schedules))]
            wanted = [(problem, chip, v, s) for v, s in zip(variants, schedules)]
            faults = bundle.make(self.tools.build, folder, wanted, self.jobs)
            why = {fault.split(":")[0].rsplit("-", 1)[-1]: fault for fault in faults}
            kernels = bundle.Bundle(folder)
            made = {kernel["variant"] for kernel in kernels.kernels}
            head = {"contenders": {}, "ceilings": {"copy_bytes_per_second": 1.0}}
            # Floors are of no interest here.
            head["ceilings"] |= {f"{kind.storage}_flops": 1.0 for kind in TYPES.values()}
            written = results.Results(os.path.join(folder, "rows.json"), head, resume=False)
            session = Session(self.driver, written, self.effort, self.seed)
            contenders = [BundleContender(kernels, v) for v in variants if v in made]
            asks = self.libraries is not None and self.tools.is_product(problem, chip)
            if asks:
                contenders.append(Cublas("cublas", None, self.libraries))
            session.find(contenders)
            session.run([problem], float("inf"))
            rows = {row["contender"].removeprefix("tc-"): row for row in written.run["rows"]}
        trials = [
            self._make_trial(schedule, rows.get(variant), why.get(variant, "not compiled"))
            for variant, schedule in zip(variants, schedules)
        ]
        if asks:
            trials.append(self._make_trial(LIBRARY, rows.get("cublas"), "cuBLAS is missing"))
        for number, trial in enumerate(trials, 1):
            tell(number, trial)
        return trials

    @staticmethod
    def _make_trial(schedule, row, why):
        if row is None:
            return Trial(schedule, None, why)
        if row["status"] != "right":
            return Trial(schedule, None, f"{row['status']}: {row['why']}")
        return Trial(schedule, row["time_us"] * 1e-6)


def number_iterators(schedule, iterators):
    """A schedule as a tuning file has it: i0 for the first iterator, and so on."""
    numbers = {name: f"i{i}" for i, name in enumerate(iterators)}
    return re.sub(
        r"([\[ ])(\w+)( = \d+[,\]])",
        lambda m: m.group(1) + numbers.get(m.group(2), m.group(2)) + m.group(3),
        schedule,
    )
