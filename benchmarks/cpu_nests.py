#!/usr/bin/env python3
"""What nests cost on the CPU: tc's function of a package, called through ctypes, beside
NumPy and the same loops in C (cases/nests.c, cc -O3 -march=native -fno-math-errno), measured in
turns on this machine in one thread, in processor time.

    cpu_nests.py --build BUILD [--nests transpose,softmax] [--save]

Ratios are of medians: above 1 tc is faster. The floor is predicted: the bytes of all arrays, each
once, by the rate at which this machine copies 64 MiB, or the flops by that of multiply-adds in
vectors, whichever takes longer; neither counts functions. Results have to be NumPy's, to the last
bit where nothing is rounded; the exit status is 1 where they are not."""

import argparse
import ctypes
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import blas

os.environ["TC_NUM_THREADS"] = "1"
blas.request_threads(1)  # before NumPy is loaded

import hostkernel  # noqa: E402
import model  # noqa: E402
import numpy as np  # noqa: E402
from nest_cases import CASES  # noqa: E402
from static import describe_machine, write_csv  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["nest", "megabytes", "mflop", "predicted_floor_ms", "tc_ms", "c_ms", "numpy_ms"]
COLUMNS += ["c_over_tc", "numpy_over_tc", "tc_over_floor", "compile_s"]
COPIED = 1 << 26
MULTIPLIED = 1 << 30  # flops of multiply_adds in nests.c


def compile_c(compiler, folder):
    """The loops of cases/nests.c as a library."""
    path = os.path.join(folder, "nests.so")
    command = [compiler, "-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno"]
    command += ["-shared", "-fPIC", "-o", path]
    subprocess.run([*command, os.path.join(HERE, "cases", "nests.c"), "-lm"], check=True)
    return ctypes.CDLL(path)


def time_call(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def measure_rates(library, rounds):
    """Bytes copied and multiply-adds of f32 per second, twice, the best of some rounds."""
    source = np.ones(COPIED // 4, np.float32)
    target = np.zeros_like(source)
    sums = np.zeros(256, np.float32)

    def multiply():
        numbers = ctypes.c_float(0.5), ctypes.c_float(0.25)
        library.multiply_adds(*numbers, ctypes.c_void_p(sums.ctypes.data))

    copy = min(time_call(lambda: np.copyto(target, source)) for _ in range(rounds))
    return 2 * COPIED / copy, MULTIPLIED / min(time_call(multiply) for _ in range(rounds))


def check(case, name, expected, found):
    error = np.abs(found.astype(np.float64) - expected).max()
    scale = max(1e-30, np.abs(expected).max())
    if not error <= case.tolerance * scale:
        raise RuntimeError(f"{name}: expected NumPy's results, found {error:.3g} apart")


def measure(options, library, rates, folder, name):
    case = CASES[name]
    start = time.perf_counter()
    kernel = hostkernel.HostFunction(
        options.build, os.path.join(folder, name), model.load_functions(case.file)[name]
    )
    seconds = time.perf_counter() - start
    arrays = case.make(np.random.default_rng(1))
    expected = case.numpy(*arrays)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    contenders = {
        "tc": lambda: kernel(*arrays),
        "c": lambda: getattr(library, name)(*pointers),
        "numpy": lambda: case.numpy(*arrays),
    }
    for own in ("tc", "c"):
        arrays[-1][...] = 0
        contenders[own]()
        check(case, own, expected, arrays[-1])
    times = {contender: [] for contender in contenders}
    end = time.perf_counter() + options.seconds
    rounds = 0
    turns = list(contenders)
    order = random.Random(1)
    while rounds < options.least_rounds or time.perf_counter() < end:
        order.shuffle(turns)  # each finds what the one before has left in the caches
        for contender in turns:
            times[contender].append(time_call(contenders[contender]))
        rounds += 1
    medians = {contender: 1e3 * statistics.median(t) for contender, t in times.items()}
    size = sum(a.nbytes for a in arrays) + case.reads_results * arrays[-1].nbytes
    width = arrays[0].itemsize / np.dtype(np.float32).itemsize
    floor = 1e3 * max(size / rates[0], width * case.flops / rates[1])
    return {
        "nest": name,
        "megabytes": round(size / 1e6, 2),
        "mflop": round(case.flops / 1e6, 1),
        "predicted_floor_ms": round(floor, 3),
        **{f"{contender}_ms": round(median, 3) for contender, median in medians.items()},
        "c_over_tc": round(medians["c"] / medians["tc"], 2),
        "numpy_over_tc": round(medians["numpy"] / medians["tc"], 2),
        "tc_over_floor": round(medians["tc"] / floor, 2),
        "compile_s": round(seconds, 2),
    }


def summarise(rows):
    lines = []
    for peer in ("c", "numpy"):
        ratios = [row[f"{peer}_over_tc"] for row in rows]
        ahead = sum(ratio >= 1 for ratio in ratios)
        lines.append(
            f"{peer} over tc: ahead on {ahead} of {len(rows)}; {statistics.median(ratios):.2f} in "
            f"the median, {min(ratios):.2f} to {max(ratios):.2f}"
        )
    return lines


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--nests", default="", help="names; default all")
    parser.add_argument("--seconds", type=float, default=1, help="for each nest")
    parser.add_argument("--least-rounds", type=int, default=5)
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"), help="compiler of the peer")
    parser.add_argument("--report", help="the table; default reports/cpu_nests.csv of the build")
    parser.add_argument("--save", action="store_true", help="also write results/cpu_nests.csv")
    options = parser.parse_args()
    names = [name for name in options.nests.split(",") if name] or list(CASES)
    if unknown := set(names) - set(CASES):
        parser.error(f"expected names of nests, got {', '.join(sorted(unknown))}")
    return options, names


def main():
    options, names = parse_options()
    rows, faults = [], 0
    processor, commit = describe_machine()
    version = subprocess.run([options.cc, "--version"], capture_output=True, text=True, check=True)
    folder = tempfile.TemporaryDirectory()
    library = compile_c(options.cc, folder.name)
    rates = measure_rates(library, options.least_rounds)
    head = [
        f"machine: {processor}; one thread; load before {os.getloadavg()[0]:.1f}",
        f"peers: NumPy {np.__version__} with {blas.find_blas()[1]}; {version.stdout.splitlines()[0]}",
        f"commit: {commit}",
        f"measured: medians of interleaved runs, in processor time; predicted: floors, by "
        f"{rates[0] / 1e9:.1f} GB/s and {rates[1] / 1e9:.1f} GFlop/s (f32), measured before",
    ]
    print("\n".join(head), flush=True)
    for name in names:
        try:
            rows.append(measure(options, library, rates, folder.name, name))
        except RuntimeError as error:
            faults += 1
            print(f"FAILED {name}: {error}", flush=True)
            continue
        print(" ".join(f"{c}={rows[-1][c]}" for c in COLUMNS), flush=True)
    lines = summarise(rows) if rows else []
    report = options.report or os.path.join(options.build, "reports", "cpu_nests.csv")
    write_csv(report, rows, head + lines, COLUMNS)
    if options.save:
        write_csv(os.path.join(HERE, "results", "cpu_nests.csv"), rows, head + lines, COLUMNS)
    print("\n".join(lines))
    print(f"{len(rows)} measured, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
