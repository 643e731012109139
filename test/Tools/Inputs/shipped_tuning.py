"""Checks the tuning file that comes with the compiler.

shipped_tuning.py TUNING.json CASES.json PROBLEM...

Every entry says how it was found, and the compiler takes those of the problems for each
chip and type: the schedule that it reports is the one of the file.
"""

import json
import re
import subprocess
import sys
from collections import Counter

CHIPS, DTYPES = ["sm_80", "sm_90a"], ["f32", "f64"]


def compile_tuned(problem, chip, dtype, tuning):
    """What the report calls the contraction, and its schedule by numbers."""
    sizes = ",".join(f"{label}={extent}" for label, extent in problem["sizes"].items())
    command = ["tc-compile", f"--einsum={problem['einsum']}", f"--sizes={sizes}"]
    command += [f"--dtype={dtype}", f"--chip={chip}", f"--tuning={tuning}", "--report=json"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["tunable"][0]


def drop_staging(schedule):
    """The schedule without what the compiler adds to one of the file."""
    return re.sub(r", stage = \[.*\](?=, (?:stages|resident|kernel) = )", "", schedule)


def main():
    tuning, cases, *names = sys.argv[1:]
    with open(tuning) as file:
        entries = json.load(file)["entries"]
    with open(cases) as file:
        problems = {problem["name"]: problem for problem in json.load(file)["contractions"]}
    found = {(e["machine"], e["contraction"]): e for e in entries}
    for entry in entries:
        assert entry["found"] in ("counted", "measured") and entry["seconds"] > 0, entry
        assert entry["tried"] >= entry["rank"] >= 1, entry
    taken = 0
    for name in names:
        for chip in CHIPS:
            for dtype in DTYPES:
                tunable = compile_tuned(problems[name], chip, dtype, tuning)
                entry = found[chip, tunable["contraction"]]
                reported = drop_staging(tunable["schedule"])
                assert reported == entry["schedule"], (name, chip, dtype, tunable, entry)
                taken += 1
    chips = Counter(entry["machine"] for entry in entries)
    print(f"{dict(sorted(chips.items()))} entries; {taken} taken by the compiler")


if __name__ == "__main__":
    main()
