#!/usr/bin/env python3
"""Validates simulated time against times that others published.

Fetches the sources that belong to the times, at the commits below; compiles their
kernels with nvcc; runs some blocks of each on the emulator (through a small runtime
API, simulated/cudart.cpp), which counts them and tells counted and simulated times on
the machine of the publication. Registers are those of ptxas: for compute capability
6.0 and 7.0, which nvcc 13 does not know, of CUDA 12's, which is fetched from the
package index.

Prints a summary, fails where errors are larger or ranks worse than
simulated/limits.json has them, and writes reports/simulated.csv into the build folder; with --save
results/simulated.csv here. Only figures are kept. What was fetched and built stays in
the build folder (simulated/), so a second run only simulates.

Needs git, nvcc, ptxas and g++ on the path, and a network for the first run.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).parent
LIMITS = HERE / "simulated/limits.json"
COLUMNS = [
    "chip",
    "kernel",
    "counted_us",
    "level_a_us",
    "simulated_us",
    "measured_us",
    "source",
]
SOURCES = {
    "cogent": (
        "https://github.com/kimjsung/CGO2019-AE",
        "ff6283c1b5a85faaf7e44e89a0c7661373a5a27b",
    ),
    "siboehm": (
        "https://github.com/siboehm/SGEMM_CUDA",
        "60cba6f9b20a198116c76f18de8047f44df8c8b8",
    ),
    "yzhaiustc": (
        "https://github.com/yzhaiustc/Optimizing-SGEMM-on-NVIDIA-Turing-GPUs",
        "a5c0d6ce593553cdf87848821b1433d7930d0cc4",
    ),
}
OLD_PTXAS = "nvidia-cuda-nvcc-cu12==12.9.86"
# By chip of the publication: what ptxas calls it, and whether its compiler is old.
TARGETS = {
    "V100": ("sm_70", True),
    "P100": ("sm_60", True),
    "A6000": ("sm_86", False),
    "RTX 2080 Super": ("sm_75", False),
}
BLOCKS = 16
SIZES = (1024, 2048, 4096)


class Failed(Exception):
    """A step that did not work, in words for people."""


def run(command, folder=None, env=None):
    """Runs a command; its output, or Failed with its last lines."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-8:])
        raise Failed(f"{' '.join(map(str, command[:3]))} ...: exit {done.returncode}\n{tail}")
    return done.stdout + done.stderr


# --- What there is to measure against ------------------------------------------------


def fetch(folder, names=tuple(SOURCES)):
    """Clones the sources, each at its commit."""
    for name in names:
        url, commit = SOURCES[name]
        place = folder / name
        if not place.exists():
            run(["git", "clone", "-q", "--no-checkout", url, place])
        run(["git", "-C", place, "checkout", "-q", commit])


def fetch_old_ptxas(folder):
    """The assembler of CUDA 12, out of its Python package."""
    program = folder / "ptxas-12"
    if not program.exists():
        wheels = folder / "wheel"
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels]
        run([*pip, "--only-binary=:all:", OLD_PTXAS])
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as archive:
            name = next(n for n in archive.namelist() if n.endswith("bin/ptxas"))
            program.write_bytes(archive.read(name))
        program.chmod(0o755)
    return program


def read_cogent(folder):
    """Rows (chip, number of the TCCG problem, us)."""
    rows = []
    for chip in ("V100", "P100"):
        path = folder / f"cogent/cogent/expect_{chip.lower()}_cogent_tccg_results.txt"
        for found in re.finditer(r"tccg-\s*(\d+) >>.*time\(ms\):\s*([\d.]+)", path.read_text()):
            rows.append((chip, int(found[1]), float(found[2]) * 1e3))
    return rows


def to_microseconds(size, gflops):
    """Of a product of square matrices."""
    return 2 * size**3 / gflops / 1e3


