"""Runs a par/seq program every way there is, and compares.

    run_program.py FILE.mlir [options]

On the CPU it runs as given and after each pass of the pipeline (compare.py of
test/Phases). As PTX it runs on the emulator with all checks, once with threads in
order and once for each seed of an adversarial order, and each time tc-run compares
it with the reference.

Exit status: 0 when all agree, 1 when one differs or has a fault.
"""

import argparse
import os
import subprocess
import sys

PHASES = os.path.join(os.path.dirname(__file__), "..", "..", "Phases", "Inputs")


def run(command, environment=None):
    """The exit status and everything a command prints."""
    done = subprocess.run(
        command,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def check_phases(options):
    """The status and the output of the CPU runs."""
    script = os.path.join(PHASES, "compare.py")
    command = [sys.executable, script, options.file, f"--libraries={options.libraries}"]
    return run(command + [f"--tolerance={options.tolerance}"] + options.passes)


def check_order(options, order):
    """The status and the output of a run of the PTX."""
    command = ["tc-run", options.file, "--verify", "--device=emulator", "--checks=all"]
    return run(command + options.arguments, {"TC_EMU_SCHEDULE": order})


def check(options):
    runs = []
    if options.passes:
        runs.append(("phases", lambda: check_phases(options)))
    orders = ["deterministic"]
    orders += [f"adversarial:{seed}" for seed in range(1, options.seeds + 1)]
    for order in orders:
        runs.append((order, lambda order=order: check_order(options, order)))
    for name, function in runs:
        status, output = function()
        print(f"{name}: {'same' if status == 0 else 'DIFFERENT'}")
        if status != 0:
            print(output)
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--passes", type=str.split, default=[], help="in one word")
    parser.add_argument("--libraries", required=True, help="where mlir_runner_utils is")
    parser.add_argument(
        "--tolerance", type=float, default=0.0, help="of the phases, relative"
    )
    parser.add_argument("--seeds", type=int, default=3, help="of adversarial orders")
    parser.add_argument(
        "--argument", action="append", default=[], dest="arguments", help="of tc-run"
    )
    return check(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
