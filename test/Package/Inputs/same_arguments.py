"""Fails where two packages differ in what their functions take."""

import json
import sys


def entries(folder):
    with open(f"{folder}/manifest.json", encoding="utf-8") as file:
        return [
            {key: entry[key] for key in ("arguments", "parameters", "prototype", "input")}
            for entry in json.load(file)["entries"]
        ]


first, second = map(entries, sys.argv[1:])
if first != second:
    sys.exit(f"expected the same arguments, got\n{first}\nand\n{second}")
