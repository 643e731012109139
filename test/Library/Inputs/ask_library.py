"""Writes a tuning file that has a library asked for all contractions of a report:
ask_library.py FILE < REPORT."""

import json
import sys

report = json.load(sys.stdin)
entries = [
    {
        "machine": report["chip"],
        "contraction": one["contraction"],
        "version": one["version"],
        "schedule": "#tc.schedule<kernel = library>",
    }
    for one in report["tunable"]
]
with open(sys.argv[1], "w") as file:
    json.dump({"format": "tc-tuning", "entries": entries}, file)
