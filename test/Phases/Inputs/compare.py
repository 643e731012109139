"""Runs kernels on the CPU before and after each of a list of passes.

    compare.py FILE.mlir [options] PASS...

The program of each phase is lowered to loops by convert-tc-to-loops, to LLVM by
upstream passes, and run; what it prints must not change from one phase to the
next. A PASS is an option of tc-opt without the dashes: `tc-normalize`, or
`tc-schedule=chip=sm_90a`. Without a @main in the file, one is made that calls
each function with whole numbers (see program.py).

With --emulator=LIBRARY, the runtime library of tc, the program as given is at last
compiled by tc-to-nvvm and run on the emulator, with every check.

Exit status: 0 when all phases agree, 1 when one differs, 2 when one does not run.
"""

import argparse
import os
import subprocess
import sys

import program

BUFFERIZE = (
    "--one-shot-bufferize=bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map"
)
TO_LLVM = [
    "--convert-linalg-to-loops",
    "--lower-vector-multi-reduction",
    "--convert-vector-to-scf=full-unroll=true",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-math-to-llvm",
    "--convert-vector-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-ub-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]


class PhaseError(Exception):
    """A tool refused the program of a phase."""


def run_tool(arguments, text, settings=None):
    environment = {**os.environ, **(settings or {})}
    try:
        done = subprocess.run(
            arguments, input=text, capture_output=True, text=True, env=environment
        )
    except OSError as error:
        raise PhaseError(f"expected {arguments[0]} on the path: {error}") from error
    # The runtime reports what the emulator found, and the program goes on.
    if done.returncode != 0 or (settings and done.stderr):
        raise PhaseError(f"{' '.join(arguments)}\n{done.stderr}")
    return done.stdout


def run_main(llvm, libraries, more=(), settings=None):
    """Runs a program in the LLVM dialect and returns the arrays it prints."""
    shared = [
        os.path.join(libraries, f"lib{name}.so")
        for name in ("mlir_runner_utils", "mlir_c_runner_utils")
    ]
    printed = run_tool(
        ["mlir-runner", "-", "-O0", "-e", "main", "-entry-point-result=void",
         f"-shared-libs={','.join([*shared, *more])}"],
        llvm,
        settings,
    )
    return program.read_printed(printed)


def execute(text, libraries):
    """Lowers a program of any phase and returns the arrays it prints."""
    loops = run_tool(["tc-opt", "-", BUFFERIZE, "--convert-tc-to-loops"], text)
    return run_main(run_tool(["mlir-opt", "-"] + TO_LLVM, loops), libraries)


def execute_on_emulator(text, options):
    """The same by kernels. `text` has a main that works on device buffers."""
    llvm = run_tool(["tc-opt", "-", "--tc-to-nvvm"], text)
    settings = {"TC_DRIVER": "emulator", "TC_EMU_CHECKS": "all"}
    return run_main(llvm, options.libraries, [options.emulator], settings)


def find_difference(expected, got, labels, tolerance):
    """A sentence on the first element that differs, or None."""
    if [len(a) for a in expected] != [len(a) for a in got]:
        return "expected arrays of the same sizes"
    for number, (a, b) in enumerate(zip(expected, got)):
        for i, (x, y) in enumerate(zip(a, b)):
            same = x == y or (x != x and y != y)
            if not same and not abs(x - y) <= tolerance * max(abs(x), abs(y)):
                label = labels[number] if labels else f"array {number}"
                return f"{label}, element {i}: expected {x:g}, got {y:g}"
    return None


def read_file(path, device=False):
    # Its loops, and the main that calls them, have one memory.
    return program.add_main(run_tool(["tc-opt", path, "--tc-drop-host-space"], ""), device)


def compare(options):
    text, labels = read_file(options.file)
    reference = text
    if options.reference:
        reference, _ = read_file(options.reference)
    expected = execute(reference, options.libraries)
    if not any(expected):
        print("error: expected the program to print numbers")
        return 2
    phases = [""] * bool(options.reference) + options.passes
    executed, got = reference, expected
    for name in phases:
        if name:
            text = run_tool(["tc-opt", "-", "--" + name], text)
        # What a pass leaves as it was computes the same.
        if text != executed:
            executed, got = text, execute(text, options.libraries)
        difference = find_difference(expected, got, labels, options.tolerance)
        where = f"after {name}" if name else "as given"
        if difference:
            print(f"{where}: {difference}")
            return 1
        print(f"{where}: same")
    if options.emulator:
        text, _ = read_file(options.file, device=True)
        got = execute_on_emulator(text, options)
        difference = find_difference(expected, got, labels, options.tolerance)
        print(f"on the emulator: {difference or 'same'}")
        return 1 if difference else 0
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("passes", nargs="*", metavar="PASS")
    parser.add_argument("--reference", help="file with the program to compare with")
    parser.add_argument("--tolerance", type=float, default=0.0, help="relative")
    parser.add_argument("--emulator", help="run on the emulator, by this library")
    parser.add_argument("--libraries", required=True, help="where mlir_runner_utils is")
    try:
        return compare(parser.parse_intermixed_args())
    except (PhaseError, ValueError) as error:
        print(f"error: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
