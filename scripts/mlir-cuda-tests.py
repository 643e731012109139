#!/usr/bin/env python3
"""Runs MLIR's CUDA integration tests on the emulator with stock tools.

The tests are those of a checkout of llvm-project, mlir/test/Integration/GPU/CUDA,
of the release of the tools. Each RUN line is run as it stands, with our library
in place of MLIR's CUDA runtime and PTX text as the format of kernels. Prints a
Markdown table: test, result, and what the emulator found or why it failed."""

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
    r"mgpu: .*",
    r"Symbols not found: .*",
    r"Unknown command line argument '[^']*'",
    r".*failed to legalize operation.*",
    r".*error: .*",
    r".*[Ff]ailed.*",
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


def environment(arguments, report):
    path = [str(arguments.llvm / "bin"), os.environ["PATH"], "/usr/local/cuda/bin"]
    chosen = {
        "PATH": os.pathsep.join(path),
        "TC_DRIVER": "emulator",
        "TC_EMU_CHECKS": "all",
        "TC_EMU_REPORT": str(report),
        "TC_EMU_LOG": "none",
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
    """Classes of findings in the emulator's report and how often each came."""
    if not report.exists():
        return {}
    counts = {}
    for finding in json.loads(report.read_text())["findings"]:
        counts[finding["class"]] = counts.get(finding["class"], 0) + 1
    return counts


def run_test(arguments, path, scratch):
    """(result, reason) of one test."""
    text = path.read_text(errors="replace")
    commands = run_lines(text)
    if not commands:
        return None
    if any("-debug-only" in command for command in commands):
        return "n/a", "asks for debug output, which release builds of the tools lack"
    report = scratch / "report.json"
    found = {}
    for command in commands:
        report.unlink(missing_ok=True)
        command = expand(command, substitutions(arguments, path, scratch))
        env = environment(arguments, report)
        status, output = execute(command, env, arguments.timeout)
        for name, count in findings(report).items():
            found[name] = found.get(name, 0) + count
        if status != 0:
            if arguments.verbose:
                print(f"{path}: {command}\n{output}", file=sys.stderr)
            env["TC_MGPU_REPORT"] = "stderr"
            # Again without the check, which would be the one to read the reason.
            plain = re.sub(r"\|\s*FileCheck.*$", "", command)
            _, reason = execute(plain, env, arguments.timeout)
            return "fail", find_reason(reason + output)
    words = ", ".join(f"{count} x {name}" for name, count in sorted(found.items()))
    return "pass", f"found: {words}" if words else ""


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
