"""A package of random programs of kernels, copies and temporaries, on the emulator against
the CPU, and as captured graphs: check_graphs.py SEED COUNT FOLDER.

The environment says in which order threads and streams run, and what is checked."""

import ctypes
import os
import subprocess
import sys

import numpy as np
from package import SIZE, Package, Runtime

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "Programs", "Inputs"))
import random_graphs


class Capture:
    """Calls of a package by way of a CUDA graph."""

    THREAD_LOCAL = 1  # CUstreamCaptureMode

    def __init__(self, package):
        self.package = package
        self.driver = ctypes.CDLL(os.environ["TC_EMULATOR_LIBRARY"])
        self.stream = ctypes.c_void_p()
        package.runtime.check(package.runtime.library.tcDeviceEnter(package.runtime.device))
        self.check("cuStreamCreate", ctypes.byref(self.stream), 1)
        package.runtime.check(package.function("_prepare")(self.stream))

    def check(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status != 0:
            sys.exit(f"{name}: status {status}")

    def __call__(self, given, extents, workspace, size):
        graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuStreamBeginCapture_v2", self.stream, self.THREAD_LOCAL)
        status = self.package.call(given, extents, workspace, size, self.stream.value)
        self.check("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self.check("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, SIZE(0))
        self.check("cuGraphLaunch", executable, self.stream)
        self.check("cuStreamSynchronize", self.stream)
        self.check("cuGraphExecDestroy", executable)
        self.check("cuGraphDestroy", graph)
        return status


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
        wanted = package.run_cpu(list(arrays))
        for call in (package.call, Capture(package)):
            for got, expected in zip(package.run(list(arrays), call=call), wanted):
                if not np.array_equal(got, expected):
                    sys.exit(f"graph{number}: expected\n{expected}\ngot\n{got}")
    print(f"{count} programs: same as on the CPU")


main()