def read_siboehm(folder):
    """Rows (kernel, size, us)."""
    text = (folder / "siboehm/README.md").read_text()
    found = re.findall(r"^\|\s*(\d+): .*?`([\d.]+)`", text, re.MULTILINE)
    return [(int(k), 4096, to_microseconds(4096, float(g))) for k, g in found if k != "0"]


def read_yzhaiustc(folder):
    """Rows (kernel, size, us); slow kernels were not run at 4096."""
    rows = []
    for kernel in range(1, 12):
        text = (folder / f"yzhaiustc/data/res_{kernel}.txt").read_text()
        found = re.findall(r"M=N=K=(\d+):\s*Average.*?performance: ([\d.]+) GFLOPS", text)
        times = {int(size): float(gflops) for size, gflops in found}
        for size in SIZES:
            if size in times:
                rows.append((kernel, size, to_microseconds(size, times[size])))
    return rows


# --- Programs ------------------------------------------------------------------------


class Builder:
    """Compiles programs against the emulator and a small runtime API."""

    def __init__(self, folder, build):
        self.folder = folder
        self.libraries = folder / "lib"
        self.libraries.mkdir(exist_ok=True)
        emulator = (build / "lib/libtc-cuda-emulator.so").resolve()
        for name in ("libcuda.so.1", emulator.name):
            link = self.libraries / name
            link.unlink(missing_ok=True)
            link.symlink_to(emulator)
        nvcc = run(["sh", "-c", "dirname $(dirname $(readlink -f $(command -v nvcc)))"])
        include = pathlib.Path(nvcc.strip()) / "include"
        library = ["-o", self.libraries / "libruntime.so", "-L", self.libraries]
        sources = [HERE / "simulated/cudart.cpp", "-I", include]
        flags = ["-O1", "-shared", "-fPIC", "-Wno-builtin-declaration-mismatch"]
        run(["g++", *flags, *sources, *library, "-l:libcuda.so.1"])

    def build(self, name, sources, chip, flags=()):
        """A program, and the PTX of its kernels beside it."""
        program, keep = self.folder / "bin" / name, self.folder / "ptx" / name
        if program.exists():
            return program
        keep.mkdir(parents=True, exist_ok=True)
        program.parent.mkdir(exist_ok=True)
        target = ["-gencode", f"arch=compute_{chip},code=compute_{chip}", "-cudart", "none"]
        link = ["-L", self.libraries, "-lruntime", "-Xlinker", "--allow-shlib-undefined"]
        run(
            ["nvcc", "-O3", "-w", *target, "--keep", "--keep-dir", keep, *flags, *sources]
            + ["-o", program, *link]
        )
        return program

    def simulate(self, program, arguments, machines, uses_l1=True):
        """The launch that ran last: its kernel, and its times by machine."""
        report = self.folder / f"report-{program.name}-{'-'.join(arguments)}.json"
        env = {
            "LD_LIBRARY_PATH": str(self.libraries),
            "TC_EMU_CHECKS": "none",
            "TC_EMU_COUNT": "1",
            "TC_EMU_SIMULATE": "1",
            "TC_EMU_SAMPLE_BLOCKS": str(BLOCKS),
            "TC_EMU_MACHINES": machines,
            "TC_EMU_L1": "1" if uses_l1 else "0",
            "TC_EMU_REPORT": str(report),
        }
        run([program, *arguments], env=env)
        launch = json.loads(report.read_text())["launches"][-1]
        return launch["kernel"], {time["machine"]: time for time in launch["times"]}


    def time(self, program, arguments, chip, registers):
        """The times of the last launch on a chip; `registers` of a thread by kernel, of
        which only a run tells the one that is launched."""
        kernel, _ = self.simulate(program, arguments, chip)
        _, times = self.simulate(program, arguments, f"{chip}:{registers[kernel]}")
        return times[chip]


def read_registers(log):
    """By kernel, out of what `ptxas -v` prints."""
    registers, kernel = {}, None
    for line in log.splitlines():
        if found := re.search(r"entry function '(\w+)'", line):
            kernel = found[1]
        elif found := re.search(r"Used (\d+) registers", line):
            registers[kernel] = int(found[1])
    return registers


