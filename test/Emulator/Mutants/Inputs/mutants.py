#!/usr/bin/env python3
"""Plants faults into kernels of this project and counts what finds them.

A mutant is one kernel's PTX with one instruction changed, by one of operators.py.
It is *caught* when the emulator, with all checks on, reports a finding, or when the
result differs from NumPy's, or when it does not end. Rules leave out what nobody
could tell from the kernel (rules.py), by running it. What is left and not caught is
a failure. Nothing is left out by name.
"""

import argparse
import collections
import json
import multiprocessing
import pathlib
import re
import subprocess
import sys

import numpy as np
import operators
import ptx_text
import rules

# name, einsum, extents, element type, chip, schedule. Every grid has more than one block,
# every sum more than one step; extents are powers of two or primes. Schedules are written
# out: without vectors there is one kernel, of loads and stores that the operators know.
# With a step of 4 in sd1_1_prime, a factor of 43 for 42 makes threads 42 and 63 exchange
# what they copy: a mutant that does the same, as no rule can tell.
KERNELS = (
    ("matmul", "ik,kj->ij", "i=256,k=32,j=256", "f32", "sm_80",
     "thread=[i=16,j=16],register=[i=2,j=2],step=[k=8]"),
    ("matmul_prime", "ik,kj->ij", "i=37,k=41,j=53", "f32", "sm_90a",
     "thread=[i=16,j=16],register=[i=2,j=2],step=[k=8]"),
    ("sd1_1", "icaq,qbjk->abcijk", "i=8,c=4,a=8,q=32,b=8,j=4,k=8", "f32", "sm_90a",
     "thread=[i=4,jk=32],register=[a=4,b=2],step=[q=8]"),
    ("sd1_1_prime", "icaq,qbjk->abcijk", "i=5,c=3,a=7,q=11,b=5,j=3,k=7", "f64", "sm_80",
     "thread=[i=5,jk=21],register=[a=2,b=2],step=[q=3]"),
    ("batched", "bik,bkj->bij", "b=3,i=33,k=20,j=35", "f64", "sm_90a",
     "thread=[i=8,j=16],register=[i=2,j=2],step=[k=4]"),
)
SECONDS = 30  # A mutant that takes longer does not end; the kernels take less than one.


class Kernel:
    """One compiled contraction, its inputs and its result."""

    def __init__(self, name, einsum, extents, dtype, chip, schedule, folder):
        self.name = name
        path = pathlib.Path(folder, name + ".ptx")
        command = ["tc-compile", f"--einsum={einsum}", f"--sizes={extents}"]
        command += [f"--dtype={dtype}", f"--chip={chip}", "--emit=ptx", f"-o={path}"]
        command += [f"--schedule=#tc.schedule<{schedule}, kernel = fma>"]
        done = subprocess.run([*command, "--report=json"], check=True, capture_output=True)
        report = json.loads(done.stdout)
        self.grid, self.block = report["grid"], report["block"]
        self.entry = report["kernel"]
        self.text = ptx_text.Text(path.read_text(encoding="utf-8"))
        annotate(self.text)
        sizes = {e[0]: int(e[2:]) for e in extents.split(",")}
        random = np.random.default_rng(7)
        subscripts, result = einsum.split("->")
        finite = []
        for axes in subscripts.split(","):
            # Integers, so that every order of the sums gives the same; none is 0.
            values = random.integers(1, 9, [sizes[a] for a in axes])
            signs = random.choice([-1, 1], values.shape)
            finite.append((values * signs).astype(f"f{int(dtype[1:]) // 8}"))
        # What lies behind a row is infinite: a zero of the other operand does not
        # make up for reading it.
        infinite = [values.copy() for values in finite]
        for values in infinite:
            values[..., 0] *= np.inf
        with np.errstate(invalid="ignore"):
            self.cases = [(i, np.einsum(einsum, *i)) for i in (finite, infinite)]

    def run(self, emulator_class, ptx, checks):
        """What catches a text: the class of a finding, "wrong result", or None."""
        for inputs, want in self.cases:
            emulator = emulator_class(checks=checks)
            arrays = [emulator.buffer(a) for a in inputs]
            # No sum of integers is 1/8.
            out = emulator.buffer(np.full(want.shape, 0.125, want.dtype))
            module = emulator.module(ptx)
            report = module.launch(self.entry, self.grid, self.block, [*arrays, out])
            if report["findings"]:
                return report["findings"][0]["class"]
            if not np.array_equal(out.numpy(), want, equal_nan=True):
                return "wrong result"
        return None


