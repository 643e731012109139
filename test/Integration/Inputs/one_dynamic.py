"""What dynamic extents cost, counted.

one_dynamic.py --tools=DIR

Of a contraction of seven iterators the worst time of a kernel with one dynamic extent over that of
the static kernel, and the multiply-adds of one with seven over those that are needed; of matrices
of few rows or columns the worst time where all extents are dynamic, over that of static kernels.
"""

import argparse
import json
import pathlib
import subprocess

EINSUM = "icaq,qbjk->abcijk"
LABELS = "icaqbjk"


PRODUCT = "ik,kj->ij"
NARROW = [{"i": i, "j": j, "k": 4096} for i, j in ((4096, 1), (4096, 8), (1, 4096), (8, 4096))]


def count(tools, einsum, extents, dynamic):
    """What the launches of a run count, where the extents of `dynamic` are dynamic."""
    sizes = ",".join(f"{label}={'?' if label in dynamic else extents[label]}" for label in extents)
    command = [tools / "tc-run", f"--einsum={einsum}", f"--sizes={sizes}", "--count"]
    command += ["--sample-blocks=3", "--report=json"]
    if dynamic:
        command.append("--run=" + ",".join(f"{label}={extents[label]}" for label in dynamic))
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["counted"]


def count_seconds(tools, einsum, extents, dynamic):
    return sum(launch["seconds"] for launch in count(tools, einsum, extents, dynamic))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tools", required=True, type=pathlib.Path)
    tools = parser.parse_args().tools
    for extent in (16, 24):
        extents = dict.fromkeys(LABELS, extent)
        static = count_seconds(tools, EINSUM, extents, "")
        worst = max(count_seconds(tools, EINSUM, extents, label) for label in LABELS)
        print(f"one dynamic extent at {extent}: {worst / static:.3f} of the static kernel's time")
    for extent in (8, 16, 24):
        launches = count(tools, EINSUM, dict.fromkeys(LABELS, extent), LABELS)
        done = sum(launch["multiply_adds"] for launch in launches)
        print(f"seven at {extent}: {32 * done / extent**7:.2f} of the multiply-adds")
    worst = max(
        count_seconds(tools, PRODUCT, extents, "ijk") / count_seconds(tools, PRODUCT, extents, "")
        for extents in NARROW
    )
    print(f"few rows or columns, all extents dynamic: {worst:.3f} of the static kernels' time")


if __name__ == "__main__":
    main()
