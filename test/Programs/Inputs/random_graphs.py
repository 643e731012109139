"""Random programs of kernels, copies and allocations, with what each of them touches.

A program is a list of steps: a kernel or a copy, a loop of the host, or a condition in a
loop. Iterations of a loop depend on each other, or are a tc.par host. Every buffer is written
whole before anything reads of it.
"""

import random
import re

LENGTH = 48  # elements of a buffer
TRIPS = 2  # iterations of a loop
ROWS = 6  # iterations of a tc.par host, each with
ROW = 8  # elements of each buffer
IN_FLIGHT = 4  # of which each has buffers of its own


def is_private(buffer):
    """Does each iteration of a tc.par host have one?"""
    return buffer.startswith("%v")


class Work:
    """A kernel, or a copy. `reads` and `writes` have a set of (buffer, element) for each
    iteration of the loop that the work is in; one set outside of loops."""

    def __init__(self, text, reads, writes):
        self.text, self.reads, self.writes = text, reads, writes

    def conflicts(self, other):
        pairs = zip(self.reads, self.writes, other.reads, other.writes)
        return any(w & (r2 | w2) or w2 & r for r, w, r2, w2 in pairs)


class Group:
    """A loop ("for", or "par" of independent iterations), or a condition in one ("if"), and
    the steps inside."""

    def __init__(self, kind, steps):
        self.kind, self.steps = kind, steps


class Part:
    """The elements start + offset * k + stride * i of a buffer, for i below count, in
    iteration k."""

    def __init__(self, buffer, start, offset, stride, count):
        self.buffer, self.start, self.offset = buffer, start, offset
        self.stride, self.count = stride, count

    def elements(self, k):
        first = self.start + self.offset * k
        buffer = f"{self.buffer}.{k % IN_FLIGHT}" if is_private(self.buffer) else self.buffer
        return {(buffer, first + self.stride * i) for i in range(self.count)}


