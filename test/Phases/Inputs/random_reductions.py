"""Prints a module of random reductions and scans: random_reductions.py SEED COUNT.

Each has an index space of up to three dimensions with any bounds, steps and widths,
some of them dynamic; one of a few ways to combine values, commutative or
not, of one value or two; and stands outside of nests, in a tc.par, or in two.
"""

import random
import sys

EXTENTS = [0, 1, 2, 3, 5, 7, 31, 32, 33, 127, 224, 225, 257, 1793]
MOST_TERMS = 12000

# name: neutral elements, the term of an element %x and its last index %k32, the ops
# that combine, their results, and whether the order matters.
COMBINES = {
    "add": ([0], ["%x"], ["%s = arith.addi %a0, %b0 : i32"], ["%s"], False),
    "max": ([-9], ["%x"], ["%s = arith.maxsi %a0, %b0 : i32"], ["%s"], False),
    "compose": (
        [1, 0],
        ["%x", "%k32"],
        [
            "%p = arith.muli %a0, %b0 : i32",
            "%q = arith.muli %a1, %b0 : i32",
            "%s = arith.addi %q, %b1 : i32",
        ],
        ["%p", "%s"],
        True,
    ),
    "last": (
        [0, 0],
        ["%one", "%x"],
        [
            "%zero32 = arith.constant 0 : i32",
            "%is = arith.cmpi ne, %b0, %zero32 : i32",
            "%s = arith.select %is, %b1, %a1 : i32",
            "%p = arith.ori %a0, %b0 : i32",
        ],
        ["%p", "%s"],
        True,
    ),
}


def types(count):
    return ", ".join(["i32"] * count)


class Writer:
    """One function."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.lines, self.indent = [], "  "

    def add(self, line):
        self.lines.append(self.indent + line)

    def bound(self, value, name):
        """A bound, as a number or as a value that canonicalisation leaves alone."""
        if self.rng.random() < 0.7:
            return str(value)
        self.add(f"{name}_a = memref.alloc() : memref<{value}xi8>")
        self.add(f"{name}_c = memref.cast {name}_a : memref<{value}xi8> to memref<?xi8>")
        self.add(f"{name}_d = arith.constant 0 : index")
        self.add(f"{name} = memref.dim {name}_c, {name}_d : memref<?xi8>")
        return name

    def space(self, rank):
        """Of each dimension: lower and upper bound, step, width."""
        rng, left, dims = self.rng, MOST_TERMS, []
        for _ in range(rank):
            extent = rng.choice([e for e in EXTENTS if e <= left])
            left //= max(extent, 1)
            lower = rng.choice([0, 0, 1, 5])
            step = rng.choice([1, 1, 2, 3, 8])
            dims.append((lower, lower + extent, step, rng.randint(1, step)))
        return dims

    def write(self):
        rng = self.rng
        nests = rng.choice([0, 1, 1, 2])
        dims = self.space(rng.choice([0, 1, 1, 1, 2, 3]))
        is_scan = rng.random() < 0.5
        inits, term, body, combined, ordered = COMBINES[rng.choice(sorted(COMBINES))]
        outer = [rng.choice([1, 2, 3]) for _ in range(nests)]
        shape = outer + [max(upper, 1) for _, upper, _, _ in dims]
        array = "memref<" + "".join(f"{n}x" for n in shape) + "i32>"
        result = array if is_scan else "memref<" + "".join(f"{n}x" for n in outer) + "i32>"
        head = f"func.func @{self.name}(%A: {array}, %R: {result}) {{"
        lower = [self.bound(d[0], f"%l{i}") for i, d in enumerate(dims)]
        upper = [self.bound(d[1], f"%u{i}") for i, d in enumerate(dims)]
        for i, init in enumerate(inits):
            self.add(f"%init{i} = arith.constant {init} : i32")
        self.add("%one = arith.constant 1 : i32")
        for i, extent in enumerate(outer):
            self.add(f"tc.par (%o{i}) = (0) to ({extent}) {{")
            self.indent += "  "
        indices = [f"%i{d}" for d in range(len(dims))]
        outside = [f"%o{i}" for i in range(nests)]
        flag = "exclusive" if is_scan else "commutative"
        has_flag = rng.random() < 0.5 and (is_scan or not ordered)
        self.add(
            f"tc.{'scan' if is_scan else 'reduce'} ({', '.join(indices)})"
            f" = ({', '.join(lower)}) to ({', '.join(upper)})"
            f" step ({', '.join(str(d[2]) for d in dims)})"
            f" width ({', '.join(str(d[3]) for d in dims)})"
            f" init({', '.join(f'%init{i} : i32' for i in range(len(inits)))})"
            f"{' ' + flag if has_flag else ''} {{"
        )
        place = ", ".join(outside + indices)
        self.add(f"  %x = memref.load %A[{place}] : {array}")
        if "%k32" in term:
            index = indices[-1] if indices else "%none"
            if not indices:
                self.add("  %none = arith.constant 7 : index")
            self.add(f"  %k32 = arith.index_cast {index} : index to i32")
        if rng.random() < 0.2:
            self.add("  %y = arith.addi %x, %one : i32")
            self.add(f"  memref.store %y, %A[{place}] : {array}")
        self.add(f"  tc.yield {', '.join(term)} : {types(len(term))}")
        pair = [f"%{side}{i}: i32" for side in "ab" for i in range(len(inits))]
        self.add(f"}} combine ({', '.join(pair)}) {{")
        for line in body:
            self.add("  " + line)
        self.add(f"  tc.yield {', '.join(combined)} : {types(len(combined))}")
        values = [f"%v{i}: i32" for i in range(len(inits))]
        if is_scan:
            values = [f"{index}: index" for index in indices] + values
        self.add(f"}} finish ({', '.join(values)}) {{")
        where = place if is_scan else ", ".join(outside)
        self.add(f"  memref.store %v{len(inits) - 1}, %R[{where}] : {result}")
        self.add("}")
        for _ in outer:
            self.indent = self.indent[2:]
            self.add("}")
        return "\n".join([head, *self.lines, "  return", "}"])


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    for i in range(count):
        print(Writer(rng, f"f{i}").write())


if __name__ == "__main__":
    main()
