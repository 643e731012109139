"""Runs programs in one tc-run process that answers line by line."""

import json
import os
import select
import subprocess
import tempfile

import numpy

from . import elements, evaluate, expressions, model
from .text import write_program

TIMEOUT = 600  # seconds for one program; the slowest compiles for two minutes


class TcRun:
    """A process, started when it is needed and again after it died."""

    def __init__(self, program="tc-run", device="emulator", chip="sm_90a", folder=None):
        self.command = [program, "--batch=-", f"--device={device}", f"--chip={chip}"]
        self.folder = folder or tempfile.mkdtemp(prefix="tc-programs-")
        os.makedirs(self.folder, exist_ok=True)
        self.errors = os.path.join(self.folder, "stderr.txt")
        self.process = None

    def _start(self):
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def ask(self, case):
        """The answer to one case; one with an error when the process dies."""
        if not self.process:
            self._start()
        try:
            self.process.stdin.write(json.dumps(case).encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
            line = self.process.stdout.readline() if ready else b""
        except BrokenPipeError:
            line, ready = b"", True
        if line:
            return json.loads(line)
        self.stop()
        if not ready:
            return {"error": f"no answer in {TIMEOUT} seconds"}
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            return {"error": "tc-run died: " + file.read()[-2000:]}

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _describe(self, program):
        """(the case for tc-run, values of index arguments)."""
        if program.form == "einsum":
            return {"case": "program", **dict(program.details)}, []
        text, indices = write_program(program)
        with open(self._path("program.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        return {"case": "program", "input": self._path("program.mlir")}, indices

    def _save(self, name, array):
        numpy.save(self._path(name + ".npy"), array)
        return self._path(name + ".npy")

    def make_case(self, program, arrays):
        """The case for tc-run, with its files in the folder."""
        case, indices = self._describe(program)
        case["inputs"] = [
            self._save(operand.name, arrays[operand.name].reshape(operand.view.base))
            for operand in program.arguments()
        ]
        case["inputs"] += [
            self._save(f"k{number}", numpy.array(value, "i8"))
            for number, value in enumerate(indices)
        ]
        return case

    def run(self, program, arrays):
        """(error or None, the arrays after the run)."""
        case = self.make_case(program, arrays)
        arguments = program.arguments()
        written = {result.name for result in program.contraction.results}
        results = [operand.name for operand in arguments if operand.name in written]
        case["outputs"] = [self._path(f"{name}-after.npy") for name in results]
        answer = self.ask(case)
        if "error" in answer:
            return answer["error"], {}
        return None, {name: self._load(f"{name}-after.npy") for name in results}

    def _load(self, name):
        array = numpy.load(self._path(name))
        # NumPy has no bf16 and no floats of 8 bits: the file holds their bits.
        return array.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "V" else array


def save(program, path):
    """Writes the recipe of a program."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(repr(program) + "\n")


def read(path):
    """The program of a recipe."""
    names = {**vars(elements), **vars(expressions), **vars(model), "inf": numpy.inf}
    with open(path, encoding="utf-8") as file:
        return eval(file.read(), names)


BREAKS = ("input", "result", "beside")


def _break_inputs(program, arrays):
    """Other numbers in the first input, as if a kernel read the wrong ones."""
    operand = program.contraction.inputs[0]
    places = numpy.unique(operand.addresses(program.contraction.iterators))
    changed = dict(arrays)
    changed[operand.name] = arrays[operand.name].copy()
    values = elements.load(operand.element, arrays[operand.name][places])
    values = ~values if operand.element.kind == "boolean" else values + 1
    changed[operand.name][places] = elements.store(operand.element, values)
    return changed


def _break_outputs(program, outputs, expected, wanted):
    """One element that is wrong: of a result, or beside one."""
    for result, places, _ in expected:
        stored = outputs[result.name].reshape(-1)
        beside = numpy.setdiff1d(numpy.arange(len(stored)), places)
        one = elements.store(result.element, [1])[0]
        if wanted == "beside" and len(beside):
            stored[beside[-1]] = one
        elif wanted == "result" and places.size:
            stored[places.reshape(-1)[-1]] += one


def check(program, tc_run, breaks=None):
    """What is wrong with how `program` is compiled and run, or None. `breaks` does as
    if something was: one of BREAKS, to see that it is found."""
    arrays = evaluate.make_data(program)
    with numpy.errstate(all="ignore"):
        expected = evaluate.evaluate(program, arrays)
        message = evaluate.find_difference_to_einsum(program, arrays, expected)
        if message:
            return message
        given = _break_inputs(program, arrays) if breaks == "input" else arrays
        error, outputs = tc_run.run(program, given)
        if error:
            return error
        if breaks in ("result", "beside"):
            _break_outputs(program, outputs, expected, breaks)
        return evaluate.find_difference(program, arrays, outputs, expected)
