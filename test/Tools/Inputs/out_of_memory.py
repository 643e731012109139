"""Runs tc-opt with too little memory for its threads, where removing a file takes long.

Usage: out_of_memory.py TC-OPT LIBRARY PROGRAM, where LIBRARY has the slow `unlink`.
"""

import os
import sys
import tempfile

import missing

tool, library, program = sys.argv[1:]
slow = {"LD_PRELOAD": library}
least = missing.find_memory(tool, slow)
for more in range(0, 48 << 10, 6 << 10):
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, program, "--tc-to-nvvm", "-o", f"{folder}/output"]
        done = missing.run(command, slow, memory=least + more)
        print(f"status {done.returncode}, {len(os.listdir(folder))} files")
