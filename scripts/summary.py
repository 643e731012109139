#!/usr/bin/env python3
"""Adds up test reports in xunit form. Prints how many tests were left out for which
reason, and as the last line `N passed, N failed, N skipped`. Fails when a test failed
or none passed.

A report that was named but does not exist counts as one failure: a run that died
before it could report has not passed."""

import collections
import sys
import xml.etree.ElementTree as ElementTree


def count(path, reasons):
    """(passed, failed, skipped) of one report; counts why those were skipped."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return 0, 1, 0
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif (why := case.find("skipped")) is not None:
            skipped += 1
            reasons[why.get("message") or "no reason given"] += 1
        else:
            passed += 1
    return passed, failed, skipped


def main(paths):
    reasons = collections.Counter()
    counts = [count(path, reasons) for path in paths]
    passed, failed, skipped = map(sum, zip((0, 0, 0), *counts))
    for reason, number in sorted(reasons.items()):
        print(f"left out, {number}: {reason}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