def assemble(ptx_folder, chip, old_ptxas, flags=()):
    """Registers of a thread by kernel, on one of TARGETS."""
    target, is_old = TARGETS[chip]
    return assemble_for(ptx_folder, target, old_ptxas if is_old else "ptxas", flags)


def assemble_for(ptx_folder, target, ptxas, flags=()):
    """The same for a chip as ptxas calls it."""
    registers = {}
    for path in ptx_folder.glob("*.ptx"):
        if ".sm_" in path.name:  # written here
            continue
        text = path.read_text()
        if ptxas != "ptxas":  # an old one; nothing in the text is newer than these
            text = re.sub(r"^\.version .*$", ".version 8.5", text, flags=re.MULTILINE)
        text = re.sub(r"^\.target \w+", f".target {target}", text, flags=re.MULTILINE)
        changed = path.with_suffix(f".{target}.ptx")
        changed.write_text(text)
        log = run([ptxas, "-v", f"-arch={target}", *flags, changed, "-o", "/dev/null"])
        registers |= read_registers(log)
    return registers


COGENT_MAIN = """
#include <cstdlib>
extern "C" void sd_t_d2_fusion_(%(signature)s);
int main() {
  using T = %(type)s;
  T *c = (T *)calloc(%(c)d, sizeof(T)), *a = (T *)calloc(%(a)d, sizeof(T)),
    *b = (T *)calloc(%(b)d, sizeof(T));
  sd_t_d2_fusion_(%(extents)s, c, a, b, 1, -1);
}
"""


def read_cogent_sizes(folder):
    """The extents that the artifact has for each of its problems, by number."""
    script = (folder / "cogent/cogent/bench_tccg.sh").read_text()
    found = re.findall(r'"([\d ]+)"\s*#\s*(\d+)', script)
    return {int(number): [int(size) for size in sizes.split()] for sizes, number in found}


def find_cogent_input(folder, number):
    """The file with the problem that COGENT's generator reads."""
    return folder / f"cogent/cogent/input_strings/tccg/input_tccg_{number:02}.in"


def read_cogent_arrays(folder, number):
    """The result and both inputs of a problem, as the artifact has them: labels between
    commas, the first label the fastest; those of the result with extents."""
    lines = find_cogent_input(folder, number).read_text().splitlines()
    line = next(t for t in lines if "sum" in t and not t.startswith("#"))
    return re.findall(r"\[(.*?)\]", line)


def read_cogent_signature(kernel):
    """The parameters of the function that a generated source has for callers, and the
    labels whose extents come first among them."""
    signature = re.search(r"void sd_t_d2_fusion_\((.*?)\)", kernel.read_text())[1]
    return signature, re.findall(r"\bsize_(\w+)", signature)


def generate_cogent(folder, number, dtype="DOUBLE"):
    """Generates COGENT's kernels of a problem; `dtype` as its generator has it."""
    place = folder / "cogent/cogent"
    kernel = place / f"temp__{number:02}.cu"
    if not kernel.exists():
        problem = find_cogent_input(folder, number).relative_to(place)
        generator = [sys.executable, "tc_code_generator.py", f"{number:02}", problem]
        run([*generator, "-1", "-1", dtype], folder=place)
    return kernel


def write_cogent(folder, number, dtype="DOUBLE"):
    """Generates COGENT's kernels of a problem, and a program that calls them."""
    kernel = generate_cogent(folder, number, dtype)
    signature, labels = read_cogent_signature(kernel)
    extents = dict(zip(labels, read_cogent_sizes(folder)[number]))
    result, *inputs = read_cogent_arrays(folder, number)

    def count(text):
        product = 1
        for label in re.findall(r"[a-z]\w*", text):
            product *= extents[label]
        return product

    main = folder / f"cogent-{number:02}.cu"
    main.write_text(
        COGENT_MAIN
        % {
            "signature": signature,
            "type": dtype.lower(),
            "extents": ", ".join(str(extents[label]) for label in labels),
            "c": count(result),
            "a": count(inputs[0]),
            "b": count(inputs[1]),
        }
    )
    return [main, kernel]


