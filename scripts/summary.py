#!/usr/bin/env python3
"""Adds up test reports in xunit form and prints one line:
`N passed, N failed, N skipped`. Fails when a test failed or none passed.

A report that was named but does not exist counts as one failure: a run that died
before it could report has not passed."""

import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """(passed, failed, skipped) of one report."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return 0, 1, 0
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main(paths):
    passed, failed, skipped = map(sum, zip((0, 0, 0), *map(count, paths)))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
