"""Checks random matrix products by a library: check_library.py SEED COUNT FOLDER.

Each is a contraction with `kernel = library`, of a random type, shape, layout, batch, alpha
and beta. On the emulator the library that TC_CUBLASLT_LIBRARY names has to take it, and the
result has to be that of the reference. What differs stays in FOLDER, a file a product.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import random
import subprocess
import sys

TYPES = ("f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>")
JOBS = 2


@dataclasses.dataclass
class Matrix:
    """An operand: its iterators, in the order of its subscripts, and their strides."""

    name: str
    labels: str
    type: str
    strides: dict

    def declare(self, extents):
        shape = "x".join(str(extents[label]) for label in self.labels)
        strides = ", ".join(str(self.strides[label]) for label in self.labels)
        return f"memref<{shape}x{self.type}, strided<[{strides}]>>"

    def use(self, extents):
        return f"%{self.name}[{', '.join(self.labels)}] : {self.declare(extents)}"


def lay(source, name, labels, element, extents, matrix):
    """An operand that is dense along one of the two labels of `matrix`, with gaps; the batch
    is outermost, or between the two."""
    dense, other = source.sample(matrix, 2)
    strides = {dense: 1}
    leading = extents[dense] + source.choice((0, 0, 1, 5))
    batch = [label for label in labels if label not in matrix]
    if batch and source.random() < 0.3:
        strides[batch[0]] = leading
        strides[other] = leading * extents[batch[0]] + source.choice((0, 3))
    else:
        strides[other] = leading
        if batch:
            strides[batch[0]] = leading * extents[other] + source.choice((0, 2, 7))
    order = list(labels)
    source.shuffle(order)
    return Matrix(name, "".join(order), element, strides)


def write_number(source, element):
    real = element.removeprefix("complex<").removesuffix(">")
    parts = [f"{source.choice((-2.0, -1.0, 0.5, 1.0, 1.5)):.1f} : {real}" for _ in range(2)]
    if element != real:
        return f"complex.constant [{', '.join(parts)}] : {element}"
    return f"arith.constant {parts[0]}"


def write_epilogue(source, sum_type, result_type, has_side):
    """alpha * sum, or alpha * sum + beta * side."""
    dialect = "complex" if sum_type.startswith("complex") else "arith"
    suffix = "" if dialect == "complex" else "f"
    sides = f", %c: {result_type}" if has_side else ""
    lines = [
        f"epilogue (%s: {sum_type}{sides}) {{",
        f"%alpha = {write_number(source, sum_type)}",
        f"%scaled = {dialect}.mul{suffix} %s, %alpha : {sum_type}",
    ]
    last = "%scaled"
    if has_side:
        side = "%c"
        if sum_type != result_type:
            lines.append(f"%wide = arith.extf %c : {result_type} to {sum_type}")
            side = "%wide"
        lines += [
            f"%beta = {write_number(source, sum_type)}",
            f"%other = {dialect}.mul{suffix} %beta, {side} : {sum_type}",
            f"%sum = {dialect}.add{suffix} %scaled, %other : {sum_type}",
        ]
        last = "%sum"
    if sum_type != result_type:
        lines.append(f"%narrow = arith.truncf {last} : {sum_type} to {result_type}")
        last = "%narrow"
    return "\n    ".join([*lines, f"tc.yield {last} : {result_type}\n  }}"])


def write_product(source):
    """The text of one program."""
    extents = {label: source.choice((1, 2, 3, 8, 17, 32, 45)) for label in "ijk"}
    extents["l"] = source.choice((2, 3, 5))
    kind = source.choice(("one", "batched", "batched", "rows", "columns"))
    in_a = "l" if kind in ("batched", "rows") else ""
    in_b = "l" if kind in ("batched", "columns") else ""
    in_d = "" if kind == "one" else "l"
    element = source.choice(TYPES)
    is_half = element in ("f16", "bf16")
    sum_type = "f32" if is_half else element
    result = source.choice((element, sum_type))
    a = lay(source, "A", in_a + "ik", element, extents, "ik")
    b = lay(source, "B", in_b + "kj", element, extents, "kj")
    d = lay(source, "D", in_d + "ij", result, extents, "ij")
    # C lies as D does, with its own gaps.
    c = dataclasses.replace(d, name="C")
    operands, sides, epilogue = [a, b, d], "", ""
    scaling = source.choice(("none", "alpha", "beta", "in place"))
    overwrites = scaling in ("beta", "in place") or source.random() < 0.5
    if scaling != "none":
        has_side = scaling in ("beta", "in place")
        side = d if scaling == "in place" else c
        sides = f"sides({side.use(extents)})" if has_side else ""
        operands += [c] if scaling == "beta" else []
        epilogue = write_epilogue(source, sum_type, result, has_side)
    iterators = [label for label in "lijk" if label in in_d + "ijk"]
    space = ", ".join(f"{label} = {extents[label]}" for label in iterators)
    precision = source.choice(("", "precision(tf32) ")) if element == "f32" else ""
    arguments = ", ".join(f"%{m.name}: {m.declare(extents)}" for m in operands)
    return f"""func.func @product({arguments}) {{
  tc.contract ({space}) ins({a.use(extents)}, {b.use(extents)}) {sides}
      outs({d.use(extents)}) {"overwrite" if overwrites else ""} {precision}
      {{schedule = #tc.schedule<kernel = library>}} {epilogue}
  return
}}
"""


def check(path):
    """What is wrong with the program; nothing if the library computes it right."""
    command = ["tc-run", path, "--device=emulator", "--checks=all", "--verify"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stdout + done.stderr
    if done.stderr.count("fake cuBLASLt: ") != 1:
        return "expected a product by the library\n" + done.stderr
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("folder")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    source = random.Random(options.seed)
    paths = []
    for number in range(options.count):
        paths.append(os.path.join(options.folder, f"product{number}.mlir"))
        with open(paths[-1], "w") as file:
            file.write(write_product(source))
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for path, fault in zip(paths, pool.map(check, paths)):
            if fault:
                wrong += 1
                print(f"{path}: {fault}")
            else:
                os.remove(path)
    print(f"{len(paths)} products, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
