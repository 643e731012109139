"""Is the mapping that tc-map chooses nearly the best? For each nest below, the chosen
mapping against each of a list of written ones: all orders of its dimensions, folded, and
cut into blocks of threads of many shapes. None of these may take fewer sectors, counted
on the emulator, in no more simulated time (level A), nor much less of that time for no
more sectors.

usage: map_nests.py TC_RUN few|all
"""

import dataclasses
import itertools
import json
import math
import subprocess
import sys
import tempfile

# What the chosen mapping may take over another one: sectors, and simulated time, which
# tc-map predicts from fewer blocks than are counted.
TOLERANCE, TIME_TOLERANCE = 1.05, 1.2
THREADS = 256
KERNELS = 64  # in a program, so that none takes long


@dataclasses.dataclass
class Nest:
    """A tc.par over `(lower) to (upper) step width`; of a block if it has `grid`."""

    name: str
    arguments: dict
    upper: tuple
    body: str
    lower: tuple = ()
    step: tuple = ()
    width: tuple = ()
    grid: str = ""  # what stands before the nest, in a grid of 8 blocks
    few: bool = False

    def __post_init__(self):
        rank = len(self.upper)
        self.lower = self.lower or (0,) * rank
        self.step = self.step or (1,) * rank
        self.width = self.width or (1,) * rank

    def extents(self):
        """Indices along each dimension."""
        result = []
        for low, high, step, width in zip(self.lower, self.upper, self.step, self.width):
            whole, rest = divmod(high - low, step)
            result.append(whole * width + min(rest, width))
        return result

    def text(self, mapping):
        """The nest with a mapping, or with none."""
        names = ", ".join(f"%d{d}" for d in range(len(self.upper)))
        lists = [", ".join(map(str, x)) for x in (self.lower, self.upper, self.step, self.width)]
        space = "({}) to ({}) step ({}) width ({})".format(*lists)
        mapping = f"map #tc.map<{mapping}>" if mapping is not None else ""
        level = "block" if self.grid else "device"
        nest = f"tc.par {level} ({names}) = {space} {mapping} {{\n{self.body}\n}}"
        if self.grid:
            nest = f"tc.par grid (%b) = (0) to (8) {{\n{self.grid}\n{nest}\n}}"
        return nest


def f32(*shape):
    return memref("f32", *shape)


def memref(element, *shape):
    return "memref<" + "x".join([*map(str, shape), element]) + ">"


def move(source, target, types, value="%v"):
    """Loads `A[source]` and stores it to `B[target]`."""
    return (
        f"%v = memref.load %A[{source}] : {types['A']}\n"
        f"memref.store {value}, %B[{target}] : {types['B']}"
    )


def nest_of_move(name, shape_a, shape_b, upper, source, target, element="f32", **options):
    types = {"A": memref(element, *shape_a), "B": memref(element, *shape_b)}
    return Nest(name, types, upper, move(source, target, types), **options)


def sum_nest(name, shape, upper, trips, subscripts, targets):
    types = {"A": f32(*shape), "B": f32(*upper)}
    body = f"""
    %zero = arith.constant 0.0 : f32
    %s = tc.seq (%k) = (0) to ({trips}) init(%c = %zero : f32) {{
      %a = memref.load %A[{subscripts}] : {types["A"]}
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }}
    memref.store %s, %B[{targets}] : {types["B"]}"""
    return Nest(name, types, upper, body)


def affine(name, expression, *operands):
    dims = ", ".join(f"d{i}" for i in range(len(operands)))
    return f"%{name} = affine.apply affine_map<({dims}) -> ({expression})>({', '.join(operands)})\n"


def stencil(name, shape, order, points):
    """Sums neighbours; `order` are the dimensions of the nest, outermost first."""
    types = {"A": f32(*shape), "B": f32(*shape)}
    where = [f"%d{order.index(d)}" for d in range(len(shape))]
    lines, total = [], None
    for number, point in enumerate(points):
        subscripts = []
        for d, distance in enumerate(point):
            lines.append(affine(f"p{number}_{d}", f"d0 + {distance}", where[d]))
            subscripts.append(f"%p{number}_{d}")
        lines.append(f"%a{number} = memref.load %A[{', '.join(subscripts)}] : {types['A']}\n")
        if total is not None:
            lines.append(f"%s{number} = arith.addf {total}, %a{number} : f32\n")
        total = f"%s{number}" if total is not None else "%a0"
    lines.append(f"memref.store {total}, %B[{', '.join(where)}] : {types['B']}")
    upper = tuple(shape[d] - 1 for d in order)
    return Nest(name, types, upper, "".join(lines), lower=(1,) * len(shape))