LADDER_MAIN = """
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include "%(header)s"
int main(int argc, char **argv) {
  int kernel = atoi(argv[1]), n = atoi(argv[2]);
  float *a, *b, *c;
  for (float **matrix : {&a, &b, &c}) {
    cudaMalloc((void **)matrix, sizeof(float) * n * n);
    cudaMemset(*matrix, 0, sizeof(float) * n * n);
  }
  %(call)s(kernel, n, n, n, 1.0f, a, b, 0.5f, c, nullptr);
  return cudaDeviceSynchronize();
}
"""
LADDERS = {
    "siboehm": ("A6000", "86", "src", "src/runner.cu", "runner.cuh", "run_kernel"),
    "yzhaiustc": ("RTX 2080 Super", "75", ".", "utils.cu", "utils.cuh", "test_kernel"),
}


# --- Rows ----------------------------------------------------------------------------


def make_row(chip, kernel, time, measured, source):
    """`time` is that of one machine in the emulator's report."""
    return {
        "chip": chip,
        "kernel": kernel,
        "counted_us": f"{time['counted']['seconds'] * 1e6:.1f}",
        "level_a_us": f"{time['simulated']['seconds'] * 1e6:.1f}",
        "simulated_us": f"{time['simulated_b']['seconds'] * 1e6:.1f}",
        "measured_us": f"{measured:.1f}",
        "source": source,
    }


def simulate_cogent(builder, number, points, old_ptxas):
    """Rows of one problem on all chips; published kernels go past L1."""
    flags = ["-std=c++14", "--use_fast_math"]
    name = f"tccg_{number:02}"
    program = builder.build(name, write_cogent(builder.folder, number), "75", flags)
    ptx = builder.folder / "ptx" / name
    registers = {chip: assemble(ptx, chip, old_ptxas, ["-dlcm=cg"]) for chip, _ in points}
    # Which of its kernels runs is known when it ran.
    kernel, _ = builder.simulate(program, [], points[0][0], uses_l1=False)
    machines = ",".join(f"{chip}:{registers[chip][kernel]}" for chip, _ in points)
    _, times = builder.simulate(program, [], machines, uses_l1=False)
    return [
        make_row(chip, name, times[chip], measured, "cogent") for chip, measured in points
    ]


def simulate_ladder(builder, ladder, rows, old_ptxas):
    """Rows of a ladder of SGEMM kernels."""
    chip, capability, include, source, header, call = LADDERS[ladder]
    place = builder.folder / ladder
    main = builder.folder / f"{ladder}.cu"
    main.write_text(LADDER_MAIN % {"header": header, "call": call})
    flags = ["-std=c++17", "-I", place / include]
    program = builder.build(ladder, [main, place / source], capability, flags)
    registers = assemble(builder.folder / "ptx" / ladder, chip, old_ptxas)
    made = []
    for kernel, size, measured in rows:
        time = builder.time(program, [str(kernel), str(size)], chip, registers)
        made.append(make_row(chip, f"{ladder}/{kernel}/{size}", time, measured, ladder))
    return made


def rank(values):
    """Ranks from 0, ties at their mean."""
    order = sorted(values)
    return [(order.index(v) + len(order) - 1 - order[::-1].index(v)) / 2 for v in values]


def correlate(xs, ys):
    """Spearman's rank correlation."""
    return statistics.correlation(rank(xs), rank(ys))


def group(rows):
    """Rows by chip and size."""
    groups = {}
    for row in rows:
        size = row["kernel"].split("/")[-1] if "/" in row["kernel"] else "TCCG"
        chip = row["chip"] if size == "TCCG" else "SGEMM"
        groups.setdefault(f"{chip} {size}", []).append(row)
    return groups


