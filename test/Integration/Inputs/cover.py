"""Does each index of random spaces reach the kernel exactly once, whatever the mapping?

Writes programs of many nests, each of which adds 1 to a count of its own for the index
it is at, compiles them to PTX, runs them on the emulator with all checks, and looks
at every count, those round the space too.

usage: cover.py TC_RUN TC_OPT SEED CASES
"""

import itertools
import math
import os
import random
import subprocess
import sys
import tempfile

import numpy

PROGRAM = 25  # nests of one program
MOST_POINTS = 600
STRATEGIES = ("jing", "jing_ext", "fold_all")


class Space:
    """Bounds, steps and widths of `rank` dimensions."""

    def __init__(self, random, rank, most_points=MOST_POINTS):
        self.random = random
        self.lower, self.upper, self.step, self.width = [], [], [], []
        room = most_points
        extents = []
        for _ in range(rank):
            most = min(room, random.choice((3, 3, 8, 40)))
            extents.append(random.randint(1, most))
            room //= extents[-1]
        if random.random() < 0.08:
            extents[random.randrange(rank)] = random.choice((0, 0, -1, -2))
        random.shuffle(extents)
        for extent in extents:
            low = random.choice((0, 0, 0, 1, 5, -1, -7))
            step = random.choice((1, 1, 1, 2, 3, 5))
            self.lower.append(low)
            self.upper.append(low + extent)
            self.step.append(step)
            self.width.append(random.randint(1, step))

    def text(self, names, bounds):
        lower, upper = (list(map(bounds, x)) for x in (self.lower, self.upper))
        parts = [", ".join(map(str, x)) for x in (names, lower, upper, self.step, self.width)]
        return "({}) = ({}) to ({}) step ({}) width ({})".format(*parts)

    def is_dense(self):
        return self.step == self.width

    def indices(self):
        """Those of each dimension."""
        dims = zip(self.lower, self.upper, self.step, self.width)
        return [[i for i in range(l, u) if (i - l) % s < w] for l, u, s, w in dims]

    def box(self):
        """First index and extent of a box with room round the space."""
        return [
            (min(l, u) - 1, max(u - l, 0) + 3 + max(l - u, 0))
            for l, u in zip(self.lower, self.upper)
        ]


def random_steps(random, space):
    """A legal chain down to one dense dimension."""
    rank = len(space.lower)
    steps = ["shift_lb"]
    if not space.is_dense():
        flags = [random.randint(0, 1) if s != w else 0 for s, w in zip(space.step, space.width)]
        if any(flags):
            steps.append(f"compress_grid({', '.join(map(str, flags))})")
        steps.append("mask_grid")
    for _ in range(random.randint(0, 4)):
        kind = random.randrange(5)
        if kind == 0 and rank > 1:
            steps.append("fold_last2")
            rank -= 1
        elif kind == 1 and rank < 10:
            steps.append(f"split_last({random.choice((1, 2, 3, 4, 8))})")
            rank += 1
        elif kind == 2 and rank < 10:
            steps.append(f"split_even({random.choice((2, 3, 7))})")
            rank += 1
        elif kind == 3:
            steps.append(f"pad_last({random.choice((2, 3, 4))})")
        else:
            order = random.sample(range(rank), rank)
            steps.append(f"permute({', '.join(map(str, order))})")
    return steps + ["fold_last2"] * (rank - 1)


def device_map(random, space):
    steps = random_steps(random, space)
    size = random.choice((1, 7, 32, 33, 64, 256))
    if random.randint(0, 1):
        return [*steps, f"split_last({size})", "grid_block(1)"]
    # (n) to (b, y, x): several threads along two axes.
    high = random.choice((1, 2, 3))
    return [*steps, f"split_last({size})", "permute(1, 0)", f"split_last({high})"] + [
        "permute(1, 2, 0)",
        f"grid_block({random.choice((2, 2, 2))})",
    ]


def team_map(random, space, sizes):
    size = random.choice(sizes)
    return [*random_steps(random, space), f"split_last({size})", "serial(1)"]


def grid_map(random, space):
    steps = random_steps(random, space)
    return steps + [f"split_even({random.choice((3, 7, 65535))})"] * random.randint(0, 2)


