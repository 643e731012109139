"""Runs the GoogleTest programs of the build folder, one result a test case."""

import os

import lit.formats

config.name = "tc-unit"
config.test_source_root = os.path.join(config.tc_build_dir, "test", "Unit")
config.test_exec_root = config.test_source_root
config.suffixes = []
selected = lit_config.params.get("tests", "all") != "slow"
config.test_format = lit.formats.GoogleTest(".", "Tests" if selected else "<none>")