class Writer:
    def __init__(self, source):
        self.random = source
        self.buffers = []  # that have been written
        self.lines = []
        self.trips = 1  # of the loop round what is written
        self.owned = None  # in a tc.par host: buffers that iterations write rows of
        self.private = []  # buffers that each iteration has its own of
        self.names = 0

    def new(self):
        self.names += 1
        return f"%v{self.names}"

    def part(self, count):
        """A part of that many elements which lies in a buffer in every iteration."""
        if self.owned is not None:
            return self.part_of_row(self.random.choice(self.buffers + self.private))
        buffer = self.random.choice(self.buffers)
        offset = self.random.choice((0, 1, count)) if self.trips > 1 else 0
        stride = self.random.choice((1, 1, 2, 3))
        last = offset * (self.trips - 1) + stride * (count - 1)
        if last >= LENGTH:
            offset, stride, last = 0, 1, count - 1
        start = self.random.randrange(LENGTH - last)
        if self.random.random() < 0.5:
            start = 0
        return Part(buffer, start, offset, stride, count)

    def part_of_row(self, buffer):
        """What an iteration of a tc.par host may touch of a buffer, for a kernel of a row."""
        if buffer in self.owned:
            return Part(buffer, 0, ROW, 1, ROW)
        stride = self.random.choice((1, 2, 3))
        start = self.random.randrange(LENGTH - ROW - stride * (ROW - 1))
        offset = 0 if buffer in self.private else self.random.choice((0, 1))
        return Part(buffer, start, offset, stride, ROW)

    def sets(self, parts):
        return [set().union(*(p.elements(k) for p in parts)) for k in range(self.trips)]

    def place(self, part, indent, lines):
        """The value of the element's subscript at %i."""
        name = self.new()
        terms = f"{part.stride} * d0 + {part.start}"
        dims, operands = "d0", "%i"
        if part.offset:
            dims, operands = "d0, d1", "%i, %k"
            terms += f" + {part.offset} * d1"
        lines.append(f"{indent}{name} = affine.apply affine_map<({dims}) -> ({terms})>({operands})")
        return name

    def kernel(self, indent, target=None, parts=None):
        """target[...] = sum of the parts, or a constant, on one thread for each element."""
        if parts is None:
            count = ROW if self.owned is not None else self.random.choice((8, 12, 16))
            parts = [self.part(count) for _ in range(self.random.randint(0, 2))]
            if self.owned is None:
                target = self.part(count)
            else:
                target = self.part_of_row(self.random.choice(self.owned + self.private))
            # Iterations that meet would be a race of threads.
            parts = [p for p in parts if p.buffer != target.buffer]
        count = target.count
        lines = [f"{indent}tc.par device (%i) = (0) to ({count}) {{"]
        inner = indent + "  "
        total = "%half"
        for part in parts:
            at, value, added = self.place(part, inner, lines), self.new(), self.new()
            lines.append(f"{inner}{value} = memref.load {part.buffer}[{at}] : memref<{LENGTH}xf32>")
            lines.append(f"{inner}{added} = arith.addf {total}, {value} : f32")
            total = added
        scaled = self.new()
        lines.append(f"{inner}{scaled} = arith.mulf {total}, %half : f32")
        at = self.place(target, inner, lines)
        lines.append(f"{inner}memref.store {scaled}, {target.buffer}[{at}] : memref<{LENGTH}xf32>")
        lines.append(f"{indent}}}")
        self.lines += lines
        return Work("\n".join(lines), self.sets(parts), self.sets([target]))

    def copy(self, indent, buffers=None):
        """One whole buffer to another."""
        source, target = buffers or self.random.sample(self.buffers, 2)
        line = f"{indent}memref.copy {source}, {target}"
        self.lines.append(f"{line} : memref<{LENGTH}xf32> to memref<{LENGTH}xf32>")
        whole = lambda buffer: self.sets([Part(buffer, 0, 0, 1, LENGTH)])
        return Work(line, whole(source), whole(target))

    def begin(self, buffer, indent):
        """Writes a buffer whole, which may be used from then on."""
        parts = [self.part(LENGTH)] if self.buffers and self.random.random() < 0.5 else []
        work = self.kernel(indent, Part(buffer, 0, 0, 1, LENGTH), parts)
        self.buffers.append(buffer)
        return work

    def allocate(self, indent):
        buffer = f"%b{len(self.buffers)}"
        self.lines.append(f"{indent}{buffer} = memref.alloc() : memref<{LENGTH}xf32>")
        return self.begin(buffer, indent)

    def step(self, indent):
        if self.random.random() < 0.25 and len(self.buffers) > 1:
            return self.copy(indent)
        return self.kernel(indent)

    def condition(self, indent):
        name = self.new()
        self.lines.append(f"{indent}{name} = arith.cmpi eq, %k, %c0 : index")
        self.lines.append(f"{indent}scf.if {name} {{")
        make = self.step if self.owned is None else self.kernel
        steps = [make(indent + "  ") for _ in range(self.random.randint(1, 2))]
        self.lines.append(f"{indent}}}")
        return Group("if", steps)

    def loop(self, indent):
        self.lines.append(f"{indent}scf.for %k = %c0 to %c{TRIPS} step %c1 {{")
        self.trips = TRIPS
        steps = self.body(indent + "  ", self.random.randint(1, 4), self.step)
        self.trips = 1
        self.lines.append(f"{indent}}}")
        return Group("for", steps)

    def body(self, indent, count, step):
        makes = (self.condition if self.random.random() < 0.3 else step for _ in range(count))
        return [make(indent) for make in makes]

    def parallel(self, indent):
        """A tc.par host: an iteration writes its rows of some buffers, and buffers of its
        own, and reads of others."""
        self.lines.append(f"{indent}tc.par host (%k) = (0) to ({ROWS}) {{")
        self.trips = ROWS
        self.owned = self.random.sample(self.buffers, self.random.randint(1, 2))
        steps = []
        for _ in range(self.random.choice((0, 0, 1, 2))):
            buffer = self.new()
            self.lines.append(f"{indent}  {buffer} = memref.alloc() : memref<{LENGTH}xf32>")
            self.private.append(buffer)
            steps.append(self.kernel(indent + "  ", Part(buffer, 0, 0, 1, LENGTH), []))
        steps += self.body(indent + "  ", self.random.randint(1, 3), self.kernel)
        for buffer in self.private:
            target = self.part_of_row(self.random.choice(self.owned))
            steps.append(self.kernel(indent + "  ", target, [self.part_of_row(buffer)]))
        self.trips, self.owned, self.private = 1, None, []
        self.lines.append(f"{indent}}}")
        return Group("par", steps)

    def program(self, name):
        arguments = [f"%a{i}" for i in range(self.random.randint(2, 4))]
        types = ", ".join(f"{a}: memref<{LENGTH}xf32>" for a in arguments)
        self.lines = [f"func.func @{name}({types}) {{"]
        for constant, value in (("c0", 0), ("c1", 1), (f"c{TRIPS}", TRIPS)):
            self.lines.append(f"  %{constant} = arith.constant {value} : index")
        self.lines.append("  %half = arith.constant 0.5 : f32")
        steps = [self.begin(argument, "  ") for argument in arguments]
        for _ in range(self.random.randint(4, 12)):
            chance = self.random.random()
            limits = ((0.15, self.allocate), (0.3, self.loop), (0.45, self.parallel))
            make = next((make for limit, make in limits if chance < limit), self.step)
            steps.append(make("  "))
        # What nobody reads would be gone, with all that writes it.
        for buffer in self.buffers[len(arguments) :]:
            steps.append(self.copy("  ", (buffer, self.random.choice(arguments))))
        self.lines += ["  return", "}"]
        return "\n".join(self.lines) + "\n", steps


def find_allocations(text):
    """The buffers that a program allocates, in order."""
    names = []
    for name in re.findall(r"(%\S+) = memref.alloc", text):
        copies = [f"{name}.{number}" for number in range(IN_FLIGHT)]
        names += copies if is_private(name) else [name]
    return names


def write_programs(seed, count):
    """The text and the steps of each program."""
    programs = []
    for number in range(count):
        writer = Writer(random.Random(f"{seed}:{number}"))
        programs.append(writer.program(f"graph{number}"))
    return programs
