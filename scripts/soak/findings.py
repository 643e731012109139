"""What was found: a folder with the files that a command takes, and `recipe.json`.

The recipe has the `command` (words, of programs of the build and files of the folder),
the `family`, `what` is wrong, and how it is `judged`:

    ends        with a result or an error: no signal, no report of a sanitizer, within the
                limits of time and memory, no file half written
    verifies    each line of its output has no wrong result, too (tc-run --batch)
    agrees      exit status 0
    same        as `ends`; what it writes is the file `want`, but for `.minnctapersm`
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
from dataclasses import dataclass, field

from tools import CPU_SECONDS, describe_fault

OUTPUT = "out"  # where a command writes
TEST = """\
# Found by `./dev soak`, {family}: {what}
# RUN: %python %tc_source/scripts/soak --build=%tc_build --replay=%S/Inputs/{name}
"""


@dataclass
class Case:
    """A command and its files."""

    family: str
    command: list
    files: dict = field(default_factory=dict)  # name to bytes
    judged: str = "ends"
    may_be_late: bool = False
    names_outputs: bool = False  # what it reads says where it writes
    seconds: int = CPU_SECONDS


@dataclass
class Finding:
    case: Case
    what: str


# What the reference says where it cannot tell.
UNDECIDED = ("rounding errors decide", "not judged")


def without_resident(output):
    """PTX but for the blocks that a multiprocessor is to hold: where ptxas says that registers
    would be spilled for that, a kernel is released from it."""
    return re.sub(rb"\.minnctapersm \d+", b"", output)


def find_wrong_results(output):
    """What is wrong in the answers of `tc-run --batch --verify`."""
    for line in output.splitlines():
        answer = json.loads(line)
        is_wrong = answer.get("report", {}).get("verified") is False
        if is_wrong and not any(text in answer["error"] for text in UNDECIDED):
            return "wrong result: " + answer["error"].splitlines()[0]
    return None


def _judge_files(case, folder, before, ended):
    """Nothing half written is left; a compiler that fails leaves nothing, and one that
    does not has written something."""
    new = sorted(set(os.listdir(folder)) - before)
    # A kernel with findings has run to its end, and what it computed is written.
    has_run = ended.status == 0 or re.search(r"error: \d+ finding", ended.text)
    if any(name != OUTPUT for name in new) and not (has_run and case.names_outputs):
        return f"leaves {new}"
    if "-o" not in case.command:
        return None
    path = os.path.join(folder, OUTPUT)
    if ended.status != 0:
        return f"leaves '{OUTPUT}' behind an error" if new else None
    is_empty = os.path.isfile(path) and os.path.getsize(path) == 0
    if not new or (is_empty and "launches no kernel" not in ended.text):
        return "writes nothing"
    return None


def judge(case, tools):
    """(what is wrong with a case or None, how it ended)."""
    with tools.temporary() as folder:
        for name, content in case.files.items():
            pathlib.Path(folder, name).write_bytes(content)
        before = set(os.listdir(folder))
        ended = tools.run(case.command, folder, seconds=case.seconds)
        what = describe_fault(ended, case.may_be_late)
        if what is None and not ended.timed_out and case.judged != "agrees":
            what = _judge_files(case, folder, before, ended)
        if what is None and case.judged == "verifies":
            what = find_wrong_results(ended.output)
        if what is None and case.judged == "same" and ended.status == 0:
            got = pathlib.Path(folder, OUTPUT).read_bytes()
            if without_resident(got) != without_resident(case.files["want"]):
                what = "writes something else than with all at hand"
        if what is None and case.judged == "agrees" and ended.status != 0:
            what = (ended.text + ended.output.decode(errors="replace")).strip()[-2000:]
    return what, ended


def save(finding, parent):
    """Writes a finding to a folder of its own, and returns that."""
    case = finding.case
    digest = hashlib.sha256(repr((case.command, sorted(case.files.items()))).encode())
    folder = pathlib.Path(parent, f"{case.family}-{digest.hexdigest()[:8]}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    recipe = {
        "family": case.family,
        "what": finding.what,
        "command": case.command,
        "judged": case.judged,
        "may_be_late": case.may_be_late,
        "names_outputs": case.names_outputs,
        "seconds": case.seconds,
    }
    (folder / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n", encoding="utf-8")
    return folder


def load(folder):
    folder = pathlib.Path(folder)
    recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    del files["recipe.json"]
    what = recipe.pop("what")
    return Finding(Case(files=files, **recipe), what)


def replay(folder, tools):
    """What is wrong with the case of a folder, or None."""
    return judge(load(folder).case, tools)[0]


def keep(folder, tests):
    """Makes a test of a finding in the folder `tests`, and returns its path."""
    finding, name = load(folder), pathlib.Path(folder).resolve().name
    tests = pathlib.Path(tests)
    shutil.copytree(folder, tests / "Inputs" / name, dirs_exist_ok=True)
    test = tests / f"{name}.test"
    what = finding.what.splitlines()[0][:100]
    test.write_text(TEST.format(family=finding.case.family, what=what, name=name))
    return test
