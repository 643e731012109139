"""Result files: one JSON a run, written after every problem, so that a run that was
stopped can go on (docs/Reports.md)."""

import json
import os
import subprocess

from .bundle import write_json

FORMAT, VERSION = "tc-measured", 1
# What must agree for two runs to be parts of one.
SAME = ("device", "driver", "is_emulated")


class ResultsError(RuntimeError):
    """A result file that is not one, or of another device."""


def find_commit(build=None):
    """Of this checkout; else what the build wrote down; else "unknown"."""
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        run = subprocess.run(
            ["git", "-C", here, "describe", "--always", "--dirty"],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode == 0 and run.stdout.strip():
            return run.stdout.strip()
    except OSError:
        pass
    return "unknown"


def load(path):
    """The contents of a result file."""
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
    except (OSError, json.JSONDecodeError) as error:
        raise ResultsError(f"expected a result file at '{path}': {error}") from error
    found = (run.get("format"), run.get("version"))
    if found != (FORMAT, VERSION):
        raise ResultsError(
            f"{path}: expected '{FORMAT}' of version {VERSION}, got {found[0]!r}, {found[1]!r}"
        )
    return run


class Results:
    """The rows of a run, at a path."""

    def __init__(self, path, head, resume):
        self.path = path
        self.run = {"format": FORMAT, "version": VERSION, **head, "rows": []}
        if resume and os.path.exists(path):
            self._take(load(path), head)

    def _take(self, old, head):
        for name in SAME:
            if old.get(name) != head.get(name):
                raise ResultsError(
                    f"{self.path}: expected results of {name} {head.get(name)!r} to go on with, "
                    f"got {old.get(name)!r}"
                )
        self.run["rows"] = old["rows"]
        self.run["ceilings"] = old.get("ceilings")
        self.run["started"] = old.get("started", self.run.get("started"))

    def find(self, problem, contender, version):
        """The row that is done; None where there is none, or it is of another version
        of the contender."""
        for row in self.run["rows"]:
            if row["problem"] == problem.name and row["dtype"] == problem.dtype:
                if row["contender"] == contender and row.get("contender_version") == version:
                    return row
        return None

    def add(self, row):
        """Adds a row, in the place of an older one of the same."""
        names = ("problem", "dtype", "contender")
        same = [all(r[n] == row[n] for n in names) for r in self.run["rows"]]
        self.run["rows"] = [r for r, is_same in zip(self.run["rows"], same) if not is_same]
        self.run["rows"].append(row)

    def save(self):
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        write_json(self.path, self.run)
