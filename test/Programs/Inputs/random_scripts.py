"""Random nests with a transform script each, and what the script may do to their order.

A nest is a tc.seq or tc.par over two or three dimensions with one to three statements

    X[i + a, j + b] = 3 * Y[i + c, j + d] + Z[...] + 7 * i + j

of whole numbers, whose subscripts may be in another order. A script has up to two steps
that count the iterations anew and one at the end that is refused where iterations
depend on each other. `Script` follows the indices back to those of the nest as written,
so that the iterations an error names can be judged here, apart from the compiler.
"""

import itertools
import random
from dataclasses import dataclass, field

PAD = 3  # elements of a buffer on each side of what a nest without offsets touches
ANY = "!transform.any_op"


@dataclass
class Access:
    array: str
    order: tuple  # the dimension that each subscript is
    offsets: tuple
    writes: bool
    line: int = 0  # in the program

    def element(self, point):
        return (self.array, *(point[d] + o for d, o in zip(self.order, self.offsets)))


@dataclass
class Nest:
    kind: str
    lower: tuple
    upper: tuple
    statements: list = field(default_factory=list)  # of accesses, the last one is the store

    def points(self):
        return list(itertools.product(*(range(a, b) for a, b in zip(self.lower, self.upper))))


def draw_access(rng, rank, arrays, writes, is_own=False):
    order = list(range(rank))
    if not is_own and rng.random() < 0.25:
        rng.shuffle(order)
    offsets = [0 if is_own else rng.choice((-2, -1, 0, 0, 0, 1, 2)) for _ in range(rank)]
    return Access(rng.choice(arrays), tuple(order), tuple(offsets), writes)


def draw_nest(rng, kind, rank, lower, upper):
    """Iterations of a tc.par write to elements of their own and read what nobody writes."""
    nest = Nest(kind, lower, upper)
    is_par = kind == "tc.par"
    for number in range(rng.randint(1, 3)):
        reads = ["C"] if is_par else ["A", "B", "C"]
        writes = [["A"], ["B"], ["D"]][number] if is_par else ["A", "B"]
        loads = [draw_access(rng, rank, reads, False) for _ in range(rng.randint(1, 2))]
        nest.statements.append([*loads, draw_access(rng, rank, writes, True, is_own=is_par)])
    return nest


class Writer:
    """Lines of a program, which accesses are told of."""

    def __init__(self):
        self.lines, self.names = [], 0

    def add(self, line):
        self.lines.append(line)
        return len(self.lines)

    def fresh(self):
        self.names += 1
        return f"%v{self.names}"

    def write_access(self, access, indices, kind, value=None):
        subscripts = []
        for d, offset in zip(access.order, access.offsets):
            subscripts.append(self.fresh())
            self.add(f"{subscripts[-1]} = affine.apply affine_map<(d) -> (d + {offset + PAD})>({indices[d]})")
        place = f"%{access.array}[{', '.join(subscripts)}] : {kind}"
        if access.writes:
            mark = " {to_d}" if access.array == "D" else ""
            access.line = self.add(f"memref.store {value}, {place.replace(' :', f'{mark} :')}")
            return value
        name = self.fresh()
        access.line = self.add(f"{name} = memref.load {place}")
        return name

    def write_nest(self, nest, memref):
        rank = len(nest.lower)
        indices = [self.fresh() for _ in range(rank)]
        lower, upper = (", ".join(map(str, bound)) for bound in (nest.lower, nest.upper))
        self.add(f"{nest.kind} ({', '.join(indices)}) = ({lower}) to ({upper}) {{")
        for number, statement in enumerate(nest.statements):
            total = self.fresh()
            self.add(f"{total} = arith.constant {{statement{number}}} {number + 5} : i32")
            for access in statement[:-1]:
                value = self.write_access(access, indices, memref)
                three, product, added = self.fresh(), self.fresh(), self.fresh()
                self.add(f"{three} = arith.constant 3 : i32")
                self.add(f"{product} = arith.muli {value}, {three} : i32")
                self.add(f"{added} = arith.addi {product}, {total} : i32")
                total = added
            for index in indices:
                cast, added = self.fresh(), self.fresh()
                self.add(f"{cast} = arith.index_cast {index} : index to i32")
                self.add(f"{added} = arith.addi {cast}, {total} : i32")
                total = added
            self.write_access(statement[-1], indices, memref, total)
        self.add("}")