class Case:
    """One nest, and where its counts are."""

    def __init__(self, random, number, offset):
        self.random, self.number, self.offset = random, number, offset
        self.dynamic = random.random() < 0.4
        self.levels = random.choice(
            (("device",), ("device",), ("grid", "block"), ("",), ("", ""), ("grid", "block", "warp"))
        )
        ranks = self.draw_ranks(len(self.levels))
        most = int(MOST_POINTS ** (1 / len(ranks)))
        self.spaces = [Space(random, rank, most) for rank in ranks]
        self.boxes = [pair for space in self.spaces for pair in space.box()]
        self.size = math.prod(extent for _, extent in self.boxes)

    def draw_ranks(self, count):
        if count == 1:
            return [self.random.randint(1, 10)]
        rank = self.random.randint(count, 10)
        cuts = sorted(self.random.sample(range(1, rank), count - 1))
        return [b - a for a, b in zip([0, *cuts], [*cuts, rank])]

    def mapping(self, level, space):
        if not level or self.random.randint(0, 1):
            return ""
        if level == "device":
            steps = device_map(self.random, space)
        elif level == "grid":
            steps = grid_map(self.random, space)
        else:
            sizes = (32, 16, 5) if level == "warp" else (1, 32, 40, 64, 256)
            if "warp" in self.levels and level == "block":
                sizes = (1, 3, 8)
            steps = team_map(self.random, space, sizes)
        return f"map #tc.map<{', '.join(steps)}>"

    def text(self):
        constants = []

        def bound(value):
            if not self.dynamic or self.random.randint(0, 2) == 0:
                return value
            name = f"%v{self.number}_{len(constants)}"
            constants.append(
                f"{name} = affine.apply affine_map<()[s0] -> (s0 + {value})>()[%zero]"
            )
            return name

        names, nests = [], []
        for depth, (level, space) in enumerate(zip(self.levels, self.spaces)):
            own = [f"%i{depth}_{d}" for d in range(len(space.lower))]
            names += own
            head = space.text(own, bound)
            nests.append(f"tc.par {level} {head} {self.mapping(level, space)} {{")
        position, dims = str(self.offset), ", ".join(f"d{d}" for d in range(len(names)))
        stride = self.size
        for d, (first, extent) in enumerate(self.boxes):
            stride //= extent
            position += f" + (d{d} - {first}) * {stride}"
        position = position.replace("- -", "+ ")
        body = [
            f"%p = affine.apply affine_map<({dims}) -> ({position})>({', '.join(names)})",
            "%old = memref.atomic_rmw addi %one, %R[%p] : (i32, memref<?xi32>) -> i32",
        ]
        return "\n".join([*constants, *nests, *body, *["}"] * len(nests)])

    def check(self, counts):
        """The index whose count is wrong, if any."""
        counts = counts[self.offset : self.offset + self.size]
        counts = counts.reshape([extent for _, extent in self.boxes])
        expected = numpy.zeros_like(counts)
        indices = list(itertools.chain.from_iterable(s.indices() for s in self.spaces))
        places = [
            [i - first for i in own] for own, (first, _) in zip(indices, self.boxes)
        ]
        expected[numpy.ix_(*places)] = 1
        wrong = numpy.argwhere(counts != expected)
        if len(wrong) == 0:
            return None
        at = tuple(wrong[0])
        index = tuple(int(i + first) for i, (first, _) in zip(at, self.boxes))
        return f"expected {expected[at]} at {index}, got {counts[at]}"


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    return result.stdout if result.returncode == 0 else None, result.stderr


def run_program(tools, cases, folder, strategy):
    """The counts after the nests, or None and why not."""
    tc_run, tc_opt = tools
    size = cases[-1].offset + cases[-1].size
    nests = "\n".join(case.text() for case in cases)
    path = os.path.join(folder, "nests.mlir")
    with open(path, "w") as file:
        file.write(
            "func.func @nests(%R: memref<?xi32>, %zero: index) {\n"
            f"%one = arith.constant 1 : i32\n{nests}\nreturn\n}}\n"
        )
    if strategy:
        mapped, error = run([tc_opt, path, "--tc-bind", f"--tc-map=strategy={strategy}"])
        if mapped is None:
            return None, error
        with open(path, "w") as file:
            file.write(mapped)
    names = [os.path.join(folder, name) for name in ("counts.npy", "zero.npy", "after.npy")]
    numpy.save(names[0], numpy.zeros(size, "i4"))
    numpy.save(names[1], numpy.array(0))
    command = [tc_run, path, "--device=emulator", f"--inputs={names[0]},{names[1]}"]
    output, error = run([*command, f"--output={names[2]}"])
    return (None, error) if output is None else (numpy.load(names[2]), "")


def make_cases(seed, count):
    generator, cases, offset = random.Random(seed), [], 0
    for number in range(count):
        cases.append(Case(generator, number, offset))
        offset += cases[-1].size
    return cases


def main():
    tools, seed, count = sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4])
    wrong = points = 0
    for first in range(0, count, PROGRAM):
        number = min(PROGRAM, count - first)
        # Strategies of the paper say nothing of blocks that are too large.
        strategy = "fold_all" if first // PROGRAM % 4 == 3 else ""
        cases = make_cases(f"{seed}:{first}", number)
        with tempfile.TemporaryDirectory() as folder:
            counts, error = run_program(tools, cases, folder, strategy)
            if counts is None:
                raise SystemExit(f"seed {seed}:{first} {strategy}: {error}")
        for case in cases:
            points += math.prod(len(own) for space in case.spaces for own in space.indices())
            problem = case.check(counts)
            if problem:
                wrong += 1
                print(f"seed {seed}:{first}, nest {case.number} {strategy}: {problem}")
    print(f"{count} spaces, {points} indices, {wrong} spaces wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
