"""Runs programs in one tc-run process that answers line by line."""

import json
import os
import select
import subprocess
import tempfile

import numpy

from . import elements, evaluate, expressions, model
from .text import write_program

TIMEOUT = 120  # seconds for one program


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

    def run(self, program, arrays):
        """(error or None, the arrays after the run)."""
        case = {"case": "program"}
        einsum = program.detail("einsum")
        if einsum is not None:
            case.update(einsum=einsum, sizes=program.detail("sizes"))
            case["dtype"] = program.detail("dtype")
        else:
            with open(self._path("program.mlir"), "w", encoding="utf-8") as file:
                file.write(write_program(program))
            case["input"] = self._path("program.mlir")
        arguments = program.arguments()
        for operand in arguments:
            shaped = arrays[operand.name].reshape(operand.view.base)
            numpy.save(self._path(operand.name + ".npy"), shaped)
        written = {result.name for result in program.contraction.results}
        results = [operand.name for operand in arguments if operand.name in written]
        inputs = [operand.name for operand in arguments]
        if einsum is not None:
            inputs = [name for name in inputs if name not in written]
        case["inputs"] = [self._path(name + ".npy") for name in inputs]
        case["outputs"] = [self._path(f"{name}-after.npy") for name in results]
        answer = self.ask(case)
        if "error" in answer:
            return answer["error"], {}
        return None, {name: self._load(f"{name}-after.npy") for name in results}

    def _load(self, name):
        array = numpy.load(self._path(name))
        # NumPy has no bf16: the file holds its bits.
        return array.view("u2") if array.dtype.kind == "V" else array


def save(program, path):
    """Writes the recipe of a program."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(repr(program) + "\n")


def read(path):
    """The program of a recipe."""
    names = {**vars(elements), **vars(expressions), **vars(model), "inf": numpy.inf}
    with open(path, encoding="utf-8") as file:
        return eval(file.read(), names)


def check(program, tc_run):
    """What is wrong with how `program` is compiled and run, or None."""
    arrays = evaluate.make_data(program)
    with numpy.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
        expected = evaluate.evaluate(program, arrays)
    error, outputs = tc_run.run(program, arrays)
    if error:
        return error
    return evaluate.find_difference(program, arrays, outputs, expected)
