"""Random nests that are redomaps: raised, run on the emulator and verified.

random_redomaps.py --tools=DIR --seed=S --count=N

Loops of every kind, bounds, steps, windows, sums in memory and carried, with what is
stored before and after. Prints how many were verified, and how many of them were raised.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

TYPES = {"f32": "f", "f64": "f", "i32": "i", "i64": "i"}
COMBINES = {"f": ["addf", "maximumf", "mulf"], "i": ["addi", "maxsi", "xori"]}
PRODUCTS = {"f": ["mulf", "addf", "subf"], "i": ["muli", "addi", "subi"]}


class Nest:
    """The text of one program."""

    def __init__(self, draw):
        self.draw = draw
        self.type = draw.choice(list(TYPES))
        self.kind = TYPES[self.type]
        self.results = [f"i{n}" for n in range(draw.randint(0, 3))]
        self.contracted = [f"k{n}" for n in range(draw.randint(1, 2))]
        self.extents = {name: draw.choice([1, 2, 3, 7, 16, 33]) for name in self.names()}
        self.lower = {name: draw.choice([0, 0, 0, 1, 2]) for name in self.names()}
        self.step = {name: draw.choice([1, 1, 1, 2, 3]) for name in self.names()}
        self.lines, self.number, self.buffers = [], 0, []

    def names(self):
        return self.results + self.contracted

    def upper(self, name):
        # The last step may be a part of one.
        rest = self.draw.randrange(self.step[name])
        return self.lower[name] + self.extents[name] * self.step[name] - rest

    def last(self, name):
        return self.lower[name] + (self.extents[name] - 1) * self.step[name]

    def emit(self, text):
        self.lines.append(text)

    def fresh(self):
        self.number += 1
        return f"%v{self.number}"

    def buffer(self, name, subscripts):
        """A memref with room for the last index of each subscript."""
        sizes = []
        for subscript in subscripts:
            room = sum(factor * self.last(label) for label, factor in subscript) + 1
            sizes.append(room + self.draw.choice([0, 0, 1]))
        shape = "".join(f"{size}x" for size in sizes)
        self.buffers.append((name, f"memref<{shape}{self.type}>", subscripts))
        return self.buffers[-1]

    def access(self, subscripts):
        """Values of the subscripts, in front of a load or store."""
        values = []
        for subscript in subscripts:
            names = ", ".join(label for label, _ in subscript)
            operands = ", ".join(f"%{label}" for label, _ in subscript)
            total = " + ".join(f"{label} * {factor}" for label, factor in subscript)
            value = self.fresh()
            self.emit(f"{value} = affine.apply affine_map<({names}) -> ({total})>({operands})")
            values.append(value)
        return ", ".join(values)

    def load(self, buffer):
        name, kind, subscripts = buffer
        indices = self.access(subscripts)
        value = self.fresh()
        self.emit(f"{value} = memref.load %{name}[{indices}] : {kind}")
        return value

    def store(self, value, buffer):
        name, kind, subscripts = buffer
        indices = self.access(subscripts)
        self.emit(f"memref.store {value}, %{name}[{indices}] : {kind}")

    def compute(self, op, first, second):
        value = self.fresh()
        self.emit(f"{value} = arith.{op} {first}, {second} : {self.type}")
        return value

    def open(self, name, is_parallel, carried=None):
        """Opens a loop; returns what closes it. The first is of a kernel."""
        low, high, step = self.lower[name], self.upper(name), self.step[name]
        if is_parallel and (name == "i0" or self.draw.random() < 0.6):
            self.emit(f"tc.par (%{name}) = ({low}) to ({high}) step ({step}) {{")
            return "}"
        kind = self.draw.choice(["seq", "for"])
        if kind == "seq":
            init = f" init({carried[0]} = {carried[1]} : {self.type})" if carried else ""
            result = f"{carried[2]} = " if carried else ""
            self.emit(f"{result}tc.seq (%{name}) = ({low}) to ({high}) step ({step}){init} {{")
            return f"tc.yield VALUE : {self.type} }}" if carried else "tc.yield }"
        bounds = []
        for bound in (low, high, step):
            bounds.append(self.fresh())
            self.emit(f"{bounds[-1]} = arith.constant {bound} : index")
        init = f" iter_args({carried[0]} = {carried[1]}) -> {self.type}" if carried else ""
        result = f"{carried[2]} = " if carried else ""
        low, high, step = bounds
        self.emit(f"{result}scf.for %{name} = {low} to {high} step {step}{init} {{")
        return f"scf.yield VALUE : {self.type} }}" if carried else "}"

    def term(self):
        value = self.load(self.inputs[0])
        for other in self.inputs[1:]:
            value = self.compute(self.draw.choice(PRODUCTS[self.kind]), value, self.load(other))
        return value

    def draw_input(self, name, labels):
        subscripts, labels = [], list(labels)
        self.draw.shuffle(labels)
        while labels:
            subscript = [(labels.pop(), 1)]
            if labels and self.draw.random() < 0.2:
                subscript.append((labels.pop(), self.draw.choice([1, 2])))
            subscripts.append(subscript)
        return self.buffer(name, subscripts)

    def write(self):
        order = list(self.results)
        self.draw.shuffle(order)
        self.result = self.buffer("R", [[(label, 1)] for label in order])
        # One input has each index by itself, as linalg asks for.
        names = self.names()
        self.draw.shuffle(names)
        self.inputs = [self.buffer("A", [[(label, 1)] for label in names])]
        for n in range(self.draw.randint(0, 2)):
            labels = [label for label in self.names() if self.draw.random() < 0.7]
            self.inputs.append(self.draw_input(f"B{n}", labels))
        combine = self.draw.choice(COMBINES[self.kind])
        number = "1.5" if self.kind == "f" else "3"
        self.emit(f"%constant = arith.constant {number} : {self.type}")
        closing = [self.open(name, True) for name in self.results]
        form = self.draw.choice(["memory", "cleared", "carried"] if self.results else ["memory"])
        if form == "carried":
            start = self.draw.choice(["%constant", None]) or self.load(self.result)
            inner = []
            for name in self.contracted:
                carried, result = self.fresh(), self.fresh()
                inner.append((self.open(name, False, (carried, start, result)), result))
                start = carried
            value = self.compute(combine, start, self.term())
            for close, result in reversed(inner):
                self.emit(close.replace("VALUE", value))
                value = result
            if self.draw.random() < 0.5:
                value = self.compute(self.draw.choice(PRODUCTS[self.kind]), value, "%constant")
            if self.draw.random() < 0.3:
                old = self.load(self.result)
                value = self.compute(self.draw.choice(PRODUCTS[self.kind]), value, old)
            self.store(value, self.result)
        else:
            if form == "cleared":
                self.store("%constant", self.result)
            inner = [self.open(name, False) for name in self.contracted]
            old = self.load(self.result)
            self.store(self.compute(combine, old, self.term()), self.result)
            for close in reversed(inner):
                self.emit(close)
        for close in reversed(closing):
            self.emit(close)
        arguments = ", ".join(f"%{name}: {kind}" for name, kind, _ in self.buffers)
        body = "\n  ".join(self.lines)
        return f"func.func @nest({arguments}) {{\n  {body}\n  return\n}}\n"


def run(command, path):
    return subprocess.run([*command, path], capture_output=True, text=True, check=False)


def check(write, mark, word, description, passes=("--tc-raise",)):
    """Programs that `write` makes of a source of numbers, run and verified: how many
    were, and of how many `mark` is in what `passes` make, as `word`."""
    parser = argparse.ArgumentParser(description=description.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tools", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    tools = pathlib.Path(options.tools)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"tc-{word}-"))
    marked = failed = 0
    for number in range(options.count):
        text = write(random.Random(f"{options.seed} {number}"))
        path = folder / "nest.mlir"
        path.write_text(text, encoding="utf-8")
        opt = run([tools / "tc-opt", *passes, "--remarks"], path)
        marked += mark in opt.stdout
        result = run([tools / "tc-run", "--verify"], path)
        is_right = "verified" in result.stderr + result.stdout
        if opt.returncode != 0 or result.returncode != 0 or not is_right:
            failed += 1
            kept = folder / f"failed-{number}.mlir"
            kept.write_text(text, encoding="utf-8")
            print(f"FAILED {kept}\n{opt.stderr}{result.stdout}{result.stderr}")
    print(f"{options.count - failed} verified, {marked} {word}, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(check(lambda draw: Nest(draw).write(), "linalg.generic", "raised", __doc__))
