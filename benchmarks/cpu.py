#!/usr/bin/env python3
"""What a contraction costs on the CPU: tc's kernel called through ctypes, tc.einsum,
numpy.einsum(optimize=True), numpy.tensordot and the peers that are installed (torch,
pytblis, etops), measured in turns on this machine with the same number of threads.

    cpu.py --build BUILD [--problems mm_nn,tccg_01] [--save]

Every call allocates its result. The kernel writes it row-major; einsum's may be a
transposed view, and tensordot's stays in tensordot's order. Ratios are of medians: above
1 tc is faster. Goals, against the best of all peers in the same run: ahead on 60 of 79,
1.15 in the median, never below 0.8.
Operands are small whole numbers, so tc's results have to be NumPy's to the last bit; the
exit status is 1 where they are not, or where tc refuses a problem.

The BLAS is named, and the reference BLAS is refused: it is no peer (--any-blas)."""

import argparse
import os
import statistics
import sys
import tempfile
import time

import blas
import cpu_peers
import problems
from static import describe_machine, write_csv

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = [
    "problem",
    "einsum",
    "sizes",
    "scaled",
    "dtype",
    "gflop",
    "rounds",
    "kernel_ms",
    "tc_einsum_ms",
    "einsum_ms",
    "tensordot_ms",
    *(f"{name}_ms" for name in cpu_peers.NAMES),
    "best_peer",
    "best_over_kernel",
    "best_over_tc_einsum",
    "einsum_over_kernel",
    "einsum_over_tc_einsum",
    "tensordot_over_tc_einsum",
    "matmul_like",
    "kernel_gflop_s",
]
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
OWN = ("kernel", "tc_einsum")
GOAL_AHEAD, GOAL_MEDIAN, GOAL_LEAST = 60 / 79, 1.15, 0.8
# A BLAS's threads spin for a while after their work, which would slow who is next.
SETTLE_S = 0.05
# A peer whose second call, too, takes so many times the kernel's is not called again: it
# is not the best, and some take seconds.
HOPELESS = 5


def scale(problem, most_gflop):
    """Extents of at most `most_gflop`, all made smaller by about the same factor; large
    multiples of 8, 4 or 2 stay such. 0 allows any."""
    sizes = problem["sizes"]
    factor = 1.0
    scaled = sizes
    while most_gflop and gflop(problem["einsum"], scaled) > most_gflop:
        factor *= 0.98
        scaled = {label: _scale_extent(extent, factor) for label, extent in sizes.items()}
    return scaled


def _scale_extent(extent, factor):
    wanted = max(1, round(extent * factor))
    unit = next(u for u in (8, 4, 2, 1) if u == 1 or (extent % u == 0 and wanted >= 16 * u))
    return wanted // unit * unit


def gflop(einsum, sizes):
    """A multiplication and an addition for each point of the iteration space."""
    count = 2
    for label in set(einsum) - set(",->"):
        count *= sizes[label]
    return count / 1e9


def plan_tensordot(einsum):
    """(swap operands, axes of the first, axes of the second, matrix product as it lies)
    or None where tensordot cannot do it: one operand, batches, sums of one operand."""
    inputs, output = einsum.split("->")
    operands = inputs.split(",")
    if len(operands) != 2 or any(len(set(o)) != len(o) for o in operands):
        return None
    first, second = operands
    summed = [label for label in first if label in second]
    once = set(first) ^ set(second)
    if set(output) != once:
        return None
    swap = output[0] in second
    if swap:
        first, second = second, first
        summed = [label for label in first if label in second]
    axes = [first.index(l) for l in summed], [second.index(l) for l in summed]
    free = "".join(l for l in first if l in once), "".join(l for l in second if l in once)
    joined = "".join(summed)
    as_it_lies = (
        output == free[0] + free[1]
        and first in (free[0] + joined, joined + free[0])
        and second in (free[1] + joined, joined + free[1])
    )
    return swap, *axes, as_it_lies


def make_operands(np, einsum, sizes, dtype):
    rng = np.random.default_rng(1)
    inputs = einsum.split("->")[0].split(",")
    return [rng.integers(-3, 4, [sizes[l] for l in labels]).astype(dtype) for labels in inputs]


def contenders(np, kernel, einsum, sizes, operands, modules, threads):
    """Functions without arguments, by name."""
    import tc

    calls = {
        "kernel": lambda: kernel(*operands),
        "tc_einsum": lambda: tc.einsum(einsum, *operands, optimize=True),
        "einsum": lambda: np.einsum(einsum, *operands, optimize=True),
    }
    plan = plan_tensordot(einsum)
    if plan:
        swap, *axes, _ = plan
        a, b = reversed(operands) if swap else operands
        calls["tensordot"] = lambda: np.tensordot(a, b, axes)
    calls.update(cpu_peers.contenders(modules, np, einsum, sizes, operands, threads))
    return calls