def star(rank):
    """The point and its neighbours."""
    yield (0,) * rank
    for d in range(rank):
        for distance in (-1, 1):
            yield tuple(distance if e == d else 0 for e in range(rank))


def three_arrays():
    types = {"A": f32(128, 128), "B": f32(128, 128), "C": f32(128, 128)}
    body = f"""
    %a = memref.load %A[%d0, %d1] : {types["A"]}
    %b = memref.load %B[%d1, %d0] : {types["B"]}
    %s = arith.addf %a, %b : f32
    memref.store %s, %C[%d1, %d0] : {types["C"]}"""
    return Nest("several arrays", types, (128, 128), body)


def broadcast(name, subscript):
    types = {"A": f32(96, 160), "V": f32(160), "B": f32(96, 160)}
    body = f"""
    %a = memref.load %A[%d1, %d0] : {types["A"]}
    %v = memref.load %V[{subscript}] : {types["V"]}
    %s = arith.addf %a, %v : f32
    memref.store %s, %B[%d1, %d0] : {types["B"]}"""
    return Nest(name, types, (160, 96), body)


def outer_product():
    types = {"A": f32(100), "B": f32(120), "C": f32(100, 120)}
    body = f"""
    %a = memref.load %A[%d1] : {types["A"]}
    %b = memref.load %B[%d0] : {types["B"]}
    %p = arith.mulf %a, %b : f32
    memref.store %p, %C[%d1, %d0] : {types["C"]}"""
    return Nest("outer product", types, (120, 100), body)


def complex_parts():
    types = {"A": f32(64, 256), "B": f32(64, 128), "C": f32(64, 128)}
    body = (
        affine("e", "d0 * 2", "%d0")
        + affine("o", "d0 * 2 + 1", "%d0")
        + f"""
    %re = memref.load %A[%d1, %e] : {types["A"]}
    %im = memref.load %A[%d1, %o] : {types["A"]}
    memref.store %re, %B[%d1, %d0] : {types["B"]}
    memref.store %im, %C[%d1, %d0] : {types["C"]}"""
    )
    return Nest("parts of interleaved complex numbers", types, (128, 64), body)


def upsample():
    types = {"A": f32(60, 70), "B": f32(120, 140)}
    body = affine("h", "d0 floordiv 2", "%d1") + affine("w", "d0 floordiv 2", "%d0")
    return Nest("upsampling", types, (140, 120), body + move("%h, %w", "%d1, %d0", types))


def flat():
    types = {"A": f32(12000), "B": f32(12000)}
    body = affine("p", "d1 * 100 + d0", "%d0", "%d1")
    return Nest("index by hand", types, (100, 120), body + move("%p", "%p", types))


def skewed():
    types = {"A": f32(200, 96), "B": f32(100, 96)}
    body = affine("r", "d0 + d1", "%d0", "%d1")
    return Nest("skewed rows", types, (96, 100), body + move("%r, %d0", "%d1, %d0", types))


def matmul():
    types = {"A": f32(48, 40), "B": f32(40, 80), "C": f32(48, 80)}
    body = f"""
    %zero = arith.constant 0.0 : f32
    %s = tc.seq (%k) = (0) to (40) init(%c = %zero : f32) {{
      %a = memref.load %A[%d1, %k] : {types["A"]}
      %b = memref.load %B[%k, %d0] : {types["B"]}
      %p = arith.mulf %a, %b : f32
      %n = arith.addf %p, %c : f32
      tc.yield %n : f32
    }}
    memref.store %s, %C[%d1, %d0] : {types["C"]}"""
    return Nest("matmul", types, (80, 48), body)


def triangle():
    types = {"A": f32(96, 64, 64), "B": f32(96, 64)}
    body = f"""
    %zero = arith.constant 0.0 : f32
    %s = tc.seq (%k) = (0) to (%d1) init(%c = %zero : f32) {{
      %a = memref.load %A[%d0, %d1, %k] : {types["A"]}
      %n = arith.addf %a, %c : f32
      tc.yield %n : f32
    }}
    memref.store %s, %B[%d0, %d1] : {types["B"]}"""
    return Nest("rows of triangles", types, (96, 64), body)


def block_copy(name, upper, source, target, shape_a, shape_b):
    return nest_of_move(name, shape_a, shape_b, upper, source, target, grid="  // eight blocks")


