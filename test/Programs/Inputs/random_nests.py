"""Prints a module of random par/seq programs: random_nests.py SEED COUNT.

A program has one or two kernels of grids and blocks, in which blocks of threads
follow each other, also in loops, over buffers in global, shared and private memory;
half of them leave levels and memory spaces to the compiler. Steps and widths are numbers or values.
A quarter of the kernels are arrays that partitions give (tc.with).
Iterations are independent by construction: what a tc.par writes it writes at an
injective function of its indices and reads there only; everything else it reads
anywhere, modulo the extents.
"""

import random
import sys
from dataclasses import dataclass, field

SHARED = "#gpu.address_space<workgroup>"
PRIVATE = "#gpu.address_space<private>"


@dataclass
class Buffer:
    name: str
    shape: list
    element: str
    space: str = ""
    layout: str = ""
    leading: list = field(default_factory=list)  # subscripts that are fixed
    isInside: bool = False  # is it made in the nest, full of nothing?
    spare: int = 0  # elements along the last dimension that no one uses

    @property
    def sizes(self):
        return self.shape[:-1] + [n + self.spare for n in self.shape[-1:]]

    @property
    def type(self):
        shape = "".join(f"{n}x" for n in self.sizes)
        parts = [shape + self.element, self.layout, self.space]
        return f"memref<{', '.join(p for p in parts if p)}>"


@dataclass
class Index:
    name: str
    most: int  # its largest value