def time_in_turns(calls, seconds, least, most, clock, settle):
    """Seconds of each round by name: rounds in which every call runs once, until
    `seconds` are over. Who begins takes turns, too."""
    times = {name: [] for name in calls}
    order = list(calls.items())
    end = time.perf_counter() + seconds
    while len(times["kernel"]) < least or (len(times["kernel"]) < most and time.perf_counter() < end):
        order.append(order.pop(0))
        for name, call in order:
            time.sleep(settle)
            start = clock()
            call()
            times[name].append(clock() - start)
    return times


def measure(np, options, modules, folder, problem, dtype):
    """One row. Raises RuntimeError where tc fails or is wrong."""
    from hostkernel import DTYPES, HostKernel

    einsum = problem["einsum"]
    sizes = scale(problem, options.most_gflop)
    text = problems.format_sizes(sizes)
    kernel = HostKernel(options.build, folder, problem["name"], einsum, text, dtype)
    operands = make_operands(np, einsum, sizes, DTYPES[dtype])
    calls = contenders(np, kernel, einsum, sizes, operands, modules, options.threads)
    # The first call of each, which does not count, warms caches up.
    clock, firsts = CLOCKS[options.clock], {}
    expected = calls["einsum"]()
    for name, call in list(calls.items()):
        start = clock()
        result = call()
        firsts[name] = [clock() - start]
        if name not in ("einsum", "tensordot") and not np.array_equal(expected, result):
            if name in OWN:
                raise RuntimeError(f"{name}: the results differ from NumPy's")
            del calls[name], firsts[name]  # a peer that is wrong is none
    del expected, result
    slow = []
    for name, call in list(calls.items()):
        if name in OWN or firsts[name][0] <= HOPELESS * firsts["kernel"][0]:
            continue
        start = clock()
        call()
        firsts[name] = [clock() - start]
        if firsts[name][0] > HOPELESS * firsts["kernel"][0]:
            slow.append(name)
            del calls[name]
    times = time_in_turns(
        *(calls, options.seconds, options.least_rounds, options.most_rounds, clock),
        SETTLE_S if options.threads > 1 else 0,
    )
    times.update((name, firsts[name]) for name in slow)
    medians = {name: statistics.median(values) for name, values in times.items()}
    row = dict.fromkeys(COLUMNS, "")
    row.update(problem=problem["name"], einsum=einsum, sizes=text, dtype=dtype)
    row["scaled"] = "yes" if sizes != problem["sizes"] else "no"
    row["gflop"] = f"{gflop(einsum, sizes):.4g}"
    row["rounds"] = len(times["kernel"])
    row.update({f"{name}_ms": f"{median * 1e3:.4g}" for name, median in medians.items()})
    for peer, own in (("einsum", "kernel"), ("einsum", "tc_einsum"), ("tensordot", "tc_einsum")):
        if peer in medians:
            row[f"{peer}_over_{own}"] = f"{medians[peer] / medians[own]:.3f}"
    peers = {name: median for name, median in medians.items() if name not in OWN}
    row["best_peer"] = min(peers, key=peers.get)
    for own in OWN:
        row[f"best_over_{own}"] = f"{min(peers.values()) / medians[own]:.3f}"
    plan = plan_tensordot(einsum)
    row["matmul_like"] = "yes" if plan and plan[-1] else "no"
    row["kernel_gflop_s"] = f"{gflop(einsum, sizes) / medians['kernel']:.3g}"
    return row


def summarise(rows):
    """Lines on how tc fared, and whether tc.einsum met the goals."""
    lines, met = [], True
    names = {"kernel": "the kernel", "tc_einsum": "tc.einsum"}
    for dtype in sorted({row["dtype"] for row in rows}):
        group = [row for row in rows if row["dtype"] == dtype]
        for peer, title in (("einsum", "numpy.einsum"), ("best", "the best peer")):
            for own, name in names.items():
                ratios = [float(row[f"{peer}_over_{own}"]) for row in group]
                ahead = sum(ratio >= 1 for ratio in ratios)
                lines.append(
                    f"{dtype}: {name} is ahead of {title} on {ahead} of {len(group)}; ratio "
                    f"{statistics.median(ratios):.2f} in the median, {min(ratios):.2f} to "
                    f"{max(ratios):.2f}"
                )
        met &= ahead >= GOAL_AHEAD * len(group)
        met &= statistics.median(ratios) >= GOAL_MEDIAN and min(ratios) >= GOAL_LEAST
        products = [float(r["tensordot_over_tc_einsum"]) for r in group if r["matmul_like"] == "yes"]
        if products:
            lines.append(
                f"{dtype}: tc.einsum has {min(products):.2f} to {max(products):.2f} of the speed of "
                f"numpy.tensordot on {len(products)} matrix products"
            )
    return lines, met


