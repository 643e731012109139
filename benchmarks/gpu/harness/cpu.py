"""Tries schedules of a contraction on the CPU at hand: each is compiled as the compiler would
take it from a tuning file, verified (an einsum against NumPy, a function against the schedules
that the compiler chooses), and measured in turns with the others."""

import ctypes
import dataclasses
import json
import os
import platform
import re
import statistics
import tempfile
import time

import numpy

from . import cpu_arguments
from .functions import InFunction, make_options
from .search import SearchError, Trial

# Rounds of all schedules, and a schedule that takes so many times the least is left out.
ROUNDS, HOPELESS = 9, 1.5


def name_processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


@dataclasses.dataclass(frozen=True)
class FunctionOnCpu(InFunction):
    """One that is tuned for a CPU: what entries say of it, and schedules to try."""

    tunable: dict
    schedules: list


class Kernel:
    """The CPU function of a package."""

    def __init__(self, folder):
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        (entry,) = manifest["entries"]
        self.machine = manifest["host"]["cpu"]
        self.arguments = entry["arguments"]
        if entry["parameters"]:
            raise SearchError("expected known extents")
        path = os.path.join(folder, "lib", f"lib{manifest['package']}.so")
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise SearchError(f"expected a shared library in the package: {error}") from error
        self.function = library[f"{entry['symbol']}_cpu"]
        size = ctypes.c_size_t()
        library[f"{entry['symbol']}_cpu_workspace_size"](ctypes.byref(size))
        self.room = numpy.empty(size.value + 256, "u1")
        aligned = (self.room.ctypes.data + 255) & ~255
        self.workspace = ctypes.c_void_p(aligned), size

    def __call__(self, arrays):
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        status = self.function(*pointers, *self.workspace)
        if status != 0:
            raise SearchError(f"the kernel failed: status {status}")


class CpuTrials:
    """Tries schedules on `cpu`, as LLVM names it, or "native", with so many threads. With one
    it takes the processor time of the process, which other work on the machine disturbs
    least."""

    found = "measured"

    def __init__(self, tools, cpu, threads):
        self.tools, self.cpu, self.threads = tools, cpu, threads
        self.clock = time.process_time if threads == 1 else time.perf_counter
        os.environ["TC_NUM_THREADS"] = str(threads)  # read by the runtime of the kernels

    def describe(self):
        return {"device": name_processor(), "threads": self.threads}

    def find_tunable(self, problem, count):
        """What tc-compile says of the only contraction: how entries call the machine and the
        contraction, their version, and schedules to try."""
        if isinstance(problem, FunctionOnCpu):
            return problem.tunable, problem.schedules
        types = [problem.inputs_type, problem.result_type]
        cpu_arguments.check_types(types + [problem.dtype] * ("_" in problem.dtype), problem.dtype)
        contractions = self._list(self._options(problem), count)
        if len(contractions) != 1:
            raise SearchError("expected one sum of products of two inputs and known extents")
        (found,) = contractions
        if not found[1]:
            raise SearchError("expected schedules to try, but it is computed by loops")
        return found

    def find_contractions(self, path, name, count):
        """Those of a function that have schedules to try, each kind once."""
        found = {}
        for tunable, schedules in self._list(make_options(path, name), count):
            if schedules:
                found.setdefault(tunable["contraction"], (tunable, schedules))
        if not found:
            raise SearchError("expected a contraction with schedules to try, but loops compute all")
        return [FunctionOnCpu(path, name, n, *one) for n, one in enumerate(found.values())]

    @staticmethod
    def _options(problem):
        if isinstance(problem, FunctionOnCpu):
            return problem.options
        return [*problem.options, "--order=optimal", "--name=kernel"]

    def _list(self, options, count):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "usual")
            remarks = self._compile(options, path, f"--host-schedules={count}")
            machine = Kernel(path).machine
        found = re.findall(r"contraction: (.*)\nversion: (\d+)((?:\nschedule .*)*)", remarks)
        return [
            (
                {"machine": machine, "contraction": key, "version": int(version)},
                re.findall(r"schedule \d+: (.*)", lines),
            )
            for key, version, lines in found
        ]

    def _compile(self, options, path, *more):
        """Writes a package to `path`; gives what the compiler said."""
        given = [*options, "--emit=package", "--chips=none", f"--host-cpu={self.cpu}", "-o", path]
        return self.tools.run("tc-compile", [*given, *more]).stderr

    def _make(self, problem, tunable, schedule, path):
        entry = {**tunable, "schedule": schedule, "found": self.found, "seconds": 0.0}
        file = f"{path}.json"
        with open(file, "w", encoding="utf-8") as output:
            json.dump({"format": "tc-tuning", "entries": [entry]}, output)
        self._compile(self._options(problem), path, f"--tuning={file}")
        return Kernel(path)

    def _make_arguments(self, problem):
        if not isinstance(problem, FunctionOnCpu):
            return cpu_arguments.of_einsum(problem)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "usual")
            self._compile(problem.options, path)
            return cpu_arguments.of_function(Kernel(path))

    def try_all(self, problem, tunable, schedules, is_time_up, tell=lambda number, trial: None):
        """A trial of each schedule, in their order; `tell` hears of each at the end."""
        arguments, why, kernels = self._make_arguments(problem), {}, {}
        with tempfile.TemporaryDirectory() as folder:
            for number, schedule in enumerate(schedules):
                if is_time_up():
                    why[number] = "not tried"
                    continue
                try:
                    path = os.path.join(folder, str(number))
                    kernel = self._make(problem, tunable, schedule, path)
                    arguments.reset()
                    kernel(arguments.arrays)
                except SearchError as error:
                    why[number] = str(error)
                    continue
                why[number] = arguments.find_fault()
                if not why[number]:
                    kernels[number] = kernel
            times = self._measure(kernels, arguments)
        trials = []
        for number, schedule in enumerate(schedules):
            seconds = statistics.median(times[number]) if number in times else None
            trials.append(Trial(schedule, seconds, why.get(number, "")))
            tell(number + 1, trials[-1])
        return trials

    def _measure(self, kernels, arguments):
        """The seconds of each round, by number."""
        times = {number: [] for number in kernels}
        running = list(kernels.items())
        for turn in range(ROUNDS if running else 0):
            for number, kernel in running:
                start = self.clock()
                kernel(arguments.arrays)
                times[number].append(self.clock() - start)
            least = min((min(taken) for taken in times.values()), default=0.0)
            running = [
                (number, kernel)
                for number, kernel in running
                if min(times[number]) <= HOPELESS * least
            ]
            running.append(running.pop(0))
            if turn == 0 and sum(taken[0] for taken in times.values()) > 60:
                break  # Long kernels tell enough in one round.
        return times
