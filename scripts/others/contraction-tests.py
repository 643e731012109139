#!/usr/bin/env python3
"""Runs the tests of libraries that order contractions with tc in the place of NumPy's
einsum, tensordot and transpose, and says where tc's calls went.

    contraction-tests.py LIBRARY TESTS [PYTEST-ARGUMENT...]

LIBRARY is opt_einsum, cotengra, autoray or pyscf, which has to be installed, as pytest;
TESTS is a folder or file of the library's tests. Ends with pytest's status."""

import argparse
import importlib
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import pytest  # noqa: E402
import tc  # noqa: E402
from tc._einsum._host import calls  # noqa: E402

FUNCTIONS = ("einsum", "tensordot", "transpose")


def enter_opt_einsum():
    dispatch = importlib.import_module("opt_einsum.backends.dispatch")
    for name in FUNCTIONS:
        dispatch._cached_funcs[name, "numpy"] = getattr(tc, name)


def enter_autoray():
    autoray = importlib.import_module("autoray")
    for name in FUNCTIONS:
        autoray.register_function("numpy", name, getattr(tc, name))


def enter_cotengra():
    """By default it has products of matrices by NumPy for two operands."""
    enter_autoray()
    importlib.import_module("cotengra.contract").set_default_implementation("autoray")


def enter_pyscf():
    """What pyscf.lib.einsum does without a backend, at any size: NumPy's einsum of a pair."""
    helper = importlib.import_module("pyscf.lib.numpy_helper")
    helper.EINSUM_BACKEND, helper.EINSUM_MAX_SIZE = None, float("inf")
    helper.numpy = types.SimpleNamespace(**{**vars(helper.numpy), "einsum": tc.einsum})


ENTER = {name.partition("_")[2]: do for name, do in globals().items() if name.startswith("enter_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=ENTER)
    parser.add_argument("tests")
    arguments, rest = parser.parse_known_args()
    ENTER[arguments.library]()
    status = pytest.main([arguments.tests, "-p", "no:cacheprovider", "-q", *rest])
    print(f"{arguments.library} {importlib.import_module(arguments.library).__version__}:", end=" ")
    print(", ".join(f"{way} {count}" for way, count in sorted(calls.items())) or "no call of tc")
    sys.exit(status)


if __name__ == "__main__":
    main()