class Writer:
    """Lines of one function, with fresh names."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.depth = 1
        self.count = 0

    def fresh(self, prefix="v"):
        self.count += 1
        return f"%{prefix}{self.count}"

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def define(self, text, prefix="v"):
        name = self.fresh(prefix)
        self.emit(f"{name} = {text}")
        return name

    def open(self, text):
        self.emit(text + " {")
        self.depth += 1

    def close(self):
        self.depth -= 1
        self.emit("}")


def choose_range(rng, most):
    """(lower, upper, step, width) with an index at least, and none above most."""
    lower = rng.choice([0, 0, rng.randrange(most + 1)])
    upper = rng.randint(lower, most) + 1
    step = rng.choice([1, 1, 1, 2, 3, 5])
    return lower, upper, step, rng.randint(1, step)


class Program:
    """One random function."""

    def __init__(self, rng, name):
        # Do threads read what others of their block wrote to global memory?
        self.shares_global = rng.random() < 0.5
        self.hasLevels = rng.random() < 0.5
        self.shared = SHARED if self.hasLevels else ""
        self.own = PRIVATE if self.hasLevels or rng.random() < 0.3 else ""
        self.rng = rng
        self.w = Writer(rng)
        self.name = name
        self.element = rng.choice(["i32", "i32", "i64", "f32", "f32", "f64"])
        self.isFloat = self.element[0] == "f"
        self.arguments = []
        self.indices = []  # in scope
        self.readable = []  # buffers that are written, and by nobody just now

    def par(self, level):
        return f"tc.par {level}" if self.hasLevels else "tc.par"

    def space(self, ranges):
        """The bounds of a nest, with some of the steps and widths as values."""
        columns = [[str(r[i]) for r in ranges] for i in range(4)]
        for column in columns[2:]:
            for d, number in enumerate(column):
                if self.rng.random() < 0.15:
                    column[d] = self.w.define(f"arith.constant {number} : index")
        return "= ({}) to ({}) step ({}) width ({})".format(*map(", ".join, columns))

    # Scalars

    def constant(self, element):
        if element[0] == "f":
            value = self.rng.choice(["0.5", "-1.0", "0.25", "3.0", "-0.125"])
        else:
            value = self.rng.randint(-9, 9)
        return self.w.define(f"arith.constant {value} : {element}")

    def affine(self, extent):
        """An index from 0 to extent - 1 made of those in scope."""
        w, rng = self.w, self.rng
        fitting = [i for i in self.indices if i.most < extent]
        if fitting and rng.random() < 0.4:
            return rng.choice(fitting).name
        if not self.indices:
            return w.define(f"arith.constant {rng.randrange(extent)} : index")
        used = rng.sample(self.indices, min(len(self.indices), rng.randint(1, 3)))
        terms = " + ".join(f"d{n} * {rng.randint(-3, 3)}" for n in range(len(used)))
        dims = ", ".join(f"d{n}" for n in range(len(used)))
        names = ", ".join(i.name for i in used)
        expr = f"({terms} + {rng.randint(-5, 5)})"
        if rng.random() < 0.3:  # clamped
            inner = w.define(f"affine.max affine_map<({dims}) -> ({expr}, 0)>({names})")
            clamp = f"affine_map<(d0) -> (d0, {extent - 1})>"
            return w.define(f"affine.min {clamp}({inner})")
        expr = f"{expr} mod {extent}"
        if rng.random() < 0.2 and extent > 1:
            expr = f"({expr}) floordiv 2"
        return w.define(f"affine.apply affine_map<({dims}) -> ({expr})>({names})")

    def gathered(self, extent):
        """An index that is read from memory."""
        table = self.rng.choice([b for b in self.readable if b.element[0] == "i"])
        number = self.load(table)
        index = self.w.define(f"arith.index_cast {number} : {table.element} to index")
        return self.w.define(
            f"affine.apply affine_map<(d0) -> (d0 mod {extent})>({index})"
        )

    def subscripts(self, buffer):
        free = buffer.shape[len(buffer.leading) :]
        result = list(buffer.leading)
        for extent in free:
            if not self.isFloat and self.rng.random() < 0.06:
                result.append(self.gathered(extent))
            else:
                result.append(self.affine(extent))
        return result

    def load(self, buffer):
        at = self.subscripts(buffer)
        if len(at) >= 2 and not buffer.layout and self.rng.random() < 0.2:
            return self.load_row(buffer, at)
        return self.w.define(f"memref.load {buffer.name}[{', '.join(at)}] : {buffer.type}")

    def load_row(self, buffer, at):
        """By way of a view of the last dimension."""
        rank, extent = len(at), buffer.shape[-1]
        layout = "strided<[1], offset: ?>"
        row = Buffer(self.w.fresh("row"), [extent], buffer.element, buffer.space, layout)
        if self.rng.random() < 0.5:
            return self.load_view(buffer, at, row)
        offsets = ", ".join(at[:-1] + ["0"])
        sizes = ", ".join(["1"] * (rank - 1) + [str(extent)])
        self.w.emit(
            f"{row.name} = memref.subview {buffer.name}[{offsets}] [{sizes}]"
            f" [{', '.join(['1'] * rank)}] : {buffer.type} to {row.type}"
        )
        return self.w.define(f"memref.load {row.name}[{at[-1]}] : {row.type}")

    def load_view(self, buffer, at, row):
        """The same by tc.view."""
        dims, strides, stride = [f"d{d}" for d in range(len(at) - 1)], [], buffer.sizes[-1]
        for extent in reversed(buffer.sizes[:-1]):
            strides.insert(0, stride)
            stride *= extent
        expr = " + ".join(f"{d} * {s}" for d, s in zip(dims, strides))
        place = self.w.define(
            f"affine.apply affine_map<({', '.join(dims)}) -> ({expr})>({', '.join(at[:-1])})"
        )
        self.w.emit(
            f"{row.name} = tc.view {buffer.name} ({place}) <offset = ?,"
            f" sizes = [{row.shape[0]}], strides = [1]> : {buffer.type} to {row.type}"
        )
        return self.w.define(f"memref.load {row.name}[{at[-1]}] : {row.type}")

    def operation(self, x, y):
        ops = ["addf", "subf", "maximumf", "minimumf"]
        if not self.isFloat:
            ops = ["addi", "subi", "muli", "andi", "xori", "minsi", "maxsi"]
        if self.isFloat and self.rng.random() < 0.25:
            half = self.constant(self.element)
            x = self.w.define(f"arith.mulf {x}, {half} : {self.element}")
        op = self.rng.choice(ops)
        return self.w.define(f"arith.{op} {x}, {y} : {self.element}")

    def condition(self):
        bound = self.w.define(f"arith.constant {self.rng.randint(0, 4)} : index")
        predicate = self.rng.choice(["slt", "sge", "eq", "ne"])
        index = self.rng.choice(self.indices).name if self.indices else bound
        return self.w.define(f"arith.cmpi {predicate}, {index}, {bound} : index")

    def branch(self, depth):
        condition, result = self.condition(), self.w.fresh()
        self.w.open(f"{result} = scf.if {condition} -> {self.element}")
        x = self.value(depth - 1)
        self.w.emit(f"scf.yield {x} : {self.element}")
        self.w.depth -= 1
        self.w.open("} else")
        y = self.value(depth - 1)
        self.w.emit(f"scf.yield {y} : {self.element}")
        self.w.close()
        return result

    def loop(self, depth):
        """A tc.seq that carries a value; its end may depend on an index."""
        w, rng = self.w, self.rng
        first, k, carried, result = self.value(depth - 1), w.fresh("k"), w.fresh(), w.fresh()
        space = choose_range(rng, 5)
        bounds, most = self.space([space]), space[1]
        if self.indices and rng.random() < 0.3:
            outer = rng.choice(self.indices)
            end = w.define(f"affine.min affine_map<(d0) -> (d0 + 1, 7)>({outer.name})")
            bounds, most = f"= (0) to ({end})", 7
        w.open(f"{result} = tc.seq ({k}) {bounds} init({carried} = {first} : {self.element})")
        self.indices.append(Index(k, most - 1))
        x = self.operation(carried, self.value(depth - 1))
        w.emit(f"tc.yield {x} : {self.element}")
        self.indices.pop()
        w.close()
        return result

    def value(self, depth):
        same = [b for b in self.readable if b.element == self.element]
        choice = self.rng.random()
        if depth > 0 and choice < 0.45:
            return self.operation(self.value(depth - 1), self.value(depth - 1))
        if depth > 1 and choice < 0.6:
            return self.loop(depth)
        if depth > 0 and choice < 0.7:
            return self.branch(depth)
        if choice > 0.95 or not same:
            return self.constant(self.element)
        return self.load(self.rng.choice(same))

    # Blocks of threads

    def ragged(self, extent):
        """A range whose end depends on an index."""
        outer, more = self.rng.choice(self.indices), self.rng.randint(0, 3)
        end = self.w.define(
            f"affine.min affine_map<(d0) -> (d0 + {more}, {extent})>({outer.name})"
        )
        return 0, end, 1, 1

    def private(self):
        """A buffer of the thread, written in a loop."""
        w, extent = self.w, self.rng.randint(1, 5)
        own, k = Buffer(w.fresh("p"), [extent], self.element, self.own), w.fresh("k")
        w.emit(f"{own.name} = tc.new : {own.type}")
        nest = "tc.seq" if self.hasLevels or self.rng.random() < 0.5 else "tc.par"
        w.open(f"{nest} ({k}) = (0) to ({extent})")
        self.indices.append(Index(k, extent - 1))
        x = self.value(1)
        w.emit(f"memref.store {x}, {own.name}[{k}] : {own.type}")
        self.indices.pop()
        w.close()
        self.readable = self.readable + [own]

    def threads(self, target, leading):
        """A block whose threads write elements of `target`, each one of its own."""
        w, rng = self.w, self.rng
        shape = target.shape[len(leading) :]
        whole = target.isInside and target not in self.readable
        ranges = [
            (0, n, 1, 1) if whole else choose_range(rng, n - 1) for n in shape
        ]
        mosts = [r[1] - 1 for r in ranges]
        if not whole and self.indices and rng.random() < 0.2:
            d = rng.randrange(len(shape))
            ranges[d], mosts[d] = self.ragged(shape[d]), shape[d] - 1
        names = [w.fresh("t") for _ in shape]
        order = rng.sample(range(len(shape)), len(shape))
        written = ", ".join(names[d] for d in order)
        bounds = self.space([ranges[d] for d in order])
        w.open(f"{self.par('block')} ({written}) {bounds}")
        outer = len(self.indices)
        self.indices += [Index(n, most) for n, most in zip(names, mosts)]
        at = list(names)
        for d, extent in enumerate(shape):
            if rng.random() < 0.25:  # backwards
                at[d] = w.define(
                    f"affine.apply affine_map<(d0) -> ({extent - 1} - d0)>({names[d]})"
                )
        place = f"{target.name}[{', '.join(leading + at)}] : {target.type}"
        others = [b for b in self.readable if b is not target]
        was, self.readable = self.readable, others
        if rng.random() < 0.15:
            self.private()
        x = self.value(2)
        if not whole and rng.random() < 0.4:  # in place
            own = w.define(f"memref.load {place}")
            x = self.operation(x, own)
        if not whole and rng.random() < 0.3:
            condition = self.condition()
            w.open(f"scf.if {condition}")
            w.emit(f"memref.store {x}, {place}")
            w.close()
        else:
            w.emit(f"memref.store {x}, {place}")
        self.readable = was
        del self.indices[outer:]
        w.close()
        if whole:
            self.readable.append(target)

    def updates(self, counts):
        """A block whose threads meet in elements of `counts`, atomically."""
        t = self.w.fresh("t")
        self.w.open(f"{self.par('block')} ({t}) = (0) to ({self.rng.randint(1, 40)})")
        self.indices.append(Index(t, 39))
        x = self.value(1)
        at = ", ".join(self.subscripts(counts))
        kind = self.rng.choice(["addi", "maxs", "mins"] if counts.kind is None else [counts.kind])
        counts.kind = kind
        self.w.define(
            f"memref.atomic_rmw {kind} {x}, {counts.name}[{at}] :"
            f" ({self.element}, {counts.type}) -> {self.element}"
        )
        self.indices.pop()
        self.w.close()

    def stage(self, source):
        """A tile of an argument of two dimensions in shared memory."""
        w, rng = self.w, self.rng
        (rows, columns), tile = source.shape, [rng.randint(1, 4), rng.randint(1, 6)]
        i, j = self.affine(rows), self.affine(columns)
        at = w.define(f"affine.apply affine_map<(i, j) -> (i * {columns} + j)>({i}, {j})")
        sizes = [
            w.define(f"affine.min affine_map<(d0) -> ({n} - d0, {t})>({x})")
            for n, t, x in zip(source.shape, tile, (i, j))
        ]
        view = f"memref<?x?x{source.element}, strided<[{columns}, 1], offset: ?>>"
        v = w.define(
            f"tc.view {source.name} ({at}, {', '.join(sizes)}) <offset = ?, sizes = [?, ?],"
            f" strides = [{columns}, 1]> : {source.type} to {view}"
        )
        layout = f"strided<[{tile[1] + rng.randint(0, 2)}, 1]>"
        staged = Buffer(w.fresh("s"), tile, source.element, SHARED, layout)
        pad = "0.5" if self.isFloat else "7"
        w.emit(
            f"{staged.name} = tc.stage {v} pad({pad} : {source.element}) : {view}"
            f" to {staged.type}"
        )
        return staged

    def steps(self, targets):
        """Blocks of threads one after the other, some of them in a loop."""
        for _ in range(self.rng.randint(1, 2)):
            if self.rng.random() < 0.4:
                k, space = self.w.fresh("q"), choose_range(self.rng, 3)
                self.w.open(f"tc.seq ({k}) {self.space([space])}")
                self.indices.append(Index(k, space[1] - 1))
                was = list(self.readable)
                sources = [b for b in was if len(b.shape) == 2 and not b.isInside and not b.leading]
                if sources and self.rng.random() < 0.5:
                    self.readable.append(self.stage(self.rng.choice(sources)))
                for _ in range(self.rng.randint(1, 2)):
                    self.threads(*self.rng.choice(targets))
                self.readable = was
                self.indices.pop()
                self.w.close()
            else:
                self.threads(*self.rng.choice(targets))

    # Kernels

    def argument(self, shape):
        buffer = Buffer(f"%A{len(self.arguments)}", shape, self.element)
        self.arguments.append(buffer)
        return buffer

    def kernel(self):
        w, rng = self.w, self.rng
        ranges = [choose_range(rng, rng.randint(0, 3)) for _ in range(rng.randint(1, 2))]
        names = [w.fresh("g") for _ in ranges]
        threads = rng.choice([[rng.randint(1, 40)], [rng.randint(1, 7), rng.randint(1, 9)]])
        result = self.argument([r[1] for r in ranges] + threads)
        result.leading = names
        w.open(f"{self.par('grid')} ({', '.join(names)}) {self.space(ranges)}")
        before, was = len(self.indices), list(self.readable)
        self.indices += [Index(n, r[1] - 1) for n, r in zip(names, ranges)]
        targets = []
        if self.shares_global:  # own elements have the values given
            self.readable = was + [result]
            targets.append((result, names))
        for _ in range(rng.randint(0, 2)):
            shape = rng.choice([[rng.randint(2, 40)], [rng.randint(1, 6), rng.randint(2, 9)]])
            shared = Buffer(w.fresh("m"), shape, self.element, self.shared)
            shared.isInside = True
            # More than there is shared memory for.
            if not self.hasLevels and rng.random() < 0.15:
                shared.spare = 20000
            w.emit(f"{shared.name} = tc.new : {shared.type}")
            targets.append((shared, []))
        for target in targets:
            if target[0].isInside:
                self.threads(*target)
        if targets:
            self.steps(targets)
        if not self.shares_global:
            self.threads(result, names)
        if not self.isFloat and rng.random() < 0.2:
            counts = self.argument([rng.randint(1, 9)])
            counts.kind = None
            self.updates(counts)
            was.append(counts)
        del self.indices[before:]
        w.close()
        result.leading = []
        self.readable = was + [result]

    def with_loop(self):
        """Arrays that partitions give, which may overlap."""
        w, rng = self.w, self.rng
        shape = [rng.randint(1, 20) for _ in range(rng.randint(1, 3))]
        results = [self.argument(shape) for _ in range(rng.choice([1, 1, 2]))]
        names = ", ".join(r.name for r in results)
        types = ", ".join(r.type for r in results)
        default = ""
        if rng.random() < 0.5:
            values = ", ".join(self.constant(self.element) for _ in results)
            elements = ", ".join(self.element for _ in results)
            default = f" default({values} : {elements})"
        parts = []
        for _ in range(rng.randint(1, 4)):
            whole = rng.random() < 0.15
            ranges = [(0, n, 1, 1) if whole else choose_range(rng, n - 1) for n in shape]
            parts.append((ranges, self.space(ranges)))
        w.open(f"tc.with {names}{default} : {types}")
        for ranges, bounds in parts:
            indices = [w.fresh("p") for _ in shape]
            w.open(f"tc.partition ({', '.join(indices)}) {bounds}")
            self.indices += [Index(n, r[1] - 1) for n, r in zip(indices, ranges)]
            values = []
            for result in results:
                value = self.value(2)
                if rng.random() < 0.2:  # what it was
                    at = ", ".join(indices)
                    own = w.define(f"memref.load {result.name}[{at}] : {result.type}")
                    value = self.operation(value, own)
                values.append(value)
            elements = ", ".join(self.element for _ in results)
            w.emit(f"tc.yield {', '.join(values)} : {elements}")
            del self.indices[-len(shape) :]
            w.close()
        w.close()
        self.readable += results

    def write(self):
        for _ in range(self.rng.randint(1, 3)):
            shape = [self.rng.randint(1, 9) for _ in range(self.rng.randint(1, 3))]
            self.readable.append(self.argument(shape))
        for _ in range(self.rng.randint(1, 2)):
            if self.rng.random() < 0.25:
                self.with_loop()
            else:
                self.kernel()
        arguments = ", ".join(f"{b.name}: {b.type}" for b in self.arguments)
        lines = [f"func.func @{self.name}({arguments}) {{"] + self.w.lines
        return "\n".join(lines + ["  return", "}"]) + "\n"


def write_programs(seed, count):
    """The text of each function, called f0, f1, ..."""
    rng = random.Random(seed)
    return [Program(rng, f"f{i}").write() for i in range(count)]


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    print(f"// random_nests.py {seed} {count}")
    print("\n".join(write_programs(seed, count)))


if __name__ == "__main__":
    main()