class Script:
    """Steps on one nest, and what the indices they leave stand for."""

    def __init__(self, nest):
        self.nest, self.lines, self.names = nest, [], 0
        self.handle = "%nest"
        # What each point as written became, in the order of the loops now.
        self.points = {point: point for point in nest.points()}
        self.time = None  # of a point as it is now, for the step that may be refused

    def fresh(self):
        self.names += 1
        return f"%h{self.names}"

    def step(self, name, text, results=1):
        made = [self.fresh() for _ in range(results)]
        types = ANY if results == 1 else f"({', '.join([ANY] * results)})"
        self.lines.append(f"{', '.join(made)} = transform.tc.{name} {self.handle} {text} : ({ANY}) -> {types}")
        self.handle = made[0]
        return made

    def move(self, function):
        self.points = {point: function(now) for point, now in self.points.items()}

    def bounds(self, d):
        values = [now[d] for now in self.points.values()]
        return min(values), max(values) + 1

    def add_shift(self, rng, rank):
        d, distance = rng.randrange(rank), rng.randint(-5, 5)
        self.step("shift", f"dim = {d} distance = {distance}")
        self.move(lambda now: (*now[:d], now[d] + distance, *now[d + 1 :]))

    def add_reverse(self, rng, rank):
        d = rng.randrange(rank)
        lower, upper = self.bounds(d)
        self.step("reverse", f"dim = {d}")
        self.time = lambda now: (*now[:d], -now[d], *now[d + 1 :])
        self.move(lambda now: (*now[:d], lower + upper - 1 - now[d], *now[d + 1 :]))

    def add_interchange(self, rng, rank):
        order = rng.sample(range(rank), rank)
        self.step("interchange", f"order = [{', '.join(map(str, order))}]", 2)
        self.time = lambda now: tuple(now[d] for d in order)
        self.move(lambda now: tuple(now[d] for d in order))

    def add_tile(self, rng, rank):
        sizes = [rng.choice((0, 1, 2, 3, 4)) for _ in range(rank)]
        sizes[rng.randrange(rank)] = rng.choice((1, 2, 3))
        lowers = [self.bounds(d)[0] for d in range(rank)]
        self.step("tile", f"sizes [{', '.join(map(str, sizes))}]", 2)
        self.time = lambda now: (
            *((i - a) // s for i, a, s in zip(now, lowers, sizes) if s > 0),
            *now,
        )

    def add_parallelize(self, rng, rank):
        self.step("parallelize", "")
        self.time = lambda now: ()


STEPS = (Script.add_shift, Script.add_reverse, Script.add_interchange)
LAST = (Script.add_reverse, Script.add_interchange, Script.add_tile, Script.add_parallelize)


@dataclass
class Case:
    """A program, a script, and the nests that it is of."""

    text: str
    script: str
    nests: list
    steps: list  # of each step: the points before it, and the times it gives them
    kind: str = "steps"
    place: object = None  # of "store_in": where elements of T lie
    cut: int = 0  # the statement that "distribute" cuts before
    factor: int = 0  # of the skew of a "wavefront"

    def write_script(self):
        return (
            "module attributes {transform.with_named_sequence} {\n"
            f"transform.named_sequence @__transform_main(%m: {ANY} {{transform.readonly}}) {{\n"
            f"{self.script}\ntransform.yield\n}}\n}}\n"
        )


def write_program(name, nests, own=""):
    """A function of the nests; `own` buffers are its own, and begin with 5."""
    rank = len(nests[0].lower)
    size = max(max(nest.upper) for nest in nests) + 2 * PAD
    memref = f"memref<{'x'.join([str(size)] * rank)}xi32>"
    writer = Writer()
    arguments = ", ".join(f"%{array}: {memref}" for array in "ABCD")
    writer.add(f"func.func @{name}({arguments}) {{")
    # A buffer of the host's is in memory that loops of the host do not reach.
    is_wrapped = own and nests[0].kind == "tc.seq"
    if is_wrapped:
        writer.add("tc.par (%one) = (0) to (1) {")
    for array in own:
        writer.add(f"%{array} = tc.new init(5 : i32) : {memref}")
    for nest in nests:
        writer.write_nest(nest, memref)
    if is_wrapped:
        writer.add("}")
    writer.add("return")
    writer.add("}")
    return "\n".join(writer.lines) + "\n"


def draw_loops(rng, name, rank, lower, upper):
    """A nest of loops, which a script makes a loop of nests, tiled or not."""
    writer = Writer()
    indices = [writer.fresh() for _ in range(rank)]
    size = max(upper) + 2 * PAD
    memref = f"memref<{'x'.join([str(size)] * rank)}xi32>"
    arguments = ", ".join(f"%{array}: {memref}" for array in "AC")
    bounds = [", ".join(map(str, bound)) for bound in (lower, upper)]
    trips = rng.randint(0, 5)
    writer.add(f"func.func @{name}({arguments}) {{")
    writer.add(f"tc.par ({', '.join(indices)}) = ({bounds[0]}) to ({bounds[1]}) {{")
    writer.add(f"tc.seq (%k) = (0) to ({trips}) {{")
    old = writer.write_access(draw_access(rng, rank, ["A"], False, is_own=True), indices, memref)
    term = writer.write_access(draw_access(rng, rank, ["C"], False), indices, memref)
    step, three, scaled, added, total = (writer.fresh() for _ in range(5))
    writer.add(f"{step} = arith.index_cast %k : index to i32")
    writer.add(f"{three} = arith.constant 3 : i32")
    writer.add(f"{scaled} = arith.muli {old}, {three} : i32")
    writer.add(f"{added} = arith.addi {scaled}, {term} : i32")
    writer.add(f"{total} = arith.addi {added}, {step} : i32")
    writer.write_access(draw_access(rng, rank, ["A"], True, is_own=True), indices, memref, total)
    for line in ("}", "}", "return", "}"):
        writer.add(line)
    lines, handle = [match("tc.par")], "%nest"
    if rng.random() < 0.5:
        sizes = ", ".join(str(rng.choice((2, 3, 4))) for _ in range(rank))
        lines.append(f"%o, %i = transform.tc.tile {handle} sizes [{sizes}] : ({ANY}) -> ({ANY}, {ANY})")
        handle = "%i"
    order = ", ".join(map(str, [rank, *range(rank)]))
    lines.append(f"%l, %n = transform.tc.interchange {handle} order = [{order}] : ({ANY}) -> ({ANY}, {ANY})")
    if rng.random() < 0.5:
        lines.append(f"%s = transform.tc.serialize %n : ({ANY}) -> {ANY}")
        lines.append(f"%r = transform.tc.reverse %s dim = {rng.randrange(rank)} : ({ANY}) -> {ANY}")
    return Case("\n".join(writer.lines) + "\n", "\n".join(lines), [], [], "loops")


def draw_vectors(rng, name, kind, rank, lower, upper):
    """Vectors along the last dimension, as elements lie."""
    nest = draw_nest(rng, kind, rank, lower, upper)
    for statement in nest.statements:
        for access in statement:
            access.order = tuple(range(rank))
    width = rng.choice((2, 3, 4))
    script = Script(nest)
    before = dict(script.points)
    script.step("vectorize", f"dim = {rank - 1} width = {width}", 2)
    extent = upper[-1] - lower[-1]
    whole = extent // width * width

    def time(now):
        place = now[-1] - lower[-1]
        rest = place >= whole > 0
        return (rest, *now[:-1], place // width)

    text = write_program(name, [nest])
    return Case(text, "\n".join([match(kind), *script.lines]), [nest], [(before, time)])


def draw_recomputed(rng, name, rank, lower, upper):
    """A nest that makes T, and one that reads it, of tiles or not."""
    wide = (tuple(a - 2 for a in lower), tuple(b + 2 for b in upper))
    # Subscripts of what T is made of reach as far again.
    shift = tuple(max(0, -a) for a in wide[0])
    wide = tuple(tuple(x + s for x, s in zip(bound, shift)) for bound in wide)
    lower, upper = (tuple(x + s for x, s in zip(bound, shift)) for bound in (lower, upper))
    producer = Nest("tc.par", *wide)
    made = Access("T", tuple(range(rank)), (0,) * rank, True)
    producer.statements.append([draw_access(rng, rank, ["C"], False), made])
    consumer = Nest("tc.par", lower, upper)
    target = "C" if rng.random() < 0.15 else "D"
    reads = [draw_access(rng, rank, ["T"], False) for _ in range(rng.randint(1, 3))]
    for read in reads:
        read.order = made.order
    written = Access(target, made.order, made.offsets, True)
    consumer.statements.append([*reads, written])
    lines = [
        match("tc.par"),
        f"%p, %c = transform.split_handle %nest : ({ANY}) -> ({ANY}, {ANY})",
    ]
    handle = "%c"
    if rng.random() < 0.8:
        sizes = ", ".join(str(rng.choice((1, 2, 3))) for _ in range(rank))
        lines.append(f"%o, %i = transform.tc.tile %c sizes [{sizes}] : ({ANY}) -> ({ANY}, {ANY})")
        handle = "%o"
    lines.append(f"%b = transform.tc.compute_at %p in {handle} : ({ANY}, {ANY}) -> {ANY}")
    text = write_program(name, [producer, consumer], "T")
    return Case(text, "\n".join(lines), [producer, consumer], [], "compute_at")


def draw_stored(rng, name, kind, rank, lower, upper):
    """T, which one statement makes and another one reads, in other places."""
    is_par = kind == "tc.par"
    what = rng.choice(("fold", "fold", "permute", "in"))
    # In D, what the program does not write there would be lost.
    is_own = is_par or (what == "in" and rng.random() < 0.7)
    made = draw_access(rng, rank, ["T"], True, is_own)
    first = [draw_access(rng, rank, ["C"], False), made]
    reads = [draw_access(rng, rank, ["T"], False) for _ in range(rng.randint(1, 2))]
    second = [*reads, draw_access(rng, rank, ["D"], True, is_own)]
    if is_par or rng.random() < 0.5:
        nests = [Nest(kind, lower, upper, [first]), Nest(kind, lower, upper, [second])]
    else:
        nests = [Nest(kind, lower, upper, [first, second])]
    lines = [match("tc.new", "%t")]
    dims = [f"d{d}" for d in range(rank)]
    results, period = list(dims), rng.choice((1, 2, 3, 4))
    folded = rng.randrange(rank)
    order = rng.sample(range(rank), rank) if what == "permute" else range(rank)
    if what == "fold":
        results[folded] += f" mod {period}"
    layout = f"affine_map<({', '.join(dims)}) -> ({', '.join(results[d] for d in order)})>"

    def place(element):
        places = [p % period if what == "fold" and d == folded else p for d, p in enumerate(element)]
        return tuple(places[d] for d in order)

    if what == "in":
        lines += [
            f"%s = transform.structured.match attributes{{to_d}} in %m : ({ANY}) -> {ANY}",
            f"%d = transform.get_operand %s[1] : ({ANY}) -> !transform.any_value",
            f"transform.tc.store_in %t in %d : {ANY}, !transform.any_value",
        ]
    else:
        lines.append(f"transform.tc.store_in %t layout = {layout} : {ANY}")
    if what == "in":
        cover(nests)
    text = write_program(name, nests, "T")
    if what == "in":
        # What lies in another buffer has no value of its own before.
        text = text.replace("tc.new init(5 : i32)", "tc.new")
    return Case(text, "\n".join(lines), nests, [], "store_in", place=place)


def cover(nests):
    """Lets reads of T be of elements that are written before: those of the iteration."""
    accesses = [access for nest in nests for statement in nest.statements for access in statement]
    made = next(access for access in accesses if access.array == "T" and access.writes)
    for access in accesses:
        if access.array == "T" and not access.writes:
            access.order, access.offsets = made.order, made.offsets


def match(kind, handle="%nest"):
    return f'{handle} = transform.structured.match ops{{["{kind}"]}} in %m : ({ANY}) -> {ANY}'


def draw_case(seed, number):
    rng = random.Random(f"{seed} {number}")
    rank = rng.choice((2, 2, 3))
    kind = rng.choice(("tc.seq", "tc.seq", "tc.seq", "tc.par"))
    lower = tuple(rng.choice((0, 0, 1, 2)) for _ in range(rank))
    upper = tuple(a + rng.choice((1, 2, 3, 5, 6)) for a in lower)
    first = draw_nest(rng, kind, rank, lower, upper)
    name = f"f{number}"
    what = rng.choice(
        (*["steps"] * 4, "fuse", "distribute", "wavefront", "loops")
        + ("vectorize", "compute_at", "store_in")
    )
    if what == "vectorize":
        return draw_vectors(rng, name, kind, rank, lower, upper)
    if what == "compute_at":
        return draw_recomputed(rng, name, rank, lower, upper)
    if what == "store_in":
        return draw_stored(rng, name, kind, rank, lower, upper)
    if what == "loops":
        return draw_loops(rng, name, rank, lower, upper)
    if what == "fuse":
        nests = [first, draw_nest(rng, kind, rank, lower, upper)]
        lines = [
            match(kind),
            f"%a, %b = transform.split_handle %nest : ({ANY}) -> ({ANY}, {ANY})",
            f"%c = transform.tc.fuse %a, %b : ({ANY}, {ANY}) -> {ANY}",
        ]
        return Case(write_program(name, nests), "\n".join(lines), nests, [], what)
    text = write_program(name, [first])
    if what == "distribute" and len(first.statements) > 1:
        cut = rng.randrange(1, len(first.statements))
        lines = [
            f"%c = transform.structured.match attributes{{statement{cut}}} in %m : ({ANY}) -> {ANY}",
            f"%a, %b = transform.tc.distribute before %c : ({ANY}) -> ({ANY}, {ANY})",
        ]
        case = Case(text, "\n".join(lines), [first], [], what)
        case.cut = cut
        return case
    script = Script(first)
    if what == "wavefront" and kind == "tc.seq":
        factor = rng.choice((1, 1, 2))
        script.lines += [
            f"%o, %i = transform.tc.skew %nest dim = 1 by = 0 factor = {factor} : ({ANY}) -> ({ANY}, {ANY})",
            f"%d, %w = transform.tc.interchange %o order = [1, 0] : ({ANY}) -> ({ANY}, {ANY})",
            f"%p = transform.tc.parallelize %w : ({ANY}) -> {ANY}",
        ]
        if rank == 3:
            script.lines[1] = script.lines[1].replace("[1, 0]", "[1, 0, 2]")
        case = Case(text, "\n".join([match(kind), *script.lines]), [first], [], "wavefront")
        case.factor = factor
        return case
    steps, is_par = [], kind == "tc.par"
    if is_par and rng.random() < 0.5:
        # Iterations that are independent may run in any order, then, too.
        script.step("serialize", "")
        is_par = False
    drawn = [rng.choice(STEPS) for _ in range(rng.randrange(3))]
    for step in [*drawn, rng.choice([s for s in LAST if not is_par or s is not Script.add_parallelize])]:
        before = dict(script.points)
        script.time = None
        step(script, rng, rank)
        steps.append((before, script.time))
    return Case(text, "\n".join([match(kind), *script.lines]), [first], steps)
