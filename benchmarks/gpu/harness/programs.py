"""Runs a program on data sets, to set its thresholds or the knobs of its schedule."""

import json
import os
import struct
import tempfile

from . import bundle, data
from .contenders import takes_cubins
from .prepared import PreparedProgram
from .search import SearchError
from .thresholds import Run
from .timing import Clock


def read_data_sets(path):
    """What a program is tuned for: a JSON file, a list of data sets. Each has one item per
    argument of the function: the extents of an array, or the number that an index is."""
    try:
        with open(path, encoding="utf-8") as file:
            sets = json.load(file)
    except (OSError, ValueError) as error:
        raise SearchError(f"expected data sets at '{path}': {error}") from error
    if not isinstance(sets, list) or not sets:
        raise SearchError(f"{path}: expected a list of data sets, got {json.dumps(sets):.40}")
    for number, one in enumerate(sets):
        if not isinstance(one, list) or not all(map(_is_argument, one)):
            raise SearchError(
                f"{path}: data set {number}: expected for each argument a list of extents, "
                f"or the number of an index, got {json.dumps(one):.80}"
            )
    return sets


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_argument(value):
    return _is_count(value) or (isinstance(value, list) and all(map(_is_count, value)))


def write_shape(path, argument):
    """A NumPy file of the extents whose elements take no place on the disk; or of a number."""
    shape = argument if isinstance(argument, list) else []
    extents = "".join(f"{extent}, " for extent in shape)
    text = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({extents})}}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    size = 8
    for extent in shape:
        size *= extent
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
        start = file.tell()
        if isinstance(argument, list):
            file.truncate(start + size)
        else:
            file.write(struct.pack("<q", argument))


class CountedProgram:
    """A function of a file on one chip, counted on the emulator. `options` are those of tc-run
    that say what is compiled."""

    found = "counted"

    def __init__(self, tools, chip, options, sample_blocks):
        self.tools, self.options = tools, [*options, f"--chip={chip}"]
        self.sample_blocks = sample_blocks

    def get_defaults(self):
        """(name of the function, its limits in the order of the program)."""
        run = self.tools.run("tc-compile", [*self.options, "--report=json"])
        report = json.loads(run.stdout)
        return report["function"], report["thresholds"]

    def write_arguments(self, folder, data_set):
        """The files of a data set."""
        paths = []
        for number, argument in enumerate(data_set):
            paths.append(os.path.join(folder, f"{number}.npy"))
            write_shape(paths[-1], argument)
        return paths

    def run(self, inputs, limits):
        """One run with these limits; of a function of static extents, without inputs."""
        options = [*self.options, "--count", f"--sample-blocks={self.sample_blocks}"]
        options += [f"--inputs={','.join(inputs)}"] if inputs else []
        options += ["--report=json"]
        options += [f"--thresholds={name}={limit}" for name, limit in limits.items()]
        report = json.loads(self.tools.run("tc-run", options).stdout)
        compared = [(one["threshold"], one["number"]) for one in report["compared"]]
        return Run(self.get_seconds(report), compared, dict(limits))

    def get_seconds(self, report):
        """Of all launches."""
        return sum(launch["seconds"] for launch in report["counted"])


class SimulatedProgram(CountedProgram):
    """The same by simulated time (level A), which knows that few blocks wait for memory."""

    found = "simulated"

    def get_seconds(self, report):
        times = [launch["simulated"] for launch in report["counted"]]
        if None in times:
            raise SearchError("expected registers of each kernel, which ptxas tells")
        return sum(time["seconds"] for time in times)


class MeasuredProgram(CountedProgram):
    """The same on a device, which runs the launches that are counted; the kernels are those of
    any limits."""

    def __init__(self, tools, chip, options, driver, effort):
        super().__init__(tools, chip, options, 1)
        self.found = "emulated" if driver.is_emulator else "measured"
        self.clock, self.filler = Clock(driver, effort), data.Filler(driver)
        form = "cubin" if takes_cubins(driver) else "ptx"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"kernels.{form}")
            tools.run("tc-compile", [*self.options, f"--emit={form}", "-o", path])
            with open(path, "rb") as file:
                self.binary = file.read()

    def get_seconds(self, report):
        plan = bundle.describe_plan(report)
        prepared = PreparedProgram(self.clock, self.filler, self.binary, plan)
        try:
            (timing,) = self.clock.compare([prepared.launch], len(prepared.sets))
            self.clock.driver.synchronize()
            return timing.as_row()["time_us"] * 1e-6
        finally:
            prepared.free()
