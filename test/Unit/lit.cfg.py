"""Runs the GoogleTest programs of the build folder, one result a test case.

A test whose name contains `Slow` is one of `check-tc-slow`."""

import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.tc_source_dir, "test"))
import tc_lit  # noqa: E402  (the module of the folder above)

config.name = "tc-unit"
config.test_source_root = os.path.join(config.tc_build_dir, "test", "Unit")
config.test_exec_root = config.test_source_root
config.suffixes = []
config.test_format = lit.formats.GoogleTest(".", "Tests")

filters = {"fast": "-*Slow*", "slow": "*Slow*", "all": "*"}
config.environment["GTEST_FILTER"] = filters[lit_config.params.get("tests", "all")]
tc_lit.set_environment(config)
