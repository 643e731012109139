"""Random linalg ops on a few buffers: run on the emulator and verified.

random_buffers.py --tools=DIR --seed=S --count=N

Sums, transposes and products read and write arguments and temporaries in any order, in
place, too. Prints how many were verified, and in how many a product has an epilogue.
"""

import sys

import random_redomaps

TYPE = "memref<5x5xf32>"
ARGUMENTS, TEMPORARIES = ["%A", "%B", "%C", "%D"], ["%T", "%U"]
GENERIC = """linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins({0} : {3}) outs({2} : {3}) {{
  ^bb0(%x: f32, %y: f32):
    %u = arith.mulf %x, %half : f32
    %v = arith.subf %u, %y : f32
    linalg.yield %v : f32
  }}"""
PRODUCT = "linalg.matmul ins({0}, {1} : {3}, {3}) outs({2} : {3})"
OPS = [
    "linalg.negf ins({0} : {3}) outs({2} : {3})",
    "linalg.abs ins({0} : {3}) outs({2} : {3})",
    "linalg.add ins({0}, {1} : {3}, {3}) outs({2} : {3})",
    GENERIC,
]
# Their results may not be their inputs.
APART = [
    "linalg.transpose ins({0} : {3}) outs({2} : {3}) permutation = [1, 0]",
    PRODUCT,
    "linalg.fill ins(%zero : f32) outs({2} : {3})\n  " + PRODUCT,
]


def draw_op(draw, last):
    """An op, which often reads the buffer written last, and the buffer it writes."""
    text = draw.choice(OPS + APART)
    first, second, result = draw.choices(ARGUMENTS + TEMPORARIES, k=3)
    if draw.random() < 0.6:
        first = last
    if text in APART:
        result = draw.choice([b for b in ARGUMENTS + TEMPORARIES if b not in (first, second)])
    return text.format(first, second, result, TYPE), result


def write(draw):
    lines = ["%zero = arith.constant 0.0 : f32", "%half = arith.constant 0.5 : f32"]
    for name in TEMPORARIES:
        lines.append(f"{name} = memref.alloc() : {TYPE}")
        lines.append(f"linalg.fill ins(%zero : f32) outs({name} : {TYPE})")
    last = "%A"
    for _ in range(draw.randint(2, 6)):
        op, last = draw_op(draw, last)
        lines.append(op)
    lines.append(f"linalg.abs ins({last} : {TYPE}) outs({draw.choice(ARGUMENTS)} : {TYPE})")
    lines += [f"memref.dealloc {name} : {TYPE}" for name in TEMPORARIES]
    arguments = ", ".join(f"{name}: {TYPE}" for name in ARGUMENTS)
    body = "\n  ".join(lines)
    return (
        "#id = affine_map<(i, j) -> (i, j)>\n"
        f"func.func @buffers({arguments}) {{\n  {body}\n  return\n}}\n"
    )


if __name__ == "__main__":
    passes = ["--convert-linalg-to-tc", "--tc-fuse"]
    sys.exit(random_redomaps.check(write, "epilogue", "fused", __doc__, passes))
