#!/usr/bin/env python3
"""Runs MLIR's CUDA integration tests on the emulator with stock tools.

The tests are those of a checkout of llvm-project, mlir/test/Integration/GPU/CUDA,
of the release of the tools. Each RUN line is run with our library in place of
MLIR's CUDA runtime and PTX text as the format of kernels: once without checks, as
a GPU would, for the result, and once with all checks, for what they find. Prints
a Markdown table: test, result, findings, and a note or why it failed."""

import argparse
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# DISABLED: a check that LLVM switched off as flaky; here it is run.
HERE = pathlib.Path(__file__).resolve().parent

RUN = re.compile(r"^\s*(?://|#|;)\s*(?:RUN|DISABLED):\s*(.*?)\s*$")
# Patterns of a line of the output that gives the reason of a failure, the most
# specific first.
REASONS = (
    r"PTX line \d+[^\n]*: (.*)",
    r"mgpu: (.*)",
    r"(Symbols not found: .*)",
    r"(Unknown command line argument '[^']*')",
    r"(LLVM ERROR: .*)",
    r"(.*failed to legalize operation.*)",
    r"(.*error: .*)",
    r"(.*[Ff]ailed.*)",
)
# RUN lines that depend on how LLVM was configured, or that the stock tools refuse:
# (pattern, replacement, note for the table).
ADAPTATIONS = (
    (
        r'-gpu-lower-to-nvvm-pipeline="(?![^"]*cubin-format)',
        '-gpu-lower-to-nvvm-pipeline="cubin-format=isa ',
        "names no kernel format; run as PTX",
    ),
    (
        r"cubin-chip=sm_80 (?!cubin-features)",
        "cubin-chip=sm_80 cubin-features=+ptx70 ",
        "run with cubin-features=+ptx70; LLVM 22 refuses sm_80 with the default",
    ),
)
# LLVM 22 declares dynamic shared memory as static variables of a byte, which
# overlap others, the mbarriers too: a filter that declares it as CUDA does.
SHARED = (
    r"sed -E ':a; s/(\.visible \.entry .*)\.shared \.align 16 \.b8 ([A-Za-z_0-9]+);/"
    r".extern .shared .align 1024 .b8 \2[];\\0A\1/; ta'"
)
SHARED_NOTE = (
    "LLVM 22 makes static variables of a byte of dynamic shared memory, so that the tiles "
    "overlap the mbarriers, as ptxas 13 lays them out, too; run with `.extern .shared`"
)
# Tests with a fault by which they fail or hang: what mends their source, by sed.
UNORDERED = (
    "/nvgpu.warpgroup.mma.store/a gpu.barrier",
    "run with a barrier between the stores of the results to shared memory and the loads by "
    "other warps, which the test lacks: as it is, warps that run one after the other give "
    "wrong results (with all checks 99 x race)",
)
MENDED = {
    "sm90/gemm_f32_f16_f16_128x128x128.mlir": UNORDERED,
    "sm90/gemm_pred_f32_f16_f16_128x128x128.mlir": UNORDERED,
    "sm90/tma_load_128x64_swizzle128b.mlir": (
        r"s/nvgpu.*\(expect_tx .*\)%c8192/%b = arith.constant 16384 : index\n"
        r"nvgpu.mbarrier.arrive.\1%b/",
        "run with 16384 bytes to expect for 8192: the copy brings 16384, so that the phase "
        "never ends, or ends too early",
    ),
}
# A stage is given back, or results are stored, while the last wgmma of a warpgroup is in
# flight, by test: the wait in the PTX, and one that leaves nothing in flight.
UNAWAITED = {
    "sm90/python/matmul.py": r"s/(wgmma\.wait_group\.sync\.aligned \\09)1;/\10;/g",
}
UNAWAITED_NOTE = (
    "run with `wgmma.wait_group 0` for `1`: in its kernels with specialised warps, results are "
    "stored, and with one stage it is given back, while a `wgmma` is in flight (ptxas "
    "serialises such code)"
)
# Checks of the contents of memory that nobody wrote, by test.
UNWRITTEN = {"sm90/tma_load_64x8_8x128_noswizzle.mlir": "TMA BEFORE"}
UNWRITTEN_NOTE = "run without its two checks that shared memory which nobody wrote is zero"
# What runs tests in Python.
BINDINGS = "jaxlib"
# RUN lines of compilers that were built with assertions; they run no kernel.
DEBUG_OUTPUT = "-debug-only"
DEBUG_NOTE = "run without its lines that read the debug output of the compiler"
STREAM_NOTE = (
    "copies to the device and the kernel are in streams that nothing orders: the token of the "
    "copies is not waited for"
)
# Notes for the table: causes of findings, found by reading the tests.
NOTES = {
    "TensorCore/wmma-matmul-f16.mlir": "the product overwrites a factor; between the "
    "loads and the stores is only the matrix instruction, which does not order memory",
    "all-reduce-op.mlir": "lanes overwrite a word that lane 0 loaded; between the load "
    "and the stores are only shuffles, which do not order memory",
    "all-reduce-region.mlir": "the same as all-reduce-op",
    "alloc-host-shared.mlir": "the test uses element 1 of a memref<1xi32>",
    "async.mlir": "run with the check that LLVM disabled as flaky; host code from LLVM 22 "
    "passes streams where events are expected (fixed by LLVM pull request 190717), which "
    "our library accepts",
    "printf.mlir": "the kernel writes 1 byte for %d and vprintf reads 4; the test passes "
    "only if the other 3 happen to be zero",
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="the folder with the tests")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22")
    parser.add_argument("--only", help="run tests with this text in their path")
    parser.add_argument("--timeout", type=int, default=300, help="seconds a test")
    parser.add_argument("--verbose", action="store_true", help="show what failed")
    return parser.parse_args()


