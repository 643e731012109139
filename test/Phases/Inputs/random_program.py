"""Prints a module of random contractions: random_program.py SEED COUNT.

Each has up to three inputs and eight iterators of any class (a diagonal now and
then), extents from 1 to 33 within a bound on the work, f32 or f64, and starts
from the result or from zero.
"""

import random
import sys

EXTENTS = [1, 2, 3, 5, 16, 17, 33]


def choose_operands(rng):
    """Letters of each input, then of the result, and the extent of each letter."""
    letters = "abcdefgh"[: rng.randint(1, 8)]
    num_inputs = rng.choice([1, 2, 2, 2, 3])
    operands = [""] * (num_inputs + 1)
    for letter in letters:
        readers = [i for i in range(num_inputs) if rng.random() < 0.6]
        if not readers:
            readers = [rng.randrange(num_inputs)]
        for i in readers:
            operands[i] += letter
        if rng.random() < 0.6:
            operands[-1] += letter
    operands = ["".join(rng.sample(o, len(o))) for o in operands]
    if rng.random() < 0.15 and operands[0]:
        operands[0] += rng.choice(operands[0])
    sizes = {letter: rng.choice(EXTENTS) for letter in letters}
    while work(sizes) > 60000:
        sizes[max(sizes, key=sizes.get)] = rng.choice(EXTENTS[:4])
    return operands, sizes


def work(sizes):
    product = 1
    for size in sizes.values():
        product *= size
    return product


def write_function(name, operands, sizes, element, from_zero):
    letters = sorted(sizes)
    types = [
        "memref<" + "".join(f"{sizes[c]}x" for c in o) + element + ">" for o in operands
    ]
    maps = [f"affine_map<({', '.join(letters)}) -> ({', '.join(o)})>" for o in operands]
    kinds = ['"parallel"' if c in operands[-1] else '"reduction"' for c in letters]
    names = [f"%A{i}" for i in range(len(operands) - 1)]
    scalars = [f"%x{i}" for i in range(len(operands) - 1)]
    arguments = [f"{n}: {t}" for n, t in zip(names + ["%Z"], types)]
    lines = [f"func.func @{name}({', '.join(arguments)}) {{"]
    if from_zero:
        lines += [
            f"  %zero = arith.constant 0.0 : {element}",
            f"  linalg.fill ins(%zero : {element}) outs(%Z : {types[-1]})",
        ]
    lines += [
        f"  linalg.generic {{indexing_maps = [{', '.join(maps)}],"
        f" iterator_types = [{', '.join(kinds)}]}}",
        f"      ins({', '.join(names)} : {', '.join(types[:-1])}) outs(%Z : {types[-1]}) {{",
        f"  ^bb0({', '.join(f'{s}: {element}' for s in scalars + ['%acc'])}):",
    ]
    product = scalars[0]
    for i, scalar in enumerate(scalars[1:]):
        lines.append(f"    %p{i} = arith.mulf {product}, {scalar} : {element}")
        product = f"%p{i}"
    lines += [
        f"    %s = arith.addf %acc, {product} : {element}",
        f"    linalg.yield %s : {element}",
        "  }",
        "  return",
        "}",
    ]
    return "\n".join(lines)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    print(f"// random_program.py {seed} {count}")
    for i in range(count):
        operands, sizes = choose_operands(rng)
        element = rng.choice(["f32", "f64"])
        print(write_function(f"f{i}", operands, sizes, element, rng.random() < 0.5))


if __name__ == "__main__":
    main()