def describe_peer(np, options):
    """Line of the head that names NumPy and its BLAS; exits on one that is no peer."""
    kind, description, path = blas.find_blas()
    if kind in ("reference", "unknown") and not options.any_blas:
        sys.exit(
            f"expected NumPy with an optimised BLAS, found {description}; "
            "pip install numpy in a virtual environment has OpenBLAS (or: --any-blas)"
        )
    count = blas.threads(path)
    if count not in (None, options.threads):
        sys.exit(f"expected the BLAS to take {options.threads} threads, it takes {count}")
    return f"peer: NumPy {np.__version__} with {description}"


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--problems", default="", help="names; default all")
    parser.add_argument("--dtypes", default="f32")
    parser.add_argument("--threads", type=int, default=2, help="of tc and of the BLAS")
    parser.add_argument(
        "--most-gflop", type=float, default=0, help="scale larger problems down to this; 0: none"
    )
    parser.add_argument("--seconds", type=float, default=3, help="for each problem")
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="cpu: processor time of the process, for one thread on a machine that does other work",
    )
    parser.add_argument("--least-rounds", type=int, default=5)
    parser.add_argument("--most-rounds", type=int, default=25)
    parser.add_argument(
        "--peers", default=",".join(cpu_peers.NAMES), help="beside NumPy, where installed"
    )
    parser.add_argument("--any-blas", action="store_true", help="take the reference BLAS, too")
    parser.add_argument("--report", help="the table; default reports/cpu.csv of the build")
    parser.add_argument("--save", action="store_true", help="also write results/cpu.csv")
    return parser, parser.parse_args()


def measure_all(np, options, modules, chosen):
    rows, faults = [], []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TC_CACHE_DIR"] = os.path.join(folder, "cache")
        for dtype in options.dtypes.split(","):
            for problem in chosen:
                try:
                    row = measure(np, options, modules, folder, problem, dtype)
                except RuntimeError as error:
                    faults.append(f"{problem['name']} {dtype}: {error}")
                    print(f"FAILED {faults[-1]}", flush=True)
                    continue
                rows.append(row)
                print(
                    f"{row['problem']:9} {dtype} ms: kernel {row['kernel_ms']:>6}, tc.einsum "
                    f"{row['tc_einsum_ms']:>6}, einsum {row['einsum_ms']:>6}, tensordot "
                    f"{row['tensordot_ms']:>6}; best ({row['best_peer']}) / kernel "
                    f"{row['best_over_kernel']}, / tc.einsum {row['best_over_tc_einsum']}, "
                    f"{row['kernel_gflop_s']:>5} GFlop/s" + " (scaled)" * (row["scaled"] == "yes"),
                    flush=True,
                )
    return rows, faults


def main():
    parser, options = parse_options()
    names = [name for name in options.problems.split(",") if name]
    chosen = [p for p in problems.load() if not names or p["name"] in names]
    if options.clock == "cpu" and options.threads != 1:
        parser.error("expected --threads=1 with --clock=cpu, which adds up all threads")
    missing = set(names) - {p["name"] for p in chosen}
    if missing:
        parser.error(f"expected names of problems, got {', '.join(sorted(missing))}")
    blas.request_threads(options.threads)
    os.environ["TC_NUM_THREADS"] = str(options.threads)
    os.environ["TC_COMPILE"] = os.path.join(options.build, "bin", "tc-compile")
    sys.path.insert(0, os.path.join(HERE, os.pardir, "python"))
    import numpy as np  # Reads the variables.

    wanted = [name for name in options.peers.split(",") if name]
    modules = cpu_peers.find(wanted)
    cpu_peers.set_threads(modules, options.threads)
    processor, commit = describe_machine()
    head = [
        f"machine: {processor}; {options.threads} threads of each; load before "
        f"{os.getloadavg()[0]:.1f}",
        describe_peer(np, options),
        cpu_peers.describe(modules, wanted),
        f"commit: {commit}",
        f"measured; times ({options.clock}) are medians of interleaved runs; ratios above 1: tc is "
        "faster",
    ]
    print("\n".join(head), flush=True)
    rows, faults = measure_all(np, options, modules, chosen)
    lines, met = summarise(rows)
    report = options.report or os.path.join(options.build, "reports", "cpu.csv")
    write_csv(report, rows, head + lines, COLUMNS)
    if options.save:
        write_csv(os.path.join(HERE, "results", "cpu.csv"), rows, head + lines, COLUMNS)
    print("\n".join(lines))
    print(f"{len(rows)} measured, {len(faults)} faults; goals {'met' if met else 'missed'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