NESTS = [
    nest_of_move("copy", (96, 160), (96, 160), (96, 160), "%d0, %d1", "%d0, %d1"),
    nest_of_move(
        "copy, inner first", (96, 160), (96, 160), (160, 96), "%d1, %d0", "%d1, %d0", few=True
    ),
    nest_of_move("copy of odd rows", (100, 75), (100, 75), (75, 100), "%d1, %d0", "%d1, %d0"),
    nest_of_move("transpose", (128, 160), (160, 128), (128, 160), "%d0, %d1", "%d1, %d0", few=True),
    nest_of_move(
        "transpose of f64", (128, 96), (96, 128), (128, 96), "%d0, %d1", "%d1, %d0", "f64"
    ),
    nest_of_move(
        "transpose of i8", (192, 160), (160, 192), (192, 160), "%d0, %d1", "%d1, %d0", "i8"
    ),
    nest_of_move("transpose of odd rows", (99, 77), (77, 99), (99, 77), "%d0, %d1", "%d1, %d0"),
    sum_nest("sums of rows", (512, 40), (512,), 40, "%d0, %k", "%d0"),
    sum_nest("sums of columns", (20, 60, 16), (60, 16), 20, "%k, %d0, %d1", "%d0, %d1"),
    sum_nest("sums of the middle", (40, 24, 36), (40, 36), 24, "%d0, %k, %d1", "%d0, %d1"),
    broadcast("broadcast along rows", "%d0"),
    broadcast("broadcast along columns", "%d1"),
    outer_product(),
    nest_of_move(
        "kij", (24, 32, 28), (28, 24, 32), (24, 32, 28), "%d0, %d1, %d2", "%d2, %d0, %d1", few=True
    ),
    nest_of_move(
        "jik, short rows", (60, 50, 3), (50, 60, 3), (3, 60, 50), "%d1, %d2, %d0", "%d2, %d1, %d0"
    ),
    nest_of_move(
        "kji", (32, 12, 36), (36, 12, 32), (32, 12, 36), "%d0, %d1, %d2", "%d2, %d1, %d0"
    ),
    nest_of_move(
        "channels last",
        (2, 12, 16, 24),
        (2, 16, 24, 12),
        (2, 12, 16, 24),
        "%d0, %d1, %d2, %d3",
        "%d0, %d2, %d3, %d1",
    ),
    nest_of_move(
        "lkji",
        (8, 10, 12, 9),
        (9, 12, 10, 8),
        (8, 10, 12, 9),
        "%d0, %d1, %d2, %d3",
        "%d3, %d2, %d1, %d0",
    ),
    nest_of_move(
        "five dimensions",
        (4, 6, 5, 8, 7),
        (8, 4, 6, 7, 5),
        (4, 6, 5, 8, 7),
        "%d0, %d1, %d2, %d3, %d4",
        "%d3, %d0, %d1, %d4, %d2",
    ),
    complex_parts(),
    stencil("stencil of rows", (80, 120), (1, 0), list(star(2))),
    stencil("stencil of planes", (20, 24, 40), (2, 0, 1), list(star(3))),
    nest_of_move(
        "every other column",
        (96, 256),
        (96, 256),
        (256, 96),
        "%d1, %d0",
        "%d1, %d0",
        step=(2, 1),
    ),
    nest_of_move(
        "two of four rows",
        (128, 120),
        (128, 120),
        (118, 127),
        "%d1, %d0",
        "%d1, %d0",
        lower=(3, 2),
        step=(1, 4),
        width=(1, 2),
    ),
    three_arrays(),
    nest_of_move("many short rows", (4000, 3), (4000, 3), (4000, 3), "%d0, %d1", "%d0, %d1"),
    nest_of_move("few long rows", (3, 4000), (3, 4000), (4000, 3), "%d1, %d0", "%d1, %d0"),
    upsample(),
    flat(),
    skewed(),
    matmul(),
    triangle(),
    block_copy(
        "block: copy, inner first",
        (32, 24),
        "%b, %d1, %d0",
        "%b, %d1, %d0",
        (8, 24, 32),
        (8, 24, 32),
    ),
    block_copy(
        "block: transpose", (32, 48), "%b, %d0, %d1", "%b, %d1, %d0", (8, 32, 48), (8, 48, 32)
    ),
    block_copy(
        "block: kji in turns",
        (16, 12, 20),
        "%b, %d0, %d1, %d2",
        "%b, %d2, %d1, %d0",
        (8, 16, 12, 20),
        (8, 20, 12, 16),
    ),
]


def prefix(nest):
    """Combinators that make the space zero based and dense."""
    steps = []
    if any(nest.lower):
        steps.append("shift_lb")
    if nest.step != nest.width:
        flags = ", ".join(str(int(s != w)) for s, w in zip(nest.step, nest.width))
        steps.append(f"compress_grid({flags})")
    return steps


