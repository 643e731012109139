#!/usr/bin/env python3
"""Runs programs of `./dev bench programs` with a wrong constant each, as that would.

Usage: wrong_program.py SOURCE BUILD
"""

import os
import runpy
import sys
import tempfile

WRONG = {
    "nw": ("%gap2 = arith.subi %left", "%gap2 = arith.addi %left"),
    "srad": ("%eighth = arith.constant 0.125", "%eighth = arith.constant 0.126"),
}


def main():
    source, build = sys.argv[1:]
    benchmarks = os.path.join(source, "benchmarks")
    sys.path.insert(0, benchmarks)
    from programs import case

    with tempfile.TemporaryDirectory() as folder:
        for name, (right, wrong) in WRONG.items():
            with open(os.path.join(case.FOLDER, f"{name}.mlir"), encoding="utf-8") as file:
                text = file.read()
            assert text.count(right) == 1, f"expected '{right}' once in {name}"
            with open(os.path.join(folder, f"{name}.mlir"), "w", encoding="utf-8") as file:
                file.write(text.replace(right, wrong))
        case.FOLDER = folder
        sys.argv[1:] = [f"--build={build}", "--check-only", f"--programs={','.join(WRONG)}"]
        runpy.run_path(os.path.join(benchmarks, "programs.py"), run_name="__main__")


if __name__ == "__main__":
    main()
