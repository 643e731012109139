#!/usr/bin/env python3
"""Runs MLIR's CUDA integration tests on the emulator with stock tools.

The tests are those of a checkout of llvm-project, mlir/test/Integration/GPU/CUDA,
of the release of the tools. Each RUN line is run as it stands, with our library
in place of MLIR's CUDA runtime and PTX text as the format of kernels: first as the
emulator is by default, then with all checks on for the sake of what they find. A
test that fails by its own access out of bounds gets a try without checks. Prints a
Markdown table: test, result, and what was found or why it failed."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RUN = re.compile(r"^\s*(?://|#|;)\s*RUN:\s*(.*?)\s*$")
# What a line on standard error must have to be the reason of a failure, the most
# telling first.
REASONS = (
    r"PTX line \d+: .*",
    r"LLVM ERROR: .*",
    r"Symbols not found: .*",
    r"ModuleNotFoundError: .*",
    r"mgpu: .*",
    r"Unknown command line argument '[^']*'",
    r".*failed to legalize operation.*",
    r".*error: .*",
    r".*[Ff]ailed.*",
)
# What is known to be out of reach, by what shows it.
OUT_OF_REACH = (
    ("-debug-only", "asks for debug output, which release builds of the tools lack"),
    ("mgpuTensorMapEncodeTiledMemref", "TMA"),
    ("cluster", "clusters"),
    ("No module named 'mlir'", "MLIR's Python bindings are not packaged"),
    ("LLVM ERROR: PTX version", "mlir-opt itself refuses the PTX version it asks for"),
)
# Formats of kernels that a RUN line leaves to the default, which is a fatbin.
FORMATS = (
    (r'(-gpu-lower-to-nvvm-pipeline)(?!=)', r'\1="cubin-format=isa"'),
    (r'(-gpu-lower-to-nvvm-pipeline=")((?:(?!cubin-format)[^"])*")', r"\1cubin-format=isa \2"),
    (r"(-gpu-module-to-binary)(?!=)", r'\1="format=isa"'),
)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="the folder with the tests")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22")
    parser.add_argument("--only", help="run tests with this text in their path")
    parser.add_argument("--timeout", type=int, default=120, help="seconds a test")
    parser.add_argument("--verbose", action="store_true", help="show what failed")
    return parser.parse_args()


def run_lines(text):
    """The commands of a test, continued lines joined."""
    commands, pending = [], ""
    for line in text.splitlines():
        if not (match := RUN.match(line)):
            continue
        part = match.group(1)
        pending += part[:-1] + " " if part.endswith("\\") else part
        if not part.endswith("\\"):
            commands.append(pending)
            pending = ""
    return commands


def substitutions(arguments, path, scratch):
    libraries = arguments.llvm / "lib"
    return {
        "%gpu_compilation_format": "isa",
        "%mlir_cuda_runtime": arguments.build / "lib" / "libtc-mgpu-runtime.so",
        "%mlir_runner_utils": libraries / "libmlir_runner_utils.so",
        "%mlir_c_runner_utils": libraries / "libmlir_c_runner_utils.so",
        "%mlir_async_runtime": libraries / "libmlir_async_runtime.so",
        "%mlir_float16_utils": libraries / "libmlir_float16_utils.so",
        "%mlir_lib_dir": libraries,
        "%shlibext": ".so",
        "%PYTHON": sys.executable,
        "%format": "isa",
        "%s": path,
        "%S": path.parent,
        "%t": scratch / "t",
        "mlir-cpu-runner": "mlir-runner",
    }


def expand(command, table):
    """Longer names first, so that %s does not eat the start of another."""
    names = sorted(table, key=len, reverse=True)
    pattern = "|".join(re.escape(name) + (r"\b" if name[-1].isalnum() else "") for name in names)
    return re.sub(pattern, lambda match: str(table[match.group(0)]), command)


def environment(arguments, report, checks):
    path = [str(arguments.llvm / "bin"), os.environ["PATH"], "/usr/local/cuda/bin"]
    chosen = {
        "PATH": os.pathsep.join(path),
        "TC_DRIVER": "emulator",
        "TC_EMU_CHECKS": checks,
        "TC_EMU_REPORT": str(report),
    }
    return {**os.environ, **chosen}


def execute(command, env, timeout):
    """(status, what went to standard error); the status of a pipe is its worst."""
    try:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            env=env,
            timeout=timeout,
            capture_output=True,
            text=True,
            errors="replace",
        )
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return -1, f"error: expected an end within {timeout} s"


def find_reason(output):
    for pattern in REASONS:
        if match := re.search(pattern, output):
            return shorten(match.group(0))
    return "no message"


def shorten(text, limit=160):
    text = re.sub(r"/[\w./+-]+/(?=[\w.-]+)", "", text).replace("|", "\\|").strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def findings(report):
    """The findings of the emulator's report."""
    return json.loads(report.read_text())["findings"] if report.exists() else []


