"""Random nests whose iterations go along rows: run on the emulator and verified.

random_rows.py --tools=DIR --seed=S --count=N

A tc.par round several loops: some combine values, some store rows, some do both, some
depend on the iteration before. Prints how many were verified, and of how many the
threads of a block share the loops.
"""

import sys

import random_redomaps

COMBINES = {
    "f": ["addf", "addf", "mulf", "maximumf", "minnumf", "fma", "fma", "divf"],
    "i": ["addi", "addi", "maxsi", "minui", "xori", "andi", "subi"],
}
SUMS = {"f": "addf", "i": "addi"}


class Rows:
    """The text of one program."""

    def __init__(self, draw):
        self.draw = draw
        self.type = draw.choice(list(random_redomaps.TYPES))
        self.kind = random_redomaps.TYPES[self.type]
        self.rows = draw.choice([1, 2, 5, 33])
        self.columns = draw.choice([1, 16, 17, 17, 40, 40, 130])
        self.lines, self.number = [], 0
        self.scalars = ["%constant"]

    def fresh(self):
        self.number += 1
        return f"%v{self.number}"

    def emit(self, text):
        self.lines.append(text)

    def memref(self):
        # Room for neighbours.
        return f"memref<{self.rows + 2}x{self.columns + 2}x{self.type}>"

    def column(self, shift):
        if shift == 0:
            return "%j"
        value = self.fresh()
        self.emit(f"{value} = affine.apply affine_map<(j) -> (j + {shift})>(%j)")
        return value

    def load(self, name, shift=0):
        column, value = self.column(shift), self.fresh()
        place = f"{column}, %i" if name == "T" else f"%i, {column}"
        kind = f"memref<{self.columns + 2}x{self.rows + 2}x{self.type}>" if name == "T" else self.memref()
        self.emit(f"{value} = memref.load %{name}[{place}] : {kind}")
        return value

    def store(self, value, name, shift=0):
        self.emit(f"memref.store {value}, %{name}[%i, {self.column(shift)}] : {self.memref()}")

    def compute(self, op, first, second):
        value = self.fresh()
        self.emit(f"{value} = arith.{op} {first}, {second} : {self.type}")
        return value

    def term(self):
        """Of elements of the row, and of what earlier loops gave."""
        value = self.load(self.draw.choice(["A"] * 8 + ["B", "C", "T"]))
        if self.draw.random() < 0.6:
            value = self.compute(SUMS[self.kind], value, self.draw.choice(self.scalars))
        return value

    def fold(self):
        """A loop that carries one or two values, and may store, too."""
        count = self.draw.choice([1, 1, 2])
        carried = [self.fresh() for _ in range(count)]
        starts = [self.draw.choice(["%zero", *self.scalars]) for _ in range(count)]
        results = [self.fresh() for _ in range(count)]
        kind = self.draw.choice(["seq", "for", "affine"])
        types = ", ".join([self.type] * count)
        if kind == "seq":
            init = ", ".join(f"{c} = {s} : {self.type}" for c, s in zip(carried, starts))
            self.emit(f"{', '.join(results)} = tc.seq (%j) = (0) to ({self.columns}) init({init}) {{")
        else:
            init = ", ".join(f"{c} = {s}" for c, s in zip(carried, starts))
            head = f"{', '.join(results)} = "
            if kind == "for":
                head += f"scf.for %j = %c0 to %columns step %c1"
            else:
                head += f"affine.for %j = 0 to {self.columns}"
            self.emit(f"{head} iter_args({init}) -> ({types}) {{")
        # One op with several results has one name in MLIR.
        if count == 2:
            name = self.fresh()
            self.lines[-1] = self.lines[-1].replace(", ".join(results), f"{name}:2", 1)
            results = [f"{name}#0", f"{name}#1"]
        value = self.term()
        if self.draw.random() < 0.4:
            self.store(value, self.draw.choice(["B", "C"]))
        nexts = []
        for old in carried:
            op = self.draw.choice(COMBINES[self.kind])
            if op == "fma":
                nexts.append(self.fresh())
                self.emit(f"{nexts[-1]} = math.fma {value}, {value}, {old} : {self.type}")
            elif op == "divf":
                # In order, and of numbers that do not vanish.
                nexts.append(self.compute("addf", self.compute("divf", old, "%constant"), value))
            else:
                pair = (old, value) if op == "subi" or self.draw.random() < 0.5 else (value, old)
                nexts.append(self.compute(op, *pair))
        end = {"seq": "tc.yield", "for": "scf.yield", "affine": "affine.yield"}[kind]
        self.emit(f"{end} {', '.join(nexts)} : {types} }}")
        self.scalars += results

    def map(self):
        """A loop that stores a row, or walks along one."""
        kind = self.draw.choice(["par", "seq", "for", "affine"])
        walks = kind != "par" and self.draw.random() < 0.1
        self.emit(
            {
                "par": f"tc.par (%j) = (0) to ({self.columns}) {{",
                "seq": f"tc.seq (%j) = (0) to ({self.columns}) {{",
                "for": "scf.for %j = %c0 to %columns step %c1 {",
                "affine": f"affine.for %j = 0 to {self.columns} {{",
            }[kind]
        )
        name = self.draw.choice(["B", "C"])
        if walks:
            self.store(self.compute(SUMS[self.kind], self.load(name), "%constant"), name, 1)
        else:
            other = self.load(name) if self.draw.random() < 0.5 else self.term()
            self.store(self.compute(SUMS[self.kind], other, self.draw.choice(self.scalars)), name)
        self.emit("tc.yield }" if kind == "seq" else "}")

    def write(self):
        one, zero = ("1.5", "0.0") if self.kind == "f" else ("3", "0")
        self.emit(f"%constant = arith.constant {one} : {self.type}")
        self.emit(f"%zero = arith.constant {zero} : {self.type}")
        self.emit("%c0 = arith.constant 0 : index")
        self.emit("%c1 = arith.constant 1 : index")
        self.emit(f"%columns = arith.constant {self.columns} : index")
        self.emit(f"tc.par (%i) = (0) to ({self.rows}) {{")
        for _ in range(self.draw.randint(1, 4)):
            self.fold() if self.draw.random() < 0.6 else self.map()
        if self.draw.random() < 0.7:
            self.emit(f"memref.store {self.scalars[-1]}, %S[%i] : memref<{self.rows}x{self.type}>")
        self.emit("}")
        transposed = f"memref<{self.columns + 2}x{self.rows + 2}x{self.type}>"
        arguments = ", ".join(f"%{name}: {self.memref()}" for name in "ABC")
        arguments += f", %T: {transposed}, %S: memref<{self.rows}x{self.type}>"
        body = "\n  ".join(self.lines)
        return f"func.func @rows({arguments}) {{\n  {body}\n  return\n}}\n"


if __name__ == "__main__":
    sys.exit(random_redomaps.check(lambda draw: Rows(draw).write(), "tc.reduce", "shared", __doc__))
