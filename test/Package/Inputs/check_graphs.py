"""A package of random programs of kernels, copies and temporaries, on the emulator against
the CPU: check_graphs.py SEED COUNT FOLDER.

The environment says in which order threads and streams run, and what is checked."""

import os
import subprocess
import sys

import numpy as np
from package import Package, Runtime

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "Programs", "Inputs"))
import random_graphs


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    programs = random_graphs.write_programs(seed, count)
    path = os.path.join(folder, "graphs")
    with open(path + ".mlir", "w") as file:
        file.write("\n".join(text for text, _ in programs))
    command = ["tc-compile", path + ".mlir", "--package-name=graphs", "--chips=sm_80"]
    subprocess.run([*command, "--emit=package", "-o", path], check=True)
    runtime = Runtime(path)
    for number in range(count):
        package = Package(path, runtime, f"graph{number}")
        buffers = len(package.entry["arguments"])
        random = np.random.default_rng(number)
        arrays = random.random((buffers, random_graphs.LENGTH), np.float32)
        for got, expected in zip(package.run(list(arrays)), package.run_cpu(list(arrays))):
            if not np.array_equal(got, expected):
                sys.exit(f"graph{number}: expected\n{expected}\ngot\n{got}")
    print(f"{count} programs: same as on the CPU")


main()
