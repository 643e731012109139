"""Contractions of a function in an MLIR file, each with its prologue and epilogue, to try
schedules of: the function is compiled whole, and its launches count together."""

import contextlib
import dataclasses
import json
import os
import tempfile

from .search import number_iterators


@dataclasses.dataclass(frozen=True)
class InFunction:
    """A contraction of a function in an MLIR file that is compiled whole, by its number in the
    report."""

    path: str
    name: str  # of the function, if the file has several
    number: int

    @property
    def key(self):
        return f"{self.path} {self.number}"

    @property
    def options(self):
        return make_options(self.path, self.name)

    @property
    def origin(self):
        return {"program": os.path.basename(self.path)}


@dataclasses.dataclass(frozen=True)
class FunctionContraction(InFunction):
    """One that the compiler calls tunable for a chip."""

    tunable: tuple  # pairs: what the report says of it

    def find_tunable(self, tools, chip):  # noqa: ARG002
        return dict(self.tunable)

    @contextlib.contextmanager
    def choosing(self, schedule, chip):
        """Options that compile it by a schedule, and all others as ever."""
        known = dict(self.tunable)
        entry = {name: known[name] for name in ("contraction", "version")}
        entry |= {"machine": chip, "found": "counted", "seconds": 0.0}
        entry["schedule"] = number_iterators(schedule, known["iterators"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tuning.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"format": "tc-tuning", "entries": [entry]}, file)
            yield [f"--tuning={path}"]


def make_options(path, name):
    return [path, *([f"--name={name}"] if name else [])]


def find_contractions(tools, path, name, chip):
    """Those that can be tuned, each kind once, however often the function has it."""
    found = {}
    for number, tunable in enumerate(tools.list_tunable(make_options(path, name), chip)):
        if tunable:
            pairs = tuple((key, tuple(v) if isinstance(v, list) else v) for key, v in tunable.items())
            case = FunctionContraction(path, name, number, pairs)
            found.setdefault(tunable["contraction"], case)
    return list(found.values())
