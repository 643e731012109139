"""Runs the tools on programs drawn from tests, with something missing in turn.

Usage: missing.py --tools=DIR --count=N --seed=S FOLDER...

Each tool either gives what it gives with nothing missing, or something else that can be
used, or an error: a message, an exit status that is no signal's, and no file. "Used" is to be
read again by the emulator (PTX), to be a whole ELF file (cubins), and to verify (tc-run).
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

LIMIT = 60  # seconds for one run


def is_whole_elf(data):
    """Whether the section table and the sections of a 64-bit ELF file lie within it."""
    if len(data) < 64 or data[:4] != b"\x7fELF":
        return False
    offset, size, count = (
        struct.unpack_from("<Q", data, 40)[0],
        *struct.unpack_from("<HH", data, 58),
    )
    if count == 0 or offset + size * count > len(data):
        return False
    for index in range(count):
        kind, begin, length = struct.unpack_from("<4xI16xQQ", data, offset + size * index)
        if kind not in (0, 8) and begin + length > len(data):  # SHT_NULL, SHT_NOBITS
            return False
    return True


def undefined_functions(text):
    """The functions that PTX declares as external and nobody has, but for the driver's."""
    declared = re.findall(r"\.extern \.func\s+(?:\([^)]*\)\s*)?([\w$]+)", text)
    return set(declared) - {"vprintf", "malloc", "free", "__assertfail"}


def choose_function(program):
    """The option that names one of a file's public functions, always the same one."""
    text = program.read_text(encoding="utf-8")
    names = re.findall(r"^\s*func\.func (?:public )?@(\w+)", text, re.M) or [""]
    return f"--name={random.Random(program.name).choice(names)}"


def find_memory(tool, changes):
    """KiB of address space with which a tool starts, and little more."""
    low, high = 0, 4 << 20
    while high - low > 1024:
        middle = (low + high) // 2
        done = run([tool, "--version"], changes, memory=middle)
        low, high = (low, middle) if done.returncode == 0 else (middle, high)
    return high


def run(command, changes, memory=None):
    """Runs a command; `changes` are those of the environment, `memory` is in KiB."""

    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory << 10, memory << 10))

    return subprocess.run(
        command,
        capture_output=True,
        env={**os.environ, **changes},
        timeout=LIMIT,
        preexec_fn=limit,
        check=False,
    )


class Case:
    """One program under one condition."""

    def __init__(self, options, program, work):
        self.program, self.work = program, work
        self.function = choose_function(program)
        self.tools = {name: f"{options.tools}/{name}" for name in options.memory}
        self.memory = options.memory
        none = str(work / "none")
        self.conditions = {
            "ptxas": {"TC_PTXAS": none},
            "libdevice": {"TC_LIBDEVICE": none},
            "tmpdir": {"TMPDIR": none},
            "memory": {},
        }
        self.faults, self.outcomes = [], collections.Counter()

    def command(self, tool, condition, output):
        tools, program = self.tools, self.program
        if tool == "tc-opt":
            return [tools[tool], program, "--tc-to-nvvm", "-o", output]
        if tool == "tc-run":
            return [tools[tool], program, self.function, "--verify", "--device=emulator"]
        # Where only cubins need what is missing, a cubin is asked for.
        form = "cubin" if condition in ("ptxas", "tmpdir") else "ptx"
        return [tools[tool], program, self.function, f"--emit={form}", "-o", output]

    def judge(self, tool, condition, done, output):
        """What is wrong with what a tool did, or nothing."""
        messages = done.stderr.decode(errors="replace")
        if done.returncode < 0 or done.returncode > 127:
            return f"ended by signal or status {done.returncode}: {messages[:300]}"
        if done.returncode != 0:
            if "error" not in messages:
                return f"status {done.returncode} without an error: {messages[:300]}"
            left = sorted(path.name for path in self.work.iterdir())
            return f"left {left} after an error" if left else None
        if tool == "tc-run":
            said = done.stdout.decode(errors="replace")
            return None if re.search("verified|not judged", said) else f"said {said[:200]}"
        data = output.read_bytes() if output.exists() else b""
        if "launches no kernel" in messages:
            return None
        if tool == "tc-compile" and condition in ("ptxas", "tmpdir"):
            return None if is_whole_elf(data) else f"a cubin of {len(data)} bytes"
        text = data.decode(errors="replace")
        if undefined := undefined_functions(text):
            return f"PTX without {sorted(undefined)}"
        if tool == "tc-compile" and not re.search(r"\.entry[^{]*\{.*\}\s*$", text, re.S):
            return f"PTX that is cut off: {text[-100:]!r}"
        if tool == "tc-opt" and text.count("{") - text.count("}"):
            return f"MLIR that is cut off: {text[-100:]!r}"
        return None

    def is_long(self, tool):
        """Whether a program takes more than a test's time with nothing missing, too."""
        try:
            run(self.command(tool, "nothing", self.work / "output"), {})
        except subprocess.TimeoutExpired:
            return True
        return False

    def clear(self):
        for path in self.work.iterdir():
            path.unlink()

    def check_tool(self, tool):
        """A fault, or nothing, of each condition."""
        output = self.work / "output"
        for condition, changes in self.conditions.items():
            memory = None
            if condition == "memory":
                draw = random.Random(f"{self.program.name} {tool}")
                memory = self.memory[tool] + draw.randrange(48 << 10)
            try:
                done = run(self.command(tool, condition, output), changes, memory)
            except subprocess.TimeoutExpired:
                is_long = self.is_long(tool)
                self.clear()
                if is_long:
                    self.outcomes[tool, "any", True] += 1
                    return
                yield condition, f"did not end within {LIMIT} seconds"
                continue
            yield condition, self.judge(tool, condition, done, output)
            self.clear()
            self.outcomes[tool, condition, done.returncode == 0] += 1

    def check(self):
        for tool in self.tools:
            for condition, fault in self.check_tool(tool):
                if fault:
                    self.faults.append(f"{self.program}: {tool} without {condition}: {fault}")
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    programs = sorted(
        path
        for folder in options.folders
        for path in folder.rglob("*.mlir")
        if "func.func" in path.read_text(encoding="utf-8")
    )
    # By name, so that a new file leaves the others' turns as they are.
    programs.sort(key=lambda p: random.Random(f"{options.seed} {p.parent.name}/{p.name}").random())
    programs = programs[: options.count]
    options.memory = {
        name: find_memory(f"{options.tools}/{name}", {})
        for name in ("tc-opt", "tc-compile", "tc-run")
    }
    root = pathlib.Path(tempfile.mkdtemp())
    cases = []
    for number, program in enumerate(programs):
        work = root / str(number)
        work.mkdir()
        cases.append(Case(options, program, work))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        outcomes = collections.Counter()
        faults = []
        for case in pool.map(Case.check, cases):
            outcomes += case.outcomes
            faults += case.faults
            for fault in case.faults:
                print(fault, flush=True)
    shutil.rmtree(root)
    for tool in options.memory:
        for condition in ("ptxas", "libdevice", "tmpdir", "memory"):
            right, wrong = outcomes[tool, condition, True], outcomes[tool, condition, False]
            print(f"{tool} without {condition}: {right} results, {wrong} errors")
    long = sum(outcomes[tool, "any", True] for tool in options.memory)
    print(f"{long} programs take more than {LIMIT} seconds anyway")
    runs = sum(outcomes.values()) - long
    print(f"{len(programs)} programs, {runs} runs, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
