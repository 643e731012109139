"""Checks random programs of kernels, copies and allocations: check_random_graphs.py SEED
COUNT FOLDER.

In the tokens that tc-async gives, steps that conflict are in order, and no step waits for
one that it does not conflict with; where one token is left out, two steps are not in order.
The programs run on the emulator, with all checks and threads and streams in adversarial
orders, against the reference; and once without a token, which it has to find. What differs
stays in FOLDER, a file a program.
"""

import argparse
import os
import random
import subprocess
import sys

import async_graph
import check_random_nests
import random_graphs


def compile_program(path):
    command = ["tc-compile", path, "--emit=gpu", "-o", "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_graph(path, text, steps):
    """What is wrong with the graph of a program, and how many tokens it waits for."""
    compiled = compile_program(path)
    buffers = random_graphs.find_allocations(text)
    faults, idle, edges = async_graph.check(compiled, steps, buffers)
    faults += idle
    for cut in range(edges):
        if not async_graph.check(compiled, steps, buffers, cut)[0]:
            faults.append(f"token {cut} could be left out")
    return [f"{path}: {fault}" for fault in faults], edges


def run_mutant(path, source):
    """What is wrong if the emulator does not miss a token; nothing where there is none."""
    compiled = compile_program(path)
    edges = async_graph.find_edges(compiled)
    if not edges:
        return None
    edge = source.choice(edges)
    mutant = path.replace(".mlir", "-mutant.mlir")
    with open(mutant, "w") as file:
        file.write(async_graph.remove_edge(compiled, edge))
    command = ["tc-run", mutant, "--device=emulator", "--checks=streams"]
    done = subprocess.run(command, capture_output=True, text=True)
    if "stream race" in done.stdout + done.stderr:
        os.remove(mutant)
        return []
    return [f"{mutant}: expected a race without {edge[1]} of line {edge[0] + 1}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=2, help="of adversarial orders")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    paths, faults, edges = [], [], 0
    programs = random_graphs.write_programs(options.seed, options.count)
    for number, (text, steps) in enumerate(programs):
        path = os.path.join(options.folder, f"graph{number}.mlir")
        with open(path, "w") as file:
            file.write(text)
        paths.append((path, f"graph{number}"))
        found, count = check_graph(path, text, steps)
        faults += found
        edges += count
    mutants = [run_mutant(path, random.Random(path)) for path, _ in paths]
    mutants = [mutant for mutant in mutants if mutant is not None]
    faults += [fault for mutant in mutants for fault in mutant]
    for seed in range(1, options.seeds + 1):
        faults += check_random_nests.check_order(paths, f"adversarial:{seed}")
    for path, _ in paths:
        if not any(path in fault for fault in faults):
            os.remove(path)
    print("\n".join(faults[:20]))
    print(f"{len(programs)} programs, {edges} tokens, {len(mutants)} races, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