def run_lines(text):
    """The commands of a test, continued lines joined."""
    commands, pending = [], ""
    for line in text.splitlines():
        if not (match := RUN.match(line)):
            continue
        part = match.group(1)
        if part.startswith("|") and not pending and commands:
            pending = commands.pop() + " "
        pending += part[:-1] + " " if part.endswith("\\") else part
        if not part.endswith("\\"):
            if pending:
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
        "%PYTHON": f"{sys.executable} {HERE}/mlir_python.py --llvm={arguments.llvm}",
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


def adapt(command, notes):
    """The command as the stock tools can run it; what was done goes to `notes`."""
    for pattern, replacement, note in ADAPTATIONS:
        command, count = re.subn(pattern, replacement, command)
        if count and note not in notes:
            notes.append(note)
    return command


def environment(arguments, checks, report):
    path = [str(arguments.llvm / "bin"), os.environ["PATH"], "/usr/local/cuda/bin"]
    chosen = {
        "PATH": os.pathsep.join(path),
        "TC_DRIVER": "emulator",
        "TC_EMU_CHECKS": checks,
        "TC_EMU_REPORT": str(report),
        "TC_MGPU_REPORT": "stderr",
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
            return shorten(match.group(1))
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


def run_commands(arguments, commands, checks, scratch):
    """(what failed or None, findings) of the commands with such checks."""
    report = scratch / f"{checks}.json"
    found = {}
    for command in commands:
        report.unlink(missing_ok=True)
        env = environment(arguments, checks, report)
        status, output = execute(command, env, arguments.timeout)
        for name, count in findings(report).items():
            found[name] = found.get(name, 0) + count
        # Host code from MLIR goes on after an error of the driver.
        if status == 0 and "FileCheck" not in command and "mgpu: " in output:
            status = 1
        if status != 0:
            if arguments.verbose:
                print(f"{command}\n{output}", file=sys.stderr)
            return output, found
    return None, found


def mend(commands, name, path, notes):
    """The commands of a test that needs it, with what it lacks or has too much."""
    filters = []  # of the lowered module
    if path.suffix == ".py" or "gpu.dynamic_shared_memory" in path.read_text(errors="replace"):
        notes.append(SHARED_NOTE)
        filters.append(SHARED)
    if name in UNAWAITED:
        notes.append(UNAWAITED_NOTE)
        filters.append(f"sed -E '{UNAWAITED[name]}'")
    if filters:
        lowered = " | ".join(filters)
        for before, after in (
            ("| mlir-runner", f"| {lowered} | mlir-runner"),
            ("mlir_python.py", f"mlir_python.py --mend={shlex.quote(lowered)}"),
        ):
            commands = [one.replace(before, after) for one in commands]
    if name in MENDED:
        script, note = MENDED[name]
        notes.append(note)
        mended = f"mlir-opt <(sed {shlex.quote(script)} {path})"
        commands = [one.replace(f"mlir-opt {path}", mended) for one in commands]
    if name in UNWRITTEN:
        notes.append(UNWRITTEN_NOTE)
        checks = f"FileCheck <(sed '/CHECK: .*{UNWRITTEN[name]}/d' {path})"
        commands = [one.replace(f"FileCheck {path}", checks) for one in commands]
    return commands


def run_test(arguments, name, path, scratch):
    """(result, findings, note) of one test, or None if it is none."""
    commands = run_lines(path.read_text(errors="replace"))
    if not commands:
        return None
    if not any("runner" in command or "%PYTHON" in command for command in commands):
        return "n/a", "", "runs no kernel: it reads the debug output of the compiler"
    if path.suffix == ".py" and not importlib.util.find_spec(BINDINGS):
        return "not run", "", f"needs the package {BINDINGS}==0.8.0"
    notes = []
    run = [one for one in commands if DEBUG_OUTPUT not in one]
    if len(run) < len(commands):
        notes.append(DEBUG_NOTE)
    commands = run
    table = substitutions(arguments, path, scratch)
    commands = [expand(adapt(command, notes), table) for command in commands]
    commands = mend(commands, name, path, notes)
    failure, _ = run_commands(arguments, commands, "none", scratch)
    stopped, found = run_commands(arguments, commands, "all", scratch)
    if stopped and not failure and not found:
        failure = stopped
    words = ", ".join(f"{count} x {what}" for what, count in sorted(found.items()))
    if "stream-race" in found:
        notes.append(STREAM_NOTE)
    if name in NOTES:
        notes.append(NOTES[name])
    elif failure:
        notes.append(find_reason(failure))
    return "fail" if failure else "pass", words, "; ".join(notes)


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
    print("| test | result | found with all checks | note |\n|---|---|---|---|")
    totals = {}
    for path in tests:
        name = str(path.relative_to(arguments.folder))
        with tempfile.TemporaryDirectory() as scratch:
            outcome = run_test(arguments, name, path, pathlib.Path(scratch))
        if outcome:
            totals[outcome[0]] = totals.get(outcome[0], 0) + 1
            print(f"| `{name}` | {' | '.join(outcome)} |", flush=True)
    words = ", ".join(f"{count} {result}" for result, count in sorted(totals.items()))
    print(f"\n{words}")
    return 1 if totals.get("fail") else 0


if __name__ == "__main__":
    sys.exit(main())
