"""Tuning files: the best schedule that was found for a contraction on a chip, and the
thresholds that were found for a function (docs/Reports.md). A line an entry, sorted, so that two files compare and merge as
text; writers take turns by a lock, and readers see a whole file or the one before."""

import contextlib
import fcntl
import json
import os

FORMAT = "tc-tuning"
# A later one is believed more. What an emulator timed is worth nothing.
FOUND = ("emulated", "counted", "simulated", "measured")
_NEEDED = {"machine": str, "version": int, "found": str, "seconds": float}
_OF_CONTRACTIONS = _NEEDED | {"contraction": str, "schedule": str}
_OF_FUNCTIONS = _NEEDED | {"function": str, "thresholds": dict}


class TuningError(RuntimeError):
    """A tuning file that is not one."""


def find_key(entry):
    what = "function" if "function" in entry else "contraction"
    return entry["machine"], entry[what], entry["version"]


def load(path):
    """The entries by key; none where there is no file."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise TuningError(f"expected a tuning file at '{path}': {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise TuningError(f"{path}: expected an object with format '{FORMAT}'")
    entries = {}
    for entry in content.get("entries", []):
        needed = _OF_FUNCTIONS if "function" in entry else _OF_CONTRACTIONS
        for name, kind in needed.items():
            if not isinstance(entry.get(name), kind):
                raise TuningError(
                    f"{path}: expected {name} of type {kind.__name__} in each entry, "
                    f"got {entry.get(name)!r}"
                )
        if entry["found"] not in FOUND:
            found = entry["found"]
            raise TuningError(f"{path}: expected found to be one of {FOUND}, got {found!r}")
        entries[find_key(entry)] = entry
    return entries


def is_better(new, old):
    """Measured beats simulated, which beats counted, which beats emulated; of one kind,
    the one that takes less time, or for a function, whose data sets may be others, the new."""
    if new["found"] != old["found"]:
        return FOUND.index(new["found"]) > FOUND.index(old["found"])
    return "function" in new or new["seconds"] < old["seconds"]


def merge(entries, more):
    """Adds `more`, an iterable of entries, where they are new or better."""
    for entry in more:
        old = entries.get(find_key(entry))
        if old is None or is_better(entry, old):
            entries[find_key(entry)] = entry
    return entries


def write_text(entries):
    """The file as text."""
    lines = [json.dumps(entries[key]) for key in sorted(entries)]
    inner = ",\n".join(f"  {line}" for line in lines)
    return f'{{"format": "{FORMAT}", "entries": [\n{inner}\n]}}\n'


@contextlib.contextmanager
def _lock(path):
    """Only one writer at a time; the lock lies beside the file and stays."""
    with open(f"{path}.lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def update(path, more, replace=False):
    """Merges `more` into the file, whatever others write meanwhile. With `replace`
    they take the place of what is there, better or not."""
    with _lock(path):
        entries = load(path)
        if replace:
            entries.update((find_key(entry), entry) for entry in more)
        else:
            merge(entries, more)
        temporary = f"{path}.{os.getpid()}"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(write_text(entries))
        os.replace(temporary, path)
    return entries
