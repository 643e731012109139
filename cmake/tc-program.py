#!python
"""Runs the program of this name that the Python package tc holds."""

import importlib.util
import os
import sys

name = os.path.basename(sys.argv[0])
package = importlib.util.find_spec("tc")
if not package:
    sys.exit(f"{name}: error: expected the Python package tc beside this program")
program = os.path.join(os.path.dirname(package.origin), "bin", name)
if name == "tc-tune":
    os.execv(sys.executable, [sys.executable, program, *sys.argv[1:]])
os.execv(program, [program, *sys.argv[1:]])
