#!/usr/bin/env python3
"""Writes COGENT's kernels of the TCCG contractions as a peer: a folder with images of
the kernels and cogent.json, which `run --kernels=` reads.

COGENT (Kim et al., CGO 2019) is the artifact that ../simulated.py fetches. Its
generator writes the kernels for the extents of the artifact; its host code, compiled
against ../simulated/record.h, says which of them it launches, with what. nvcc compiles
these, and ptxas assembles them, with the flags of the artifact.

Nothing that is written here is ours; none of it belongs into the repository. Needs
git, g++, nvcc and ptxas on the path, and a network for the first run.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import peers  # noqa: E402
import simulated  # noqa: E402
from harness import bundle, main  # noqa: E402

NVCC_FLAGS = ["-std=c++14", "-O3", "--use_fast_math", "-w"]
PTXAS_FLAGS = ["-dlcm=cg"]  # Loads from global memory go past L1.
HOST_MAIN = """
int main() {{ sd_t_d2_fusion_({arguments}, 1, -1); }}
"""


def prepare(folder, place, dtype):
    """A copy of the generator, for contractions with a plus: three of the artifact's
    inputs compute C = -A*B."""
    copy = place / dtype
    shutil.copytree(folder / "cogent", copy / "cogent", ignore=shutil.ignore_patterns(".git"))
    for problem in (copy / "cogent/cogent/input_strings/tccg").iterdir():
        problem.write_text(problem.read_text().replace("-=", "+="))
    for kernel in (copy / "cogent/cogent").glob("temp__*.cu"):
        kernel.unlink()
    return copy


def check_arrays(folder, number, problem):
    """The first label of the artifact's arrays is the fastest, of ours the last."""
    arrays = [
        "".join(re.findall("[a-z]", array))[::-1]
        for array in simulated.read_cogent_arrays(folder, number)
    ]
    if arrays != [problem.output, *problem.inputs]:
        raise simulated.Failed(
            f"{problem.name}: expected {arrays[1]},{arrays[2]}->{arrays[0]}, got {problem.einsum}"
        )


def split_source(text):
    """A generated source: its head, its kernels by name, its host code."""
    device, mark, host = text.partition("// written by tc_interface")
    head, *parts = device.split("// created by tc_gen_code_Kernel()")
    kernels = {re.search(r"__global__ void (\w+)", part)[1]: part for part in parts}
    if not mark or not kernels:
        raise simulated.Failed("expected kernels and host code in a source of COGENT")
    return head, kernels, mark + host


def find_launches(place, source, labels, problem):
    """What the host code launches for these extents, with files in `place`."""
    head, _, host = split_source(source)
    host = re.sub(r"(\w+)<<<(\w+), (\w+)>>>\(", r'recorder::record("\1", \2, \3, ', host)
    arrays = [f"({'double' if problem.dtype == 'f64' else 'float'} *){n}" for n in (3, 1, 2)]
    arguments = [*(str(problem.sizes[label]) for label in labels), *arrays]
    call = HOST_MAIN.format(arguments=", ".join(arguments))
    (place / "host.cpp").write_text(f'#include "record.h"\n{head}{host}{call}')
    flags = ["-std=c++17", "-w", "-I", HERE.parent / "simulated"]
    simulated.run(["g++", *flags, "-o", place / "host", place / "host.cpp"])
    lines = simulated.run([place / "host"], folder=place).splitlines()
    launches = [json.loads(line) for line in lines if line.startswith("{")]
    if len(launches) != 1:
        raise simulated.Failed(f"{problem.key}: expected one launch, got {len(launches)}")
    return launches[0]


def write_image(place, source, kernel, image, arch):
    """The kernel's symbol. The image is PTX or a cubin, as its name ends."""
    head, kernels, _ = split_source(source)
    (place / "kernel.cu").write_text(head + kernels[kernel])
    ptx = place / "kernel.ptx"
    chip = arch.replace("sm_", "compute_")
    simulated.run(["nvcc", *NVCC_FLAGS, f"-arch={chip}", "-ptx", place / "kernel.cu", "-o", ptx])
    # Constants, which the host sets by their names, are local to a module of nvcc's.
    text = re.sub(r"^\.const ", ".visible .const ", ptx.read_text(), flags=re.MULTILINE)
    ptx.write_text(text)
    if image.suffix == ".ptx":
        shutil.copyfile(ptx, image)
    else:
        simulated.run(["ptxas", *PTXAS_FLAGS, f"-arch={arch}", ptx, "-o", image])
    return re.search(r"\.entry (\w+)\(", text)[1]


def make(folder, output, problem, form, arch):
    """The description of one problem's kernel, whose files are in `output`."""
    number = int(re.match(r"tccg_(\d+)", problem.name)[1])
    kernel = simulated.generate_cogent(folder, number, peers.TYPES[problem.dtype])
    check_arrays(folder, number, problem)
    _, labels = simulated.read_cogent_signature(kernel)
    name = f"{problem.name}-{problem.dtype}"
    with tempfile.TemporaryDirectory() as place:
        place, source = pathlib.Path(place), kernel.read_text()
        launch = find_launches(place, source, labels, problem)
        image = output / f"{name}.{form}"
        symbol = write_image(place, source, launch["kernel"], image, arch)

        def keep(file):
            shutil.copyfile(place / file, output / f"{name}-{file}")
            return f"{name}-{file}"

        temporaries = [keep(file) for file in launch.pop("temporaries")]
        variables = {name: keep(file) for name, file in launch.pop("variables").items()}
    return {
        "problem": problem.name,
        "dtype": problem.dtype,
        form: image.name,
        "temporaries": temporaries,
        "variables": variables,
        "launches": [launch | {"kernel": symbol, "dynamic_shared_bytes": 0}],
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", default=main.find_build(), help="build folder")
    parser.add_argument("--output", required=True, help="folder to write")
    parser.add_argument("--cases", default=main.CASES, help="file of contractions")
    parser.add_argument("--problems", default="", help="names; default all of TCCG")
    parser.add_argument("--dtypes", default="f64,f32")
    parser.add_argument("--form", choices=["cubin", "ptx"], default="cubin")
    parser.add_argument("--arch", default="sm_90", help="chip that nvcc compiles for")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def run():
    options = parse_arguments()
    problems = [
        problem
        for problem in main.load_problems(
            options.cases, main.split(options.dtypes), main.split(options.problems)
        )
        if problem.name.startswith("tccg_")
    ]
    output = pathlib.Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(options.build).resolve() / "simulated"
    folder.mkdir(exist_ok=True)
    simulated.fetch(folder, ["cogent"])
    kernels, faults = [], []
    with tempfile.TemporaryDirectory() as place:
        dtypes = sorted({problem.dtype for problem in problems})
        copies = {dtype: prepare(folder, pathlib.Path(place), dtype) for dtype in dtypes}

        def make_one(problem):
            try:
                return make(copies[problem.dtype], output, problem, options.form, options.arch), ""
            except simulated.Failed as error:
                return None, f"{problem.key}: {error}"

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for kernel, fault in pool.map(make_one, problems):
                kernels += [kernel] if kernel else []
                faults += [fault] if fault else []
                done = len(kernels) + len(faults)
                bundle.print_progress(f"[{done}/{len(problems)}] {fault or kernel['problem']}")
    bundle.write_json(output / "cogent.json", {"name": "cogent", "kernels": kernels})
    print(f"{len(kernels)} kernels, {len(faults)} faults, in {output}")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(run())
    except (simulated.Failed, ValueError, OSError) as error:
        print(f"cogent.py: error: {error}", file=sys.stderr)
        sys.exit(2)
