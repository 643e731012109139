#!/usr/bin/env python3
"""What a repeated call of `tc.einsum` on small NumPy arrays takes on the host, beside the
kernel's C function called through ctypes.

Measured on this machine: what is compared takes turns, 100 calls at a time, and each is the
median of all turns. The goal is 2 us over the C function.

    call.py --build BUILD [--turns N] [--clock wall|cpu]"""

import argparse
import gc
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CALLS = 100  # in a turn
GOAL = 2.0  # us
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
CASES = [("ij,jk->ik", 2), ("ij,jk,kl->il", 3), ("i,i->", 2)]


def c_function(kernel, arrays):
    """A call of the kernel's function through ctypes, of which nothing is left to find out."""
    signature = kernel._library.signature
    extents = [len(arrays[0])] * len(signature.parameters)
    given = [array.ctypes.data for array in arrays] + extents + [None, 0]
    function = kernel._library.cpu
    return lambda: function(*given)


def ways(subscripts, operands):
    import numpy
    import tc

    rank = len(subscripts.split(",")[0])
    arrays = [numpy.random.rand(*[4] * rank) for _ in range(operands)]
    out = numpy.array(numpy.einsum(subscripts, *arrays))
    shapes = [[None] * array.ndim for array in arrays]
    kernel = tc.compile(subscripts, *shapes, dtype="f64", chips=())
    return {
        "C": c_function(kernel, [*arrays, out]),
        "tc.einsum": lambda: tc.einsum(subscripts, *arrays),
        "with out": lambda: tc.einsum(subscripts, *arrays, out=out),
        "kernel": lambda: kernel(*arrays),
        "numpy": lambda: numpy.einsum(subscripts, *arrays),
    }


def measure(functions, turns, clock):
    """Microseconds of each, the median of all turns."""
    for function in functions.values():
        function()
    times = {name: [] for name in functions}
    gc.disable()
    for _ in range(turns):
        for name, function in functions.items():
            start = clock()
            for _ in range(CALLS):
                function()
            times[name].append((clock() - start) / CALLS * 1e6)
    gc.enable()
    return {name: statistics.median(taken) for name, taken in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="the build folder")
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    arguments = parser.parse_args()
    os.environ["TC_COMPILE"] = os.path.join(os.path.abspath(arguments.build), "bin", "tc-compile")
    sys.path.insert(0, str(ROOT / "python"))
    import numpy
    from tc._call._invoke import native

    way = "the extension tc_invoke" if native() else "ctypes"
    print(f"measured on the host by {arguments.clock} time, NumPy {numpy.__version__}, {way}; us")
    is_missed = False
    for subscripts, operands in CASES:
        times = measure(ways(subscripts, operands), arguments.turns, CLOCKS[arguments.clock])
        over = times["tc.einsum"] - times["C"]
        is_missed |= over > GOAL
        print(f"{subscripts:14}", *(f"{name} {taken:.2f}" for name, taken in times.items()), end="")
        print(f" over C {over:+.2f}")
    print(f"goal: at most {GOAL:.0f} us over C: {'missed' if is_missed else 'met'}")


if __name__ == "__main__":
    main()
