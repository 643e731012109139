"""Prints a module of random nests beside each other: random_neighbours.py SEED COUNT.

A program is a row of maps (tc.par), reductions and scans, most over the same index space, by
itself or in each iteration of a tc.par, where there are contractions, too. They hand buffers on to
each other, at the index of an iteration or at that of another one, so that some of them may become
one nest (tc-fuse-nests) and others may not. What a nest writes it writes at its own index, and
reads there only. Results are exact, in whatever order values are combined.
"""

import random
import sys
from dataclasses import dataclass

SIZES = (1, 2, 5, 17, 33, 40)
OPS = {
    "i32": ("arith.addi", "arith.subi", "arith.xori", "arith.maxsi"),
    "f32": ("arith.maximumf", "arith.minimumf"),  # sums are exact modulo 2^32 alone
}
JOINS = {
    "i32": {"arith.addi": "0", "arith.xori": "0", "arith.ori": "0"},
    "f32": {"arith.maximumf": "0xFF800000", "arith.minimumf": "0x7F800000"},  # in any order
}


@dataclass
class Buffer:
    name: str
    element: str
    shape: list  # without the row of the tc.par round all nests
    has_row: bool
    is_dynamic: bool = False

    def type(self, rows):
        sizes = ([rows] if self.has_row else []) + self.shape
        sizes = ["?"] * len(sizes) if self.is_dynamic else sizes
        return "memref<" + "".join(f"{n}x" for n in sizes) + self.element + ">"