def annotate(text):
    """What operators ask of a text: its shared variables, labels that are branched to
    from below, predicates that select a value."""
    joined = "\n".join(text.lines)
    text.shared = re.findall(r"\.shared .*?(\w+)\[\d+\];", joined)
    text.selecting = {i.operands[-1] for i in text.instructions if i.root == "selp"}
    places = {m.group(1): n for n, l in enumerate(text.lines) if (m := re.match(r"(\$\w+):", l))}
    text.backward = {
        i.operands[0]
        for i in text.instructions
        if i.root == "bra" and places[i.operands[0]] < i.line
    }


class Mutant:
    def __init__(self, kernel, operator, original, changed):
        self.kernel, self.operator = kernel, operator
        self.original, self.changed = original, changed

    def __str__(self):
        changed = "nothing" if self.changed is None else str(self.changed).strip()
        return (
            f"{self.kernel.name}:{self.original.line + 1}: {self.operator.__name__}:"
            f" {str(self.original).strip()} -> {changed}".replace("\t", "")
        )

    def text(self):
        changed = [] if self.changed is None else [str(self.changed)]
        return self.kernel.text.edit({self.original.line: changed})


def choose(kernel, count):
    """Up to `count` mutants of each operator, spread over the places it fits."""
    for operator in operators.OPERATORS:
        fits = [
            Mutant(kernel, operator, original, changed)
            for original in kernel.text.instructions
            for changed in operator(original, kernel.text)
            if changed is None or changed != original
        ]
        step = max(len(fits) / count, 1)
        yield from (fits[int(n * step)] for n in range(min(count, len(fits))))


def judge_apart(connection, library, mutant):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "python"))
    from tc.emulator import Emulator, EmulatorError

    def emulator(**options):
        return Emulator(library, **options)

    kernel = mutant.kernel
    try:
        caught = kernel.run(emulator, mutant.text(), "all")
        # The rules are tested, too: none may hold for what is caught. (Another number
        # in place of a NaN is a question only where the NaN makes no difference.)
        if caught is None or mutant.operator is not operators.spoil_fill:
            for rule, probe in rules.probes(kernel.text, mutant.original, mutant.changed):
                if kernel.run(emulator, probe, "bounds") is None:
                    caught = rule if caught is None else f"{caught}, in spite of {rule}"
                    break
    except EmulatorError as error:
        caught = f"refused: {error}"
    connection.send(caught)


def judge(library, mutant):
    """What catches a mutant, the rule that leaves it out, or None. In a process of its
    own, which can be ended."""
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(False)
    process = fork.Process(target=judge_apart, args=(sender, library, mutant))
    process.start()
    sender.close()
    caught = "does not end"
    if receiver.poll(SECONDS):
        try:
            caught = receiver.recv()
        except EOFError:
            caught = "crash"
    process.kill()
    process.join()
    return caught


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="the emulator")
    parser.add_argument("--folder", required=True, help="where the kernels go")
    parser.add_argument("--count", type=int, default=2, help="of an operator and kernel")
    parser.add_argument("--only", help="the name of one kernel")
    parser.add_argument("--verbose", action="store_true", help="show each mutant")
    options = parser.parse_args()
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)

    table = collections.Counter()
    failures = []
    for row in KERNELS:
        if options.only and row[0] != options.only:
            continue
        kernel = Kernel(*row, options.folder)
        whole = Mutant(kernel, None, *kernel.text.instructions[:1] * 2)
        if wrong := judge(options.library, whole):
            failures.append(f"{kernel.name} unchanged: {wrong}")
            continue
        for mutant in choose(kernel, options.count):
            caught = judge(options.library, mutant)
            if caught is None or re.match("crash|refused|.* in spite of", caught):
                failures.append(f"{mutant}: {caught or 'not caught'}")
            else:
                table[mutant.operator.__name__, caught] += 1
            if options.verbose:
                print(f"{caught}: {mutant}", flush=True)
    show(table, failures)
    return 1 if failures else 0


def show(table, failures):
    names = [o.__name__ for o in operators.OPERATORS]
    columns = sorted({caught for _, caught in table})
    left_out = ("unreached", "same effect", "unused value")
    columns.sort(key=lambda c: c in left_out)
    print(f"{'':20}" + "".join(f"{c:>15}" for c in columns))
    for name in names:
        counts = "".join(f"{table[name, c] or '':>15}" for c in columns)
        print(f"{name:20}{counts}")
    print(f"{'in all':20}" + "".join(f"{sum(table[n, c] for n in names):>15}" for c in columns))
    for failure in failures:
        print(failure)
    caught = sum(n for (_, c), n in table.items() if c not in left_out)
    print(
        f"{caught} mutants caught, {len(failures)} not;"
        f" {sum(table.values()) - caught} left out by rule"
    )


if __name__ == "__main__":
    sys.exit(main())
