#!/usr/bin/env python3
"""Checks the structure and the style of the source tree.

Prints `file:line: message [check]` for each fault, then one line that counts.
Fails when there is a fault."""

import argparse
import sys
import xml.etree.ElementTree as ElementTree

from checks import code, layers, programs, text
from checks.tree import Tree

CHECKS = (*programs.CHECKS, *layers.CHECKS, *text.CHECKS, *code.CHECKS)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=".", help="the tree to check")
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--report", help="write an xunit report to this file")
    parser.add_argument("--only", help="names of checks, with commas between")
    parser.add_argument("--tidy", action="store_true", help="run clang-tidy, too")
    parser.add_argument("--fix-format", action="store_true", help="only format")
    return parser.parse_args()


def selected_checks(arguments):
    checks = {check.__name__: check for check in CHECKS}
    if arguments.tidy:
        checks["tidy"] = lambda tree: programs.tidy(tree, arguments.build)
    if not arguments.only:
        return checks
    return {name: checks[name] for name in arguments.only.split(",")}


def write_report(path, results):
    """One test case a check, failed when it found something."""
    suite = ElementTree.Element("testsuite", name="lint", tests=str(len(results)))
    for name, findings in results.items():
        case = ElementTree.SubElement(suite, "testcase", classname="lint", name=name)
        if findings:
            failure = ElementTree.SubElement(case, "failure")
            failure.text = "\n".join(f"{f.path}:{f.line}: {f.message}" for f in findings)
    ElementTree.ElementTree(suite).write(path)


def main():
    arguments = parse_arguments()
    tree = Tree(arguments.root)
    if arguments.fix_format:
        programs.fix_format(tree)
        return 0
    results = {}
    for name, check in selected_checks(arguments).items():
        results[name] = sorted(check(tree))
        for finding in results[name]:
            print(f"{finding.path}:{finding.line}: {finding.message} [{name}]")
    if arguments.report:
        write_report(arguments.report, results)
    failed = sum(1 for findings in results.values() if findings)
    print(f"lint: {len(results) - failed} checks passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
