"""Checks random programs of kernels, copies and allocations: check_random_graphs.py SEED
COUNT FOLDER.

In the tokens that tc-async gives, steps that conflict are in order, and no step waits for
one that it does not conflict with; where one token is left out, two steps are not in order.
The programs run on the emulator, with all checks and threads and streams in adversarial
orders, against the reference; and once without a token, which it has to find. So they do with
kernels that begin before those that they wait for have ended (--overlap); that none of them
waits is found, too. What differs stays in FOLDER, a file a program.
"""

import argparse
import os
import random
import re
import subprocess
import sys

import async_graph
import check_random_nests
import random_graphs


OVERLAP = ["--overlap", "--chip=sm_90"]
WAIT = re.compile(
    r'^ *(?:gpu.func @(\w+)|llvm.inline_asm .*"griddepcontrol.wait;".*\n)', re.MULTILINE
)
# Of large arrays, or of arrays that are not aligned, which the programs do not have.
OTHERWISE = re.compile(r"\} else \{[^}]*?gpu.launch_func [^}]*?@\w+::@(\w+) ")
# After the token of one op.
AFTER_ONE = re.compile(r"gpu\.launch_func async \[(%\w+)\] @\w+::@(\w+) ")


def compile_program(path, *flags):
    command = ["tc-compile", path, *flags, "--emit=gpu", "-o", "-"]
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


def find_race(mutant, text):
    """Whether the emulator finds a race in a program, which stays in a file if not."""
    with open(mutant, "w") as file:
        file.write(text)
    command = ["tc-run", mutant, "--device=emulator", "--checks=streams"]
    done = subprocess.run(command, capture_output=True, text=True)
    is_found = "stream race" in done.stdout + done.stderr
    if is_found:
        os.remove(mutant)
    return is_found


def run_mutant(path, source):
    """What is wrong if the emulator does not miss a token; nothing where there is none."""
    compiled = compile_program(path)
    edges = async_graph.find_edges(compiled)
    if not edges:
        return None
    edge = source.choice(edges)
    mutant = path.replace(".mlir", "-mutant.mlir")
    if find_race(mutant, async_graph.remove_edge(compiled, edge)):
        return []
    return [f"{mutant}: expected a race without {edge[1]} of line {edge[0] + 1}"]


def find_settled(text):
    """Kernels before whose launch the host has waited for the one before, since it has freed
    memory in between."""
    settled = set()
    for launch in AFTER_ONE.finditer(text):
        before = re.search(rf"^ *{re.escape(launch[1])}(?:, %\w+)? = ", text, re.MULTILINE)
        if before and "gpu.dealloc" in text[before.start() : launch.start()]:
            settled.add(launch[2])
    return settled


def run_impatient(path):
    """The same of a program whose kernels begin early and none of which waits. One of them may
    have no need to: the kernel right before need not be one that it conflicts with."""
    compiled = compile_program(path, *OVERLAP)
    needless = set(OTHERWISE.findall(compiled)) | find_settled(compiled)
    kernel, waiting = None, set()
    for match in WAIT.finditer(compiled):
        kernel = match[1] or kernel
        if not match[1] and kernel not in needless:
            waiting.add(kernel)
    if len(waiting) < 2:
        return None
    mutant = path.replace(".mlir", "-impatient.mlir")
    keep = lambda match: match[0] if match[1] else ""  # noqa: E731
    if find_race(mutant, WAIT.sub(keep, compiled)):
        return []
    return [f"{mutant}: expected a race without the waits of {', '.join(sorted(waiting))}"]


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
    mutants = [run_mutant(path, random.Random(number)) for number, (path, _) in enumerate(paths)]
    mutants = [mutant for mutant in mutants if mutant is not None]
    impatient = [run_impatient(path) for path, _ in paths]
    impatient = [mutant for mutant in impatient if mutant is not None]
    faults += [fault for mutant in mutants + impatient for fault in mutant]
    for seed in range(1, options.seeds + 1):
        faults += check_random_nests.check_order(paths, f"adversarial:{seed}")
        faults += check_random_nests.check_order(paths, f"adversarial:{seed}", OVERLAP)
    for path, _ in paths:
        if not any(path in fault for fault in faults):
            os.remove(path)
    print("\n".join(faults[:20]))
    print(
        f"{len(programs)} programs, {edges} tokens, {len(mutants)} races, "
        f"{len(impatient)} waits, {len(faults)} faults"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
