"""Random contractions of every class, from a seed and a number.

An iterator's class is the set of operands that vary with it. With two inputs:
batch (A B C), row (A C), column (B C), contracted (A B), summed (A, or B), and
broadcast (C alone). What an einsum cannot say (broadcasts, adding to the old
result) is written as a linalg.generic.
"""

import random

EXTENTS = [1, 2, 3, 5, 16, 17, 33]
WORK_LIMIT = 40000  # points of the iteration space
CLASSES = {
    "batch": ("A", "B", "C"),
    "row": ("A", "C"),
    "column": ("B", "C"),
    "contracted": ("A", "B"),
    "sum_a": ("A",),
    "sum_b": ("B",),
    "broadcast": ("C",),
}
LABELS = "abcdefgh"


def _choose_classes(rng, inputs):
    """A class for each of up to 8 iterators. With one input there are three."""
    names = list(CLASSES)
    if inputs == 1:
        names = ["row", "sum_a", "broadcast"]
    # Contracted iterators are what the project is about; broadcasts are rare.
    weights = [{"contracted": 4, "row": 3, "column": 3, "broadcast": 1}.get(n, 2) for n in names]
    return rng.choices(names, weights, k=rng.randint(1, len(LABELS)))


def _choose_sizes(rng, count):
    """Extents whose product is within the limit."""
    sizes = []
    left = WORK_LIMIT
    for _ in range(count):
        sizes.append(rng.choice([extent for extent in EXTENTS if extent <= left]))
        left //= sizes[-1]
    rng.shuffle(sizes)
    return sizes


def _build_operands(rng, classes, inputs):
    """Labels of A, B (if there is one), and C, in a random order each."""
    operands = {name: [] for name in "ABC"[:inputs] + "C"}
    for label, name in zip(LABELS, classes):
        for operand in CLASSES[name]:
            if operand in operands:
                operands[operand].append(label)
    # A diagonal: a label once more in an input that has it.
    for name in "AB"[:inputs]:
        if operands[name] and rng.random() < 0.15:
            operands[name].append(rng.choice(operands[name]))
    for labels in operands.values():
        rng.shuffle(labels)
    return operands


def _format_mlir(operands, sizes, dtype, overwrites):
    """A function with one linalg.generic, on memrefs."""
    labels = list(sizes)

    def type_of(name):
        return "memref<" + "".join(f"{sizes[label]}x" for label in operands[name]) + dtype + ">"

    inputs = [name for name in operands if name != "C"]
    maps = ", ".join(
        f"affine_map<({', '.join(labels)}) -> ({', '.join(operands[name])})>" for name in operands
    )
    kinds = ", ".join(
        '"parallel"' if label in operands["C"] else '"reduction"' for label in labels
    )
    block = ", ".join(f"%{name.lower()}: {dtype}" for name in operands)
    body = [f"%sum = arith.addf %c, %a : {dtype}"]
    if len(inputs) == 2:
        body = [f"%x = arith.mulf %a, %b : {dtype}", f"%sum = arith.addf %c, %x : {dtype}"]
    fill = f"linalg.fill ins(%zero : {dtype}) outs(%C : {type_of('C')})" if overwrites else ""
    separator = "\n      "
    return f"""func.func @random({', '.join(f'%{name}: {type_of(name)}' for name in operands)}) {{
  %zero = arith.constant 0.0 : {dtype}
  {fill}
  linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins({', '.join('%' + name for name in inputs)} : {', '.join(map(type_of, inputs))})
      outs(%C : {type_of('C')}) {{
    ^bb0({block}):
      {separator.join(body)}
      linalg.yield %sum : {dtype}
  }}
  return
}}
"""


def make(seed, number):
    """A dictionary: `summary`, `dtype`, and either `einsum` and `sizes`, or
    `mlir` with an empty `einsum`."""
    rng = random.Random(f"{seed}-{number}")
    inputs = rng.choice([1, 2, 2, 2])
    classes = _choose_classes(rng, inputs)
    operands = _build_operands(rng, classes, inputs)
    sizes = dict(zip(LABELS, _choose_sizes(rng, len(classes))))
    dtype = rng.choice(["f32", "f64"])
    overwrites = rng.random() < 0.7
    diagonals = sum(len(labels) - len(set(labels)) for labels in operands.values())
    kinds = sorted(set(classes)) + ["diagonal"] * (diagonals > 0) + ["adding"] * (not overwrites)
    text = ",".join("".join(operands[name]) for name in operands if name != "C")
    program = {
        "summary": f"{text}->{''.join(operands['C'])} ({' '.join(kinds)})",
        "dtype": dtype,
        "einsum": f"{text}->{''.join(operands['C'])}",
        "sizes": ",".join(f"{label}={extent}" for label, extent in sizes.items()),
    }
    if "broadcast" in classes or not overwrites:
        program["einsum"] = ""
        program["mlir"] = _format_mlir(operands, sizes, dtype, overwrites)
    return program


def count_classes(cases):
    """Lines that say how many of `cases` have each class."""
    counts = {}
    for case in cases:
        for kind in case["case"].rsplit("(", 1)[1].rstrip(")").split():
            counts[kind] = counts.get(kind, 0) + 1
    return [f"{kind}: {counts[kind]}" for kind in sorted(counts)]