class Program:
    def __init__(self, rng, name, has_rows=None):
        self.rng, self.name = rng, name
        self.has_loops = bool(has_rows)
        self.lines, self.count = [], 0
        self.shape = [rng.choice(SIZES) for _ in range(rng.choice([1, 1, 2]))]
        if has_rows is None:
            has_rows = rng.random() < 0.3
        self.rows = rng.choice([1, 3, 20]) if has_rows else 0
        self.is_deep = self.has_loops and rng.random() < 0.4  # nests of rows in each iteration
        if self.is_deep:
            self.inner, self.rows = self.rows, 2 * self.rows
        self.arrays = [self.make(self.shape) for _ in range(rng.randint(2, 3))]
        self.scalars = [self.make([]) for _ in range(2)]
        self.arguments = self.arrays + self.scalars
        self.new = []  # not yet written everywhere
        self.sizes = []  # dynamic: the number of rows, and what a row has of an array

    def make(self, shape, has_row=True):
        self.count += 1
        element = self.rng.choice(["i32", "f32"])
        return Buffer(f"%m{self.count}", element, shape, has_row and self.rows > 0)

    def emit(self, text):
        self.lines.append("  " + text)

    def define(self, text):
        self.count += 1
        self.emit(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def subscripts(self, buffer, indices):
        return ", ".join((["%row"] if buffer.has_row else []) + indices)

    def other(self, index, extent):
        """The index of another iteration, mostly."""
        form = self.rng.choice(
            [f"{extent - 1} - i", f"(i + {self.rng.randint(1, 3)}) mod {extent}", "0"]
        )
        return self.define(f"affine.apply affine_map<(i) -> ({form})>({index})")

    def load(self, buffer, indices, may_be_other):
        if not buffer.shape:
            indices = []
        elif may_be_other and self.rng.random() < 0.25:
            indices = [self.other(i, n) for i, n in zip(indices, self.shape)]
        at = self.subscripts(buffer, indices)
        return self.define(f"memref.load {buffer.name}[{at}] : {buffer.type(self.rows)}")

    def value(self, element, indices, target):
        """Some function of what the iteration may read, while it writes `target`."""
        readable = [b for b in self.arrays + self.scalars if b is not target]
        readable = [b for b in readable if b.element in ("i32", element)]
        result = None
        for _ in range(self.rng.randint(1, 3)):
            own = target in self.arrays and target.element == element and self.rng.random() < 0.2
            if not own and not readable:
                return self.define(f"arith.constant {'3' if element == 'i32' else '0.5'} : {element}")
            source = target if own else self.rng.choice(readable)
            loaded = self.load(source, indices, may_be_other=source is not target)
            if source.element != element:
                loaded = self.define(f"arith.sitofp {loaded} : i32 to f32")
            op = self.rng.choice(OPS[element])
            result = self.define(f"{op} {result}, {loaded} : {element}") if result else loaded
        return result

    def store(self, value, buffer, indices):
        at = self.subscripts(buffer, indices if buffer.shape else [])
        self.emit(f"memref.store {value}, {buffer.name}[{at}] : {buffer.type(self.rows)}")

    def space(self, is_whole):
        """Bounds; those of other spaces than the whole one leave something out."""
        lower, upper, more = ["0"] * len(self.shape), [str(n) for n in self.shape], ""
        if not is_whole and self.rng.random() < 0.2:
            if self.rng.random() < 0.5:
                upper[0] = str(self.shape[0] // 2)
            else:
                steps = ["2"] + ["1"] * (len(self.shape) - 1)
                more = f" step ({', '.join(steps)})"
        elif self.sizes and self.rng.random() < 0.8:
            upper = self.sizes[1:]
        elif self.rng.random() < 0.2:  # the same number, said otherwise
            upper[0] = self.define(f"arith.constant {self.shape[0]} : index")
        return f"({', '.join(lower)}) to ({', '.join(upper)}){more}"

    def indices(self):
        self.count += 1
        return [f"%i{self.count}_{d}" for d in range(len(self.shape))]

    def choose_target(self):
        if self.new and self.rng.random() < 0.7:
            return self.new[0]
        return self.rng.choice(self.arrays)

    def map(self):
        target = self.choose_target()
        indices, space = self.indices(), self.space(target in self.new)
        self.emit(f"tc.par ({', '.join(indices)}) = {space} {{")
        self.store(self.value(target.element, indices, target), target, indices)
        self.emit("}")
        if target in self.new:
            self.new.remove(target)
            self.arrays.append(target)

    def fold(self):
        """A reduction or a scan, which may write an array, too."""
        is_scan = self.rng.random() < 0.4
        result = self.rng.choice(self.arrays if is_scan else self.scalars)
        join, neutral = self.rng.choice(list(JOINS[result.element].items()))
        indices, space = self.indices(), self.space(False)
        init = self.define(f"arith.constant {neutral} : {result.element}")
        flag = " commutative" if not is_scan and self.rng.random() < 0.7 else ""
        element = result.element
        self.emit(
            f"tc.{'scan' if is_scan else 'reduce'} ({', '.join(indices)}) = {space}"
            f" init({init} : {element}){flag} {{"
        )
        target = result
        if not is_scan and self.rng.random() < 0.3:
            target = self.rng.choice(self.arrays)
            self.store(self.value(target.element, indices, target), target, indices)
        value = self.value(element, indices, target)
        self.emit(f"  tc.yield {value} : {element}")
        self.emit(f"}} combine (%a: {element}, %b: {element}) {{")
        joined = self.define(f"{join} %a, %b : {element}")
        self.emit(f"  tc.yield {joined} : {element}")
        ends = self.indices() if is_scan else []
        arguments = "".join(f"{i}: index, " for i in ends)
        self.emit(f"}} finish ({arguments}%s: {element}) {{")
        self.store("%s", result, ends)
        self.emit("}")

    def view(self, buffer):
        """The row of a buffer that the iteration has, and its type."""
        source = buffer.type(self.rows)
        if not buffer.has_row:
            return buffer.name, source
        sizes = "".join(f"{n}x" for n in buffer.shape)
        strides = [1] * len(buffer.shape)
        for d in reversed(range(len(strides) - 1)):
            strides[d] = strides[d + 1] * buffer.shape[d + 1]
        if buffer.is_dynamic:
            strides[:-1] = ["?"] * (len(strides) - 1)
        strides = ", ".join(str(stride) for stride in strides)
        view = f"memref<{sizes}{buffer.element}, strided<[{strides}], offset: ?>>"
        zeros, ones = ", 0" * len(buffer.shape), ", 1" * len(buffer.shape)
        extents = "".join(f", {n}" for n in buffer.shape)
        operation = f"memref.subview {buffer.name}[%row{zeros}] [1{extents}] [1{ones}]"
        return self.define(f"{operation} : {source} to {view}"), view

    def contract(self):
        """Products of two arrays, summed into a scalar or an array: exact modulo 2^32."""
        whole = [b for b in self.arrays if b.element == "i32"]
        results = whole + [b for b in self.scalars if b.element == "i32"]
        if not results or len(whole) < 2:
            return self.fold()
        result = self.rng.choice(results)
        inputs = [b for b in whole if b is not result]
        a, b = self.rng.choice(inputs), self.rng.choice(inputs)
        names = ["i", "j"][: len(self.shape)]
        extents = [f"{i} = {n}" for i, n in zip(names, self.shape)]
        there = ", ".join(names)
        if result.shape:  # result[.., j] += a[.., q] b[.., j]
            extents.append(f"q = {self.shape[-1]}")
            maps = ", ".join(names[:-1] + ["q"]), there, there
        else:
            maps = there, there, ""
        views = [self.view(buffer) for buffer in (a, b, result)]
        operands = [f"{name}[{at}] : {of}" for (name, of), at in zip(views, maps)]
        overwrite = self.rng.choice(["", " overwrite"])
        self.emit(
            f"tc.contract ({', '.join(extents)}) ins({operands[0]}, {operands[1]})"
            f" outs({operands[2]}){overwrite}"
        )

    def nest(self):
        if self.has_loops and self.rng.random() < 0.15:
            self.contract()
        elif self.rng.random() < 0.65:
            self.map()
        else:
            self.fold()

    def write_nests(self):
        """Nests beside each other, and buffers that only they use."""
        for _ in range(self.rng.randint(0, 2)):
            self.new.append(self.make(self.shape, has_row=False))
            self.emit(f"{self.new[-1].name} = tc.new : {self.new[-1].type(0)}")
        for _ in range(self.rng.randint(2, 5)):
            is_looped = self.has_loops and self.rng.random() < 0.2
            if is_looped:
                self.emit(f"tc.seq (%t{self.count}) = (0) to ({self.rng.randint(1, 3)}) {{")
            for _ in range(self.rng.randint(1, 2) if is_looped else 1):
                self.nest()
            if is_looped:
                self.emit("}")

    def write_buffers_of_rows(self):
        """Buffers that only the rows use, in which each of them has a part."""
        for _ in range(self.rng.randint(0, 2) if self.has_loops else 0):
            buffer = self.make(self.shape)
            buffer.is_dynamic = bool(self.sizes) and self.rng.random() < 0.8
            sizes = ", ".join(self.sizes if buffer.is_dynamic else [])
            is_new = not buffer.is_dynamic and self.rng.random() < 0.5
            op = "tc.new" if is_new else f"memref.alloc({sizes})"
            self.emit(f"{buffer.name} = {op} : {buffer.type(self.rows)}")
            self.new.append(buffer)

    def write_sizes(self):
        """Extents that are dynamic as long as nothing is folded."""
        array = self.arrays[0]
        rank = 1 + len(self.shape)
        any_size = "memref<" + "?x" * rank + array.element + ">"
        name = self.define(f"memref.cast {array.name} : {array.type(self.rows)} to {any_size}")
        for d in range(rank):
            dim = self.define(f"arith.constant {d} : index")
            self.sizes.append(self.define(f"memref.dim {name}, {dim} : {any_size}"))

    def write_rows(self):
        """Nests of rows beside each other, of which each iteration of one round them has some."""
        self.emit("tc.par (%top) = (0) to (2) {")
        for _ in range(self.rng.randint(1, 3)):
            arrays = list(self.arrays)
            is_looped = self.rng.random() < 0.2
            if is_looped:
                self.emit("tc.seq (%turn) = (0) to (2) {")
            self.emit(f"tc.par (%low) = (0) to ({self.inner}) {{")
            number = f"affine_map<(t, l) -> (t * {self.inner} + l)>(%top, %low)"
            self.emit(f"%row = affine.apply {number}")
            self.write_nests()
            self.emit("}" + " }" * is_looped)
            self.arrays, self.new = arrays, []
        self.emit("}")

    def write(self):
        if self.is_deep:
            self.write_rows()
        elif self.rows:
            space = self.rng.choice(["(0)", "(0)", "(0)", "(1)"]) + f" to ({self.rows})"
            step = self.rng.choice(["", "", " step (2)"])
            if self.has_loops and self.rng.random() < 0.5:
                self.write_sizes()
            self.write_buffers_of_rows()
            self.emit(f"tc.par (%row) = {space}{step} {{")
            self.write_nests()
            self.emit("}")
        else:
            self.write_nests()
        arguments = ", ".join(f"{b.name}: {b.type(self.rows)}" for b in self.arguments)
        return "\n".join([f"func.func @{self.name}({arguments}) {{", *self.lines, "  return", "}"]) + "\n"


def write_programs(seed, count, has_rows=None):
    """The text of each function, called f0, f1, ...; a tc.par is round all nests of some of them,
    or as `has_rows` says: then some are in loops, too."""
    rng = random.Random(seed)
    return [Program(rng, f"f{i}", has_rows).write() for i in range(count)]


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    print(f"// random_neighbours.py {seed} {count}")
    print("\n".join(write_programs(seed, count)))


if __name__ == "__main__":
    main()
