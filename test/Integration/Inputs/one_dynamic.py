"""What dynamic extents cost a contraction of seven iterators, counted.

one_dynamic.py --tools=DIR

The worst time of a kernel with one dynamic extent over that of the static kernel, and the
multiply-adds of one with seven over those that are needed.
"""

import argparse
import json
import pathlib
import subprocess

EINSUM = "icaq,qbjk->abcijk"
LABELS = "icaqbjk"


def count(tools, extent, dynamic):
    """What the launches of a run count, whose extents all are `extent`."""
    sizes = ",".join(f"{label}={'?' if label in dynamic else extent}" for label in LABELS)
    command = [tools / "tc-run", f"--einsum={EINSUM}", f"--sizes={sizes}", "--count"]
    command += ["--sample-blocks=3", "--report=json"]
    if dynamic:
        command.append("--run=" + ",".join(f"{label}={extent}" for label in dynamic))
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["counted"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tools", required=True, type=pathlib.Path)
    tools = parser.parse_args().tools
    for extent in (16, 24):
        static = sum(launch["seconds"] for launch in count(tools, extent, ""))
        worst = max(
            sum(launch["seconds"] for launch in count(tools, extent, label)) for label in LABELS
        )
        print(f"one dynamic extent at {extent}: {worst / static:.3f} of the static kernel's time")
    for extent in (8, 16, 24):
        done = sum(launch["multiply_adds"] for launch in count(tools, extent, LABELS))
        print(f"seven at {extent}: {32 * done / extent**7:.2f} of the multiply-adds")


if __name__ == "__main__":
    main()
