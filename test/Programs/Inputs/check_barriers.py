"""Are barriers needed, each of them?

    check_barriers.py PROGRAM.mlir...

Makes the kernels of each program, takes one barrier away at a time, and runs what is
left on the emulator with all checks: it must find a race, or a
read before the write. Without taking any away it must not.

Exit status: 0 when all barriers are needed, 1 when one is not.
"""

import argparse
import os
import re
import subprocess
import sys

KERNELS = (
    "--tc-lower-with --tc-serialize-host --convert-scf-to-tc --tc-bind --tc-lower-reductions"
    " --tc-cache --tc-promote --tc-map --tc-sync --tc-lower-microkernel"
).split()
# Of an access that came too early.
FINDINGS = ("race:", "uninitialised:")
BARRIERS = ("gpu.barrier", "nvvm.bar.warp.sync", "nvvm.barrier", "nvvm.cluster.arrive")


def choose_chip(text):
    """What a program is compiled for: clusters are not on every chip."""
    return "sm_90a" if "tc.par cluster" in text else "sm_80"


def run_tool(command, text):
    """The exit status of a tool that reads `text`, and everything it prints."""
    done = subprocess.run(
        command,
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TC_EMU_SCHEDULE": "adversarial:1"},
    )
    return done.returncode, done.stdout


def run_kernels(lines, chip):
    command = ["tc-run", "-", "--device=emulator", "--checks=all", f"--chip={chip}"]
    return run_tool(command, "\n".join(lines))


def stands_by(lines, place):
    """Is the kernel round a line for buffers or indices that no run here has: not
    aligned, or of more than 32 bits?"""
    names = [re.search(r"gpu.launch .*function\(@(\w+)\)", line) for line in lines]
    name = [found.group(1) for found in names[:place] if found][-1]
    return name.endswith("_unaligned") or any(found and found.group(1) == f"{name}_i32" for found in names)


def check_program(path):
    """How many barriers its kernels have, and the text up to each needless one."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    chip = choose_chip(text)
    convert = [f"--convert-tc-to-gpu=chip={chip}"]
    status, output = run_tool(["tc-opt", "-"] + KERNELS + convert, text)
    if status != 0:
        raise ValueError(output)
    lines = output.splitlines()
    status, output = run_kernels(lines, chip)
    if status != 0:
        raise ValueError(output)
    places = [
        i
        for i, line in enumerate(lines)
        if line.strip().startswith(BARRIERS) and not stands_by(lines, i)
    ]
    needless = []
    for place in places:
        # An arrival and its wait go together.
        end = place + 1 + lines[place].strip().startswith("nvvm.cluster")
        status, output = run_kernels(lines[:place] + lines[end:], chip)
        if status == 0 or not any(finding in output for finding in FINDINGS):
            needless.append("\n".join(lines[: place + 1]))
    return len(places), needless


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    total, failures = 0, 0
    for path in options.programs:
        try:
            count, needless = check_program(path)
        except ValueError as error:
            print(f"{os.path.basename(path)}: error: {error}")
            failures += 1
            continue
        total += count
        failures += len(needless)
        name = os.path.basename(path)
        print(f"{name}: {count} barriers, {len(needless)} needless", flush=True)
        for text in needless:
            print(text)
    print(f"{total} barriers in {len(options.programs)} programs")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
