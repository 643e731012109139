"""Checks that other programs make: clang-format, clang-tidy, Python, bash."""

import re
import shutil
import subprocess

from .tree import Finding

PLACES = ("lib", "include", "tools", "examples", "test")
DIAGNOSTIC = re.compile(r"^(.*?):(\d+):\d+: (?:error|warning): (.*)$")


def find_program(name):
    """Path of an LLVM 22 program, or None."""
    return (
        shutil.which(f"{name}-22")
        or shutil.which(name, path="/usr/lib/llvm-22/bin")
        or shutil.which(name)
    )


def _sources(tree):
    return [
        path
        for path in tree.select("*.h", "*.cpp", "*.c", under=PLACES)
        if path.parts[:2] != ("test", "Lint")
    ]


def _diagnostics(tree, output):
    for line in output.splitlines():
        if match := DIAGNOSTIC.match(line):
            path, number, message = match.groups()
            try:
                yield Finding(_relative(tree, path), int(number), message)
            except ValueError:
                continue  # A diagnostic in a header that is not ours.


def _relative(tree, path):
    return (tree.root / path).resolve().relative_to(tree.root)


def format(tree):
    """C++ is formatted by clang-format 22"""
    sources = _sources(tree)
    if not sources:
        return
    command = [find_program("clang-format"), "--dry-run", "--ferror-limit=1"]
    done = subprocess.run(
        [*command, *map(str, sources)], cwd=tree.root, capture_output=True, text=True
    )
    seen = set()
    for finding in _diagnostics(tree, done.stderr):
        if finding.path not in seen:
            seen.add(finding.path)
            yield finding._replace(message="expected clang-format to change nothing")


def fix_format(tree):
    """Applies clang-format to every source."""
    command = [find_program("clang-format"), "-i"]
    subprocess.run([*command, *map(str, _sources(tree))], cwd=tree.root, check=True)


def python(tree):
    """Python compiles"""
    for path in tree.select("*.py"):
        try:
            compile(tree.text(path), str(path), "exec")
        except SyntaxError as error:
            yield Finding(path, error.lineno or 1, str(error.msg))


def shell(tree):
    """shell scripts parse"""
    for path in tree.files:
        with open(tree.root / path, "rb") as file:
            if not re.match(rb"#!.*\b(ba)?sh\b", file.readline()):
                continue
        command = ["bash", "-n", str(path)]
        done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
        for line in done.stderr.splitlines():
            if match := re.match(r".*?: line (\d+): (.*)", line):
                yield Finding(path, int(match.group(1)), match.group(2))


def tidy(tree, build):
    """clang-tidy finds nothing"""
    sources = [str(p) for p in _sources(tree) if p.suffix == ".cpp" and p.parts[0] != "test"]
    command = [find_program("clang-tidy"), "-p", str(build), "--quiet"]
    for source in sources:
        done = subprocess.run(
            [*command, source], cwd=tree.root, capture_output=True, text=True
        )
        yield from _diagnostics(tree, done.stdout)


CHECKS = (format, python, shell)