def describe(found):
    """Classes and how often each came, and where the first fault is."""
    counts = {}
    for finding in found:
        counts[finding["class"]] = counts.get(finding["class"], 0) + 1
    return ", ".join(f"{count} x {name}" for name, count in sorted(counts.items()))


def run_commands(arguments, path, scratch, checks):
    """(whether all passed, what they said, what the emulator found)."""
    said, found, passed = "", [], True
    report = scratch / "report.json"
    for command in run_lines(path.read_text(errors="replace")):
        report.unlink(missing_ok=True)
        command = expand(command, substitutions(arguments, path, scratch))
        for pattern, replacement in FORMATS:
            command = re.sub(pattern, replacement, command)
        env = environment(arguments, report, checks)
        status, output = execute(command, env, arguments.timeout)
        found += findings(report)
        if status != 0 and passed:
            passed = False
            # Again without FileCheck, which would be the one to read the reason.
            env["TC_MGPU_REPORT"] = "stderr"
            plain = re.sub(r"\|\s*FileCheck.*$", "", command)
            said = execute(plain, env, arguments.timeout)[1] + output
            if arguments.verbose:
                print(f"{path}: {command}\n{said}", file=sys.stderr)
    return passed, said, found


def run_test(arguments, path, scratch):
    """(result, reason) of one test."""
    text = path.read_text(errors="replace")
    if not run_lines(text):
        return None
    for sign, reason in OUT_OF_REACH[:1]:
        if any(sign in line for line in run_lines(text)):
            return "n/a", reason
    passed, said, found = run_commands(arguments, path, scratch, "bounds")
    if any(finding["class"] == "deadlock" for finding in found):
        return "n/a", "needs two kernels at once; the emulator runs one after another"
    if not passed:
        for sign, reason in OUT_OF_REACH:
            if sign in said:
                return "n/a", reason
        bounds = [finding for finding in found if finding["class"] == "out-of-bounds"]
        if bounds and run_commands(arguments, path, scratch, "none")[0]:
            return "pass", f"without checks; with them: {shorten(bounds[0]['text'], 220)}"
        return "fail", find_reason(said)
    all_found = run_commands(arguments, path, scratch, "all")[2]
    return "pass", f"all checks: {describe(all_found)}" if all_found else ""


def main():
    arguments = parse_arguments()
    tests = sorted(
        path
        for suffix in ("*.mlir", "*.py")
        for path in arguments.folder.rglob(suffix)
        if not arguments.only or arguments.only in str(path)
    )
    if not tests:
        sys.exit(f"expected tests in {arguments.folder}, got none")
    if not shutil.which("mlir-opt", path=str(arguments.llvm / "bin")):
        sys.exit(f"expected mlir-opt in {arguments.llvm}/bin, got none")
    print("| test | result | |\n|---|---|---|")
    totals = {}
    for path in tests:
        with tempfile.TemporaryDirectory() as scratch:
            outcome = run_test(arguments, path, pathlib.Path(scratch))
        if outcome:
            result, reason = outcome
            totals[result] = totals.get(result, 0) + 1
            name = path.relative_to(arguments.folder)
            print(f"| `{name}` | {result} | {reason} |", flush=True)
    words = ", ".join(f"{count} {result}" for result, count in sorted(totals.items()))
    print(f"\n{words}")
    return 1 if totals.get("fail") else 0


if __name__ == "__main__":
    sys.exit(main())
