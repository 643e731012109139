"""Runs the tests of einsum that the installed NumPy brings, with tc.einsum in the place
of numpy.einsum, and says where its calls went.

    numpy_einsum_tests.py [--least-share=PERCENT] [PYTEST-ARGUMENT...]

Fails where a test does, where pytest leaves one out, where numpy.einsum computed
anything but longdouble and clongdouble, and where fewer than so many of 100 calls with
something to compute went through kernels."""

import argparse
import importlib
import sys

import numpy
import pytest
import tc
from tc._einsum._host import calls


class Outcomes:
    """What the tests came to, by pytest's words."""

    def __init__(self):
        self.count = dict.fromkeys(("passed", "failed", "skipped"), 0)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.count[report.outcome] += 1


def find_tests():
    """The file of NumPy's tests; NumPy 2 has them elsewhere."""
    for package in ("numpy._core", "numpy.core"):
        try:
            return importlib.import_module(f"{package}.tests.test_einsum").__file__
        except ImportError:
            continue
    sys.exit("expected the tests of NumPy to be installed with it")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least-share", type=float, default=0)
    arguments, rest = parser.parse_known_args()
    path = find_tests()
    outcomes = Outcomes()
    numpy.einsum = tc.einsum
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    status = pytest.main([*options, path, *rest], plugins=[outcomes])
    handed = {way: count for way, count in calls.items() if way.startswith("numpy: ")}
    share = 100 * calls["kernel"] / max(1, calls["kernel"] + sum(handed.values()))
    expected = {f"numpy: {numpy.dtype(code).name}" for code in "gG"}
    print(f"NumPy {numpy.__version__}: {outcomes.count}")
    for way, count in sorted(calls.items()):
        print(f"  {way}: {count}")
    print(f"through kernels: {share:.1f} % of what was to compute")
    is_whole = outcomes.count["passed"] > 0 and not outcomes.count["skipped"]
    is_computed = set(handed) <= expected and share >= arguments.least_share
    return 0 if status == 0 and is_whole and is_computed else 1


if __name__ == "__main__":
    sys.exit(main())
