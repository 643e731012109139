"""Tries schedules of a contraction on the CPU at hand: each is compiled as the compiler would
take it from a tuning file, verified against NumPy, and measured in turns with the others."""

import ctypes
import json
import os
import platform
import re
import statistics
import tempfile
import time

import numpy

from .search import SearchError, Trial

# Types of numbers in memory: for bf16, of which NumPy knows nothing, its bits.
STORAGE = {"i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "f16": "f2", "bf16": "u2"}
STORAGE |= {"f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}
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


def store(values, dtype):
    """Whole numbers of f64 or c128 as `dtype` has them, rounded once or wrapped around."""
    if dtype == "bf16":
        bits = values.astype("f4").view("u4")
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")
    if dtype.startswith("i"):
        values = values.astype("i8")
    return values.astype(STORAGE[dtype])


def load(array, dtype):
    """What NumPy compares."""
    return (array.astype("u4") << 16).view("f4") if dtype == "bf16" else array


def make_operands(problem):
    """Whole numbers, so that sums are exact in any order."""
    inputs, rng = problem.einsum.split("->")[0].split(","), numpy.random.default_rng(1)
    kind = "c16" if problem.inputs_type.startswith("c") else "f8"
    return [
        rng.integers(-3, 4, [problem.sizes[label] for label in labels]).astype(kind)
        for labels in inputs
    ]


class Kernel:
    """The CPU function of a package."""

    def __init__(self, folder):
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        (entry,) = manifest["entries"]
        self.machine = manifest["host"]["cpu"]
        self.shape = entry["arguments"][-1]["shape"]
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

    def __call__(self, operands, result):
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*operands, result)]
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
        types = {problem.inputs_type, problem.result_type}
        if "_" in problem.dtype or not types <= STORAGE.keys():
            types = ", ".join(STORAGE)
            raise SearchError(f"expected a type of {types} on the CPU, got '{problem.dtype}'")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "usual")
            remarks = self._compile(problem, path, f"--host-schedules={count}")
            machine = Kernel(path).machine
        contractions = re.findall(r"contraction: (.*)\nversion: (\d+)((?:\nschedule .*)*)", remarks)
        if len(contractions) != 1:
            raise SearchError("expected one sum of products of two inputs and known extents")
        ((key, version, lines),) = contractions
        schedules = re.findall(r"schedule \d+: (.*)", lines)
        if not schedules:
            raise SearchError("expected schedules to try, but it is computed by loops")
        tunable = {"machine": machine, "contraction": key, "version": int(version)}
        return tunable, schedules

    def _compile(self, problem, path, *options):
        """Writes a package to `path`; gives what the compiler said."""
        given = [*problem.options, "--order=optimal", "--emit=package", "--chips=none"]
        given += [f"--host-cpu={self.cpu}", "--name=kernel", "-o", path]
        return self.tools.run("tc-compile", [*given, *options]).stderr

    def _make(self, problem, tunable, schedule, path):
        entry = {**tunable, "schedule": schedule, "found": self.found, "seconds": 0.0}
        file = f"{path}.json"
        with open(file, "w", encoding="utf-8") as output:
            json.dump({"format": "tc-tuning", "entries": [entry]}, output)
        self._compile(problem, path, f"--tuning={file}")
        return Kernel(path)

    def try_all(self, problem, tunable, schedules, is_time_up, tell=lambda number, trial: None):
        """A trial of each schedule, in their order; `tell` hears of each at the end."""
        numbers, dtype = make_operands(problem), problem.result_type
        wanted = store(numpy.einsum(problem.einsum, *numbers, optimize=True), dtype)
        operands = [store(array, problem.inputs_type) for array in numbers]
        result, why, kernels = numpy.empty(wanted.shape, wanted.dtype), {}, {}
        with tempfile.TemporaryDirectory() as folder:
            for number, schedule in enumerate(schedules):
                if is_time_up():
                    why[number] = "not tried"
                    continue
                try:
                    path = os.path.join(folder, str(number))
                    kernel = self._make(problem, tunable, schedule, path)
                    result.reshape(-1).view("u1").fill(255)  # -1 or NaN
                    kernel(operands, result)
                except SearchError as error:
                    why[number] = str(error)
                    continue
                if numpy.array_equal(load(result, dtype), load(wanted, dtype)):
                    kernels[number] = kernel
                else:
                    why[number] = "wrong: the result differs from NumPy's"
            times = self._measure(kernels, operands, result)
        trials = []
        for number, schedule in enumerate(schedules):
            seconds = statistics.median(times[number]) if number in times else None
            trials.append(Trial(schedule, seconds, why.get(number, "")))
            tell(number + 1, trials[-1])
        return trials

    def _measure(self, kernels, operands, result):
        """The seconds of each round, by number."""
        times = {number: [] for number in kernels}
        running = list(kernels.items())
        for turn in range(ROUNDS if running else 0):
            for number, kernel in running:
                start = self.clock()
                kernel(operands, result)
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
