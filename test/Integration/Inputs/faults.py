"""Is a verdict worth something? Faults made on purpose, and what finds them.

  faults.py --source=FOLDER --folder=FOLDER [--random=N] [--seed=S]

Runs the programs of test/Programs, test/Integration and examples, and random ones
(tc-run --verify --faults): with each launch left out in turn, and the barriers of each
kernel, an element of each result off by 2 % of the largest one, two elements and two
results exchanged. Each single barrier is the business of test/Programs/barriers.test,
before LLVM unrolls loops. Every fault must be caught, or stand in excused_faults.txt with the reason
why it cannot matter; at most 2 % do.

The last lines are a table, and `N faults, N caught, N excused, N missed`.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

import hypothesis
from hypothesis import HealthCheck, Phase

from programs import elements, evaluate, families
from programs.run import TcRun

EINSUMS = [
    {"einsum": "ik,kj->ij", "sizes": "i=70,k=33,j=50"},
    {"einsum": "cefg,gdba->fdecba", "sizes": "a=3,b=5,c=2,d=4,e=3,f=4,g=7"},
    {"einsum": "i,i->", "sizes": "i=70000"},
    {"einsum": "bij,bjk->bik", "sizes": "b=3,i=17,j=?,k=9", "run": "j=40"},
    {"einsum": "iij,jk->ik", "sizes": "i=7,j=11,k=5", "dtype": "c64"},
    {"einsum": "ij,jk->ik", "sizes": "i=40,j=70,k=30", "dtype": "f16"},
]


def write_attention(source, folder):
    """Attention without the softmax that upstream decomposes."""
    model = os.path.join(source, "examples", "model")
    path = os.path.join(folder, "attention-parts.mlir")
    library = os.path.join(model, "decompose.mlir")
    command = ["mlir-opt", os.path.join(model, "attention.mlir")]
    command += [f"--transform-preload-library=transform-library-paths={library}"]
    command += ["--transform-interpreter"] # after the library is loaded
    with open(path, "w", encoding="utf-8") as file:
        subprocess.run(command, stdout=file, check=True)
    return path


def fixed_cases(source, folder):
    """A case for each function of the repository's programs."""
    paths = sorted(glob.glob(os.path.join(source, "test", "Programs", "*.mlir")))
    paths += sorted(glob.glob(os.path.join(source, "test", "Integration", "*.mlir")))
    paths += [os.path.join(source, "examples", "model", "mlp.mlir")]
    paths += [write_attention(source, folder)]
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        is_of_hopper = "tc.par cluster" in text or re.search(r"m16n8k\d+\.f64", text)
        chip = "sm_90a" if is_of_hopper else "sm_80"
        # An argument that is a number of its own is not made up.
        for name, arguments in re.findall(
            r"^\s*func\.func @(\w+)\((.*?)\)(?: ->.*)? {$", text, re.MULTILINE | re.DOTALL
        ):
            if re.search(r": (index|i\d+|bf16|f\d+)\b", arguments):
                continue
            case = os.path.basename(path).removesuffix(".mlir") + ":" + name
            yield {"case": case, "input": path, "name": name, "chip": chip}
    for problem in EINSUMS:
        yield {"case": problem["einsum"], **problem}


def nest_cases(source, folder, seed, count):
    """Random nests."""
    sys.path.insert(0, os.path.join(source, "test", "Programs", "Inputs"))
    import random_nests

    for number, text in enumerate(random_nests.write_programs(seed, count)):
        path = os.path.join(folder, f"nest-{number}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield {"case": f"nest {number}", "input": path, "name": f"f{number}"}


# In 8 bits a number may be off by more than a fault makes it.
TYPES = [element for element in elements.ALL if element not in elements.F8]


def draw_programs(family, seed, count):
    """Random contractions of a family."""
    found = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(families.FAMILIES[family].programs(TYPES))
    def draw(program):
        found.append(program)

    draw()
    return found[:count]


def contraction_cases(folder, seed, count):
    """Random contractions of every family, with the data that they are checked with."""
    shares = families.share(list(families.FAMILIES), count)
    for family, share in shares.items():
        for number, program in enumerate(draw_programs(family, seed, share)):
            own = TcRun(folder=os.path.join(folder, f"{family}-{number}"))
            case = own.make_case(program, evaluate.make_data(program))
            yield {**case, "case": f"{family} {number}"}


def read_excuses():
    """The reason for each (case, fault)."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "excused_faults.txt")
    excuses = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                case, fault, reason = (part.strip() for part in line.split("|"))
                excuses[case, fault] = reason
    return excuses


def run_cases(cases, options):
    """The answers of tc-run, in order; --jobs of them at a time."""
    chunks = [cases[number :: options.jobs] for number in range(options.jobs)]

    def run(number):
        path = os.path.join(options.folder, f"cases-{number}.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(case) + "\n" for case in chunks[number])
        command = ["tc-run", f"--batch={path}", "--device=emulator", "--verify", "--faults"]
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
            env={**os.environ, "TC_EMU_SCHEDULE": "adversarial:1"},
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for answers in pool.map(run, range(options.jobs)):
            yield from answers


def group_of(case):
    """The row of the table that a case belongs to."""
    if case.startswith("nest "):
        return "random nests"
    if case.split(" ")[0] in families.FAMILIES:
        return "random contractions"
    return "of the repository"


def kind_of(fault):
    fault = re.sub(r"barriers of \w+ left", "barriers of a kernel left", fault)
    return re.sub(r"\d+", "N", fault)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    nests = options.random // 4
    cases = list(fixed_cases(options.source, options.folder))
    cases += nest_cases(options.source, options.folder, options.seed, nests)
    cases += contraction_cases(options.folder, options.seed, options.random - nests)

    excuses, rows = read_excuses(), collections.defaultdict(collections.Counter)
    missed, unjudged = [], []
    for answer in run_cases(cases, options):
        name = answer["case"]
        group = rows[group_of(name)]
        group["programs"] += 1
        if "error" in answer:
            unjudged.append(f"{name}: {answer['error']}")
            continue
        for fault in answer["report"].get("faults", []):
            kind = rows[kind_of(fault["fault"])]
            for row in (group, kind):
                row["faults"] += 1
                if fault["caught"]:
                    row["caught"] += 1
                elif (name, fault["fault"]) in excuses:
                    row["excused"] += 1
                else:
                    row["missed"] += 1
            if not fault["caught"] and (name, fault["fault"]) not in excuses:
                missed.append(f"{name}: {fault['fault']}")
    columns = ["programs", "faults", "caught", "excused", "missed"]
    print(f"{'':44}" + "".join(f"{column:>10}" for column in columns))
    for name, row in sorted(rows.items()):
        print(f"{name:44}" + "".join(f"{row[column]:10}" for column in columns))
    for line in missed:
        print(f"MISSED {line}")
    for line in unjudged:
        print(f"FAILED {line}")
    groups = ["of the repository", "random nests", "random contractions"]
    total = sum((rows[group] for group in groups), collections.Counter())
    print(
        f"{total['faults']} faults, {total['caught']} caught,"
        f" {total['excused']} excused, {len(missed)} missed"
    )
    too_many = total["excused"] > 0.02 * total["faults"]
    if too_many:
        print("FAILED expected at most 2 % of the faults to be excused")
    return 1 if missed or unjudged or too_many or not total["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
