#!/usr/bin/env python3
"""Runs ZLUDA's PTX tests on the emulator.

The tests are those of a checkout of ZLUDA (github.com/vosen/ZLUDA), in
ptx/src/test/spirv_run: PTX files, and mod.rs with their inputs and outputs. Each runs
with all checks and must give these outputs bit by bit, or be refused by name. Prints a
Markdown table of the tests that were not simply right, and the numbers of all."""

import argparse
import collections
import math
import os
import pathlib
import re
import subprocess
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACRO = re.compile(r"^test_ptx(_with_32|_warp)?!\(")
SUFFIX = re.compile(r"(?<![\w.])(\d[\w.]*?)_?(u8|i8|u16|i16|u32|i32|u64|i64|f32|f64)\b")
# Notes for the table, found by reading the tests.
NOTES = {}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="the folder with mod.rs")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", default="", help="tests with this text in their name")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--timeout", type=int, default=60, help="seconds a test")
    return parser.parse_args()


def read_tests(text):
    """(name, kind, the text of the arguments) of each call of a macro."""
    text = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(MACRO.pattern, text, re.MULTILINE):
        depth, at = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        name, _, rest = text[match.end() : at - 1].strip().partition(",")
        yield name.strip(), match.group(1) or "", rest.strip()


def split(text):
    """The parts between commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [part.strip() for part in [*parts, part] if part.strip()]


class Half:
    """half::f16 of Rust."""

    NAN, NEG_INFINITY, INFINITY = (numpy.float16(text) for text in ("nan", "-inf", "inf"))
    from_f32 = from_f64 = numpy.float16

    @staticmethod
    def from_bits(bits):
        return numpy.uint16(bits).view("f2")


class Single:
    NAN, INFINITY, NEG_INFINITY = (numpy.float32(text) for text in ("nan", "inf", "-inf"))
    PI = numpy.float32(math.pi)

    @staticmethod
    def from_bits(bits):
        return numpy.uint32(bits).view("f4")


class Typed:
    """What makes a number of a type. The sign stands before it: it may be one too many."""

    def __init__(self, kind):
        self.type = numpy.dtype(kind)

    def __call__(self, value):
        return numpy.array(value).astype(self.type)[()]


class Integer:
    def __init__(self, kind):
        limits = numpy.iinfo(kind)
        self.MIN, self.MAX = numpy.dtype(kind).type(limits.min), numpy.dtype(kind).type(limits.max)

    def max_value(self):
        return self.MAX


SCOPE = {"f16": Half, "f32": Single, "consts": Single}
KINDS = {"u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4"}
KINDS |= {"u64": "u8", "i64": "i8", "f32": "f4", "f64": "f8"}
SCOPE |= {name: Integer(kind) for name, kind in KINDS.items() if kind[0] != "f"}
SCOPE |= {f"as_{name}": Typed(kind) for name, kind in KINDS.items()}


def element(text):
    """The value of one element, a number of Python where it has no type."""
    text = re.sub(r"\b(half|std)::", "", text).replace("f32::consts", "consts")
    text = text.replace("::", ".").replace(".to_bits()", ".view('u2')")

    def literal(match):
        digits = match.group(1).replace("_", "")
        if match.group(2)[0] == "f" and digits.startswith("0x"):
            return match.group(0)
        return f"as_{match.group(2)}({digits})"

    text = SUFFIX.sub(literal, text)
    text = re.sub(r"(?<=[0-9A-Fa-f])_+(?=[0-9A-Fa-f])", "", text)
    with numpy.errstate(all="ignore"):
        return eval(text, {"__builtins__": {}}, SCOPE)  # noqa: S307, of a file the user names


def array(text):
    """An array of Rust: elements without a type take that of the others."""
    values = [element(part) for part in split(text.strip()[1:-1])]
    typed = [value.dtype for value in values if isinstance(value, numpy.generic)]
    if typed:
        kind = typed[0]
    else:
        kind = "f8" if any(isinstance(value, float) for value in values) else "i4"
    bits = numpy.dtype(kind).itemsize * 8
    if numpy.dtype(kind).kind in "iu":
        low = 1 << (bits - 1) if numpy.dtype(kind).kind == "i" else 0
        values = [(int(value) + low) % (1 << bits) - low for value in values]
    return numpy.array(values, kind)


def run(folder, kind, rest, name):
    """(result, note) of one test."""
    from tc.emulator import Emulator, EmulatorError

    try:
        text = (folder / f"{name}.ptx").read_text()
        emulator = Emulator(checks="all,-leaks")
        module = emulator.module(text)
        arguments = split(rest)
        if not arguments:
            return "loaded", "the test gives no values"
        expected = array(arguments[-1])
        output = emulator.buffer(numpy.zeros(len(expected), expected.dtype))
        values = [output] if kind == "_warp" else [emulator.buffer(array(arguments[0])), output]
        # A kernel of a warp may have both parameters.
        values *= len(module.parameters(name)) if kind == "_warp" else 1
        threads = 64 if kind == "_warp" else 1
        report = module.launch(name, 1, threads, values, shared=1024)
    except EmulatorError as error:
        return "refused", str(error)
    got = output.numpy()
    found = "; ".join(f"{one['class']}: {one['text']}" for one in report["findings"])
    if got.tobytes() == expected.tobytes():
        return ("found", found) if found else ("right", "")
    different = numpy.flatnonzero(got.view(f"u{got.itemsize}") != expected.view(f"u{got.itemsize}"))
    place = different[0]
    return "wrong", f"[{place}]: expected {expected[place]!r}, got {got[place]!r}. {found}"


def run_apart(arguments, name):
    """The same in a process of its own, which an emulator's fault would end."""
    command = [sys.executable, __file__, str(arguments.folder), "--one", name]
    command += ["--build", str(arguments.build)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return "wrong", f"expected an end within {arguments.timeout} s"
    if done.returncode:
        return "wrong", f"ended with {done.returncode}: {done.stderr[-200:]}"
    result, _, note = done.stdout.strip().partition("\t")
    return result, note


def shorten(text, limit=170):
    text = re.sub(r"\s+", " ", text).replace("|", "\\|")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def main():
    arguments = parse_arguments()
    sys.path.insert(0, str(ROOT / "python"))
    library = arguments.build / "lib" / "libtc-cuda-emulator.so"
    os.environ.setdefault("TC_EMULATOR_LIBRARY", str(library.resolve()))
    tests = list(read_tests((arguments.folder / "mod.rs").read_text()))
    if arguments.one:
        name, kind, rest = next(test for test in tests if test[0] == arguments.one)
        print("\t".join(run(arguments.folder, kind, rest, name)))
        return 0
    totals = collections.Counter()
    print("| test | result | why |\n|---|---|---|")
    for name, _, _ in tests:
        if arguments.only not in name:
            continue
        result, note = run_apart(arguments, name)
        totals[result] += 1
        if result != "right":
            notes = [shorten(note), *([NOTES[name]] if name in NOTES else [])]
            print(f"| `{name}` | {result} | {'; '.join(notes)} |", flush=True)
    for path in sorted((arguments.folder / "32").glob("*.ptx")):
        if arguments.only not in path.stem:
            continue
        result, note = load(path)
        totals[result] += 1
        print(f"| `32/{path.stem}` | {result} | {shorten(note)} |", flush=True)
    print(f"\n{sum(totals.values())} tests: " + ", ".join(f"{n} {what}" for what, n in totals.items()))
    return 1 if totals["wrong"] else 0


def load(path):
    """A test with addresses of 32 bits, which must be refused."""
    from tc.emulator import Emulator, EmulatorError

    try:
        Emulator().module(path.read_text())
    except EmulatorError as error:
        return "refused", str(error)
    return "wrong", "expected it to be refused"


if __name__ == "__main__":
    sys.exit(main())
