#!/usr/bin/env python3
"""tc-tune, where the Python package has it."""

import os
import runpy
import sys

folder = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.argv.insert(1, f"--build={folder}")  # where the other programs are
runpy.run_path(os.path.join(folder, "share/tc/benchmarks/gpu/tune.py"), run_name="__main__")
