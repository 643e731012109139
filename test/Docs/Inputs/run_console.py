"""Runs the ```console blocks of a Markdown file and compares what they print.

A line `$ COMMAND` is run by bash in the current folder, with `> TEXT` lines after it
as its further lines; the lines up to the next command are what it must print, on
either stream. `...` alone stands for any lines, `...` in a line for any text."""

import os
import re
import subprocess
import sys


def read_blocks(path):
    """[(line number, command, expected output)] of all blocks, in order."""
    found = []
    inside = False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            found.append((number, line[2:], ""))
        elif inside and line.startswith("> "):
            start, command, output = found[-1]
            found[-1] = start, command + line[2:], output
        elif inside:
            start, command, output = found[-1]
            found[-1] = start, command, output + line
    return found


def to_pattern(expected):
    """A regular expression for the expected text."""
    parts = []
    for line in expected.splitlines():
        if line == "...":
            parts.append(r"(?:.*\n)*")
        else:
            pieces = (re.escape(piece) for piece in line.split("..."))
            parts.append(".*".join(pieces) + r"\n")
    return re.compile("".join(parts))


def main(path):
    # `python3` is the one that runs this, whatever the caller has first on the path.
    here = os.path.dirname(sys.executable)
    environment = dict(os.environ, PATH=os.pathsep.join([here, os.environ["PATH"]]))
    failures = 0
    for number, command, expected in read_blocks(path):
        done = subprocess.run(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        if not to_pattern(expected).fullmatch(done.stdout):
            failures += 1
            print(f"{path}:{number}: $ {command}expected\n{expected}got\n{done.stdout}")
    print(f"{failures} of {len(read_blocks(path))} commands differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