def permute(order):
    return f"permute({', '.join(map(str, order))})"


def folded(nest, order):
    """All dimensions in this order on one axis."""
    steps = [*prefix(nest), permute(order)] + ["fold_last2"] * (len(order) - 1)
    if not nest.grid:
        return [*steps, f"split_last({THREADS})", "grid_block(1)"]
    if math.prod(nest.extents()) > 1024:
        steps += [f"split_last({THREADS})", "serial(1)"]
    return steps


def tiled(nest, order, x, y):
    """The last two of the order in blocks of `y` by `x` threads."""
    rank = len(order)
    steps = [*prefix(nest), permute((*order[-2:], *order[:-2]))]
    steps += ["fold_last2"] * max(rank - 3, 0)
    rest = min(rank - 2, 1)
    # (y, x, rest) to (rest, y, x), and both are cut.
    steps += [permute((2, 0, 1))] * rest
    steps += [f"split_last({x})", permute((*range(rest), rest + 1, rest + 2, rest))]
    steps += [f"split_last({y})", permute((*range(rest), rest + 2, rest, rest + 3, rest + 1))]
    if not nest.grid:
        return [*steps, "grid_block(2)"]
    steps += ["fold_last2"] * (rest + 3)
    threads = math.prod(nest.extents()[d] for d in order[:-2])
    for d, size in ((order[-1], x), (order[-2], y)):
        threads *= -(-nest.extents()[d] // size) * size
    return steps + ([f"split_last({THREADS})", "serial(1)"] if threads > 1024 else [])


def written_mappings(nest):
    rank = len(nest.upper)
    for order in itertools.permutations(range(rank)):
        yield ", ".join(folded(nest, order))
        if rank == 1:
            return
        if rank > 4 or (rank == 4 and order[0] > order[1]):
            continue
        for x in (64, 32, 16, 8, 4, 2):
            if x <= nest.extents()[order[-1]]:
                for y in {THREADS // x, 32 // x, 8} - {0}:
                    if y <= min(nest.extents()[order[-2]], THREADS // x):
                        yield ", ".join(tiled(nest, order, x, y))


def count(tc_run, nest, mappings):
    """The sectors of loads and stores of the nest, and its simulated seconds without the
    launch, under each mapping."""
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in nest.arguments.items())
    costs = []
    for start in range(0, len(mappings), KERNELS):
        nests = "\n".join(map(nest.text, mappings[start : start + KERNELS]))
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(f"func.func @nest({arguments}) {{\n{nests}\nreturn\n}}\n")
            file.flush()
            command = [tc_run, file.name, "--count", "--json"]
            result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise SystemExit(f"{nest.name}: {result.stderr}")
        for launch in json.loads(result.stdout)["counted"]:
            loads, stores = launch["global_loads"], launch["global_stores"]
            simulated = launch["simulated"]
            seconds = simulated["seconds"] - simulated["launch_seconds"]
            costs.append((loads["sectors"] + stores["sectors"], seconds))
    assert len(costs) == len(mappings), (nest.name, len(costs), len(mappings))
    return costs


def main():
    tc_run, which = sys.argv[1:]
    nests = [nest for nest in NESTS if which == "all" or nest.few]
    worst, slowest = 0, 0
    for nest in nests:
        mappings = list(written_mappings(nest))
        own, *written = count(tc_run, nest, [None, *mappings])
        sectors, seconds = own
        as_fast = min((cost for cost in written if cost[1] <= seconds), default=own)
        as_frugal = min((cost[::-1] for cost in written if cost[0] <= sectors), default=own[::-1])
        more, longer = sectors / as_fast[0], seconds / as_frugal[0]
        worst, slowest = max(worst, more), max(slowest, longer)
        is_good = more <= TOLERANCE and longer <= TIME_TOLERANCE
        print(
            f"{'good' if is_good else 'BAD'}: {nest.name}: {sectors} sectors in "
            f"{seconds * 1e6:.3f} us; of {len(written)} written one as fast takes {as_fast[0]}, "
            f"one of no more sectors {as_frugal[0] * 1e6:.3f} us"
        )
        if not is_good:
            print(f"  better: {mappings[written.index(as_fast if more > TOLERANCE else as_frugal[::-1])]}")
    print(
        f"{len(nests)} nests, at most {worst:.3f} of the sectors of one as fast, "
        f"{slowest:.3f} of the time of one of no more sectors"
    )
    return worst > TOLERANCE or slowest > TIME_TOLERANCE


if __name__ == "__main__":
    sys.exit(main())
