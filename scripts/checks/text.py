"""Checks that read lines: licence, length, columns, whitespace, words, links."""

import re

from .tree import Finding

CODE = ("*.h", "*.cpp", "*.c", "*.td")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MAX_LINES = {".cpp": 600, ".h": 600, ".c": 600, ".py": 600, ".td": 400}
MAX_COLUMNS = 100
FENCE = re.compile(r"\s*(```+|~~~+)")
# Markdown that cannot be broken: a row of a table, a URL or a link by itself.
UNBROKEN = re.compile(
    r"\s*\||\s*([-*+] |\d+\. |\[[^\]]*\]: )?(!?\[[^\]]*\]\(\S+\)|<?\w+://\S+)\W*$"
)
BINARY = {".npy", ".cubin", ".png"}


def _is_planted(path):
    """The lint's own tests hold faults on purpose."""
    return path.parts[:2] == ("test", "Lint")


def _is_foreign(path):
    """PTX that another compiler wrote, kept as it is."""
    return path.suffix == ".ptx" and "Inputs" in path.parts


def licence(tree):
    """every source starts with the licence banner"""
    for path in tree.select(*CODE):
        if SPDX not in "\n".join(tree.text(path).splitlines()[:10]):
            yield Finding(path, 1, f"expected '{SPDX}' in the first 10 lines")


def length(tree):
    """files are short enough to be read"""
    for path in tree.files:
        limit = MAX_LINES.get(path.suffix)
        count = len(tree.text(path).splitlines()) if limit else 0
        if limit and count > limit:
            message = f"expected at most {limit} lines, got {count}"
            yield Finding(path, limit + 1, message)


def _prose(tree, path):
    """(number from 1, line) of each line of Markdown outside of fenced code."""
    fence = None
    for number, line in tree.lines(path):
        mark = FENCE.match(line)
        if fence:
            # A fence is closed by its own kind, at least as long, alone on its line.
            if mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
                fence = None
        elif mark:
            fence = mark.group(1)
        else:
            yield number, line


def columns(tree):
    """lines of Markdown have at most 100 columns, but for code, tables and long links"""
    for path in tree.select("*.md"):
        for number, line in _prose(tree, path):
            if len(line) > MAX_COLUMNS and not UNBROKEN.match(line):
                message = f"expected at most {MAX_COLUMNS} columns, got {len(line)}"
                yield Finding(path, number, message)


def whitespace(tree):
    """no trailing blanks, carriage returns or tabs; a newline at the end"""
    for path in tree.files:
        if path.suffix in BINARY or _is_planted(path) or _is_foreign(path):
            continue
        # newline="" keeps carriage returns visible.
        with open(tree.root / path, encoding="utf-8", errors="replace", newline="") as f:
            text = f.read()
        if text and not text.endswith("\n"):
            yield Finding(path, text.count("\n") + 1, "expected a newline at the end")
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield Finding(path, number, "expected no trailing whitespace")
            if path.match("*.h") or path.match("*.cpp") or path.match("*.td"):
                if "\t" in line:
                    yield Finding(path, number, "expected spaces, got a tab")


def unfinished(tree):
    """no marks of unfinished work"""
    marks = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
    for path in tree.files:
        if path.suffix in BINARY or path.name == "LICENSE" or _is_planted(path):
            continue
        for number, line in tree.lines(path):
            if match := marks.search(line):
                message = f"expected finished work, got '{match.group()}'"
                yield Finding(path, number, message)


def links(tree):
    """relative links in the documentation lead somewhere"""
    link = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
    for path in tree.select("*.md"):
        for number, line in tree.lines(path):
            for target, _ in link.findall(line):
                if "://" in target or target.startswith("mailto:"):
                    continue
                if not (tree.root / path.parent / target).exists():
                    message = f"expected '{target}' to exist"
                    yield Finding(path, number, message)


def expected_guard(path):
    """TC_, the path below include/tc or from lib, and the file name."""
    parts = list(path.with_suffix("").parts)
    if parts[0] == "include":
        parts = parts[1:] if parts[1] != "tc" else ["tc", *parts[2:]]
    else:
        parts = ["tc", *parts]
    return re.sub(r"\W", "_", "_".join(parts)).upper() + "_H"


def guards(tree):
    """include guards are named by the path"""
    for path in tree.select("*.h", under=("include", "lib")):
        guard = re.search(r"^#ifndef (\w+)\n#define \1$", tree.text(path), re.M)
        expected = expected_guard(path)
        if not guard or guard.group(1) != expected:
            got = guard.group(1) if guard else "none"
            line = tree.text(path).count("\n", 0, guard.start()) + 1 if guard else 1
            yield Finding(path, line, f"expected include guard {expected}, got {got}")


CHECKS = (licence, length, columns, whitespace, unfinished, links, guards)