def pair(rows, column):
    """(simulated, measured) of the rows that have both."""
    return [(float(r[column]), float(r["measured_us"])) for r in rows if r[column]]


def get_errors(times):
    return [abs(found - measured) / measured for found, measured in times]


def summarize(name, rows, column):
    """A line of the summary."""
    times = pair(rows, column)
    errors = get_errors(times)
    over = statistics.geometric_mean(measured / found for found, measured in times)
    spearman = f"{correlate(*zip(*times)):.3f}" if len(times) > 1 else "–"
    return (
        f"| {name} | {len(times)} | {100 * statistics.mean(errors):.1f} % "
        f"| {100 * max(errors):.0f} % | {over:.2f} | {spearman} |"
    )


def check(rows, limits):
    """Faults of groups whose mean error is above its limit or whose rank correlation is
    below, as simulated/limits.json has them by group and column."""
    groups, faults = group(rows), []
    for name, columns in limits.items():
        for column, limit in columns.items():
            times = pair(groups.get(name, []), column)
            if len(times) < limit["points"]:
                faults.append(f"{name}: expected {limit['points']} {column}, got {len(times)}")
                continue
            error = statistics.mean(get_errors(times))
            spearman = correlate(*zip(*times))
            if error > limit["error"]:
                faults.append(
                    f"{name}: expected {column} off by at most {limit['error']}, got {error:.3f}"
                )
            if spearman < limit["spearman"]:
                faults.append(
                    f"{name}: expected {column} in an order of at least {limit['spearman']}, "
                    f"got {spearman:.3f}"
                )
    return faults


def print_summary(rows):
    """Errors by chip and size, as a table in Markdown."""
    groups = group(rows)
    for column in ("counted_us", "level_a_us", "simulated_us"):
        print(f"\n{column} against measured_us\n")
        print("| | points | mean error | worst | measured over it, geometric mean | Spearman |")
        print("|---|---|---|---|---|---|")
        for name, members in groups.items():
            print(summarize(name, members, column))


def write_table(name, columns, rows, build, keep):
    """Writes rows into the reports of the build folder, and into results/ to `keep`
    them."""
    for folder in [build / "reports"] + ([HERE / "results"] if keep else []):
        folder.mkdir(exist_ok=True)
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def add_options(parser):
    """The options of all benchmarks of the fetched kernels."""
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--only", default="", help="names in the table, a regular expression")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", action="store_true", help="keep the table in results/")


def prepare(options):
    """The build folder, and a builder of programs among the fetched sources."""
    build = pathlib.Path(options.build).resolve()
    folder = build / "simulated"
    folder.mkdir(exist_ok=True)
    fetch(folder)
    return build, Builder(folder, build)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    options = parser.parse_args()
    build, builder = prepare(options)
    folder = builder.folder
    old_ptxas = fetch_old_ptxas(folder)
    tasks, problems = [], {}
    for chip, number, measured in read_cogent(folder):
        problems.setdefault(number, []).append((chip, measured))
    for number, points in problems.items():
        if re.search(options.only, f"tccg_{number:02}"):
            tasks.append((simulate_cogent, builder, number, points, old_ptxas))
    for ladder, read in (("siboehm", read_siboehm), ("yzhaiustc", read_yzhaiustc)):
        rows = [r for r in read(folder) if re.search(options.only, f"{ladder}/{r[0]}/{r[1]}")]
        if rows:
            tasks.append((simulate_ladder, builder, ladder, rows, old_ptxas))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = [pool.submit(*task) for task in tasks]
        rows = [row for task in made for row in task.result()]
    write_table("simulated.csv", COLUMNS, rows, build, options.save)
    print_summary(rows)
    limits = json.loads(LIMITS.read_text(encoding="utf-8"))
    faults = [] if options.only else check(rows, limits)
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"error: {error}")
