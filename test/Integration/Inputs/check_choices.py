"""Verifies programs that choose an element of each row, and where it is: check_choices.py.

Bodies as torch-mlir and StableHLO print them, and others, on rows with ties, NaNs,
infinities and zeros of both signs, of extents for a thread, a warp, a block and all blocks
of a machine. tc-run compares each with the body, evaluated in its order. Prints a line for
each body."""

import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

FLOATS = {"f32": np.float32, "f16": np.float16, "f64": np.float64}
INTEGERS = {"i32": np.int32}

# %in and %n are of the iteration, %best and %at of those before it.
BODIES = {
    "torch_max": """
    %v = arith.maximumf %in, %best : TYPE
    %c = arith.cmpf ogt, %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
    "torch_min": """
    %v = arith.minimumf %in, %best : TYPE
    %c = arith.cmpf olt, %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
    "stablehlo_max": """
    %1 = arith.cmpf ogt, %best, %in : TYPE
    %2 = arith.cmpf une, %best, %best : TYPE
    %3 = arith.ori %1, %2 : i1
    %4 = arith.cmpf oeq, %best, %in : TYPE
    %5 = arith.cmpi slt, %at, %n : i64
    %6 = arith.andi %4, %5 : i1
    %7 = arith.ori %3, %6 : i1
    %v = arith.select %3, %best, %in : TYPE
    %p = arith.select %7, %at, %n : i64""",
    "stablehlo_min": """
    %1 = arith.cmpf olt, %best, %in : TYPE
    %2 = arith.cmpf une, %best, %best : TYPE
    %3 = arith.ori %1, %2 : i1
    %4 = arith.cmpf oeq, %best, %in : TYPE
    %5 = arith.cmpi slt, %at, %n : i64
    %6 = arith.andi %4, %5 : i1
    %7 = arith.ori %3, %6 : i1
    %v = arith.select %3, %best, %in : TYPE
    %p = arith.select %7, %at, %n : i64""",
    "first_larger": """
    %c = arith.cmpf ogt, %in, %best : TYPE
    %v = arith.select %c, %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
    "unordered_larger": """
    %c = arith.cmpf ugt, %in, %best : TYPE
    %v = arith.select %c, %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
    "last_larger": """
    %c = arith.cmpf oge, %in, %best : TYPE
    %v = arith.select %c, %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
    "largest_integer": """
    %c = arith.cmpi sgt, %in, %best : TYPE
    %v = arith.maxsi %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
    "largest_unsigned_integer": """
    %c = arith.cmpi ugt, %in, %best : TYPE
    %v = arith.select %c, %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
    "smallest_integer": """
    %c = arith.cmpi slt, %in, %best : TYPE
    %v = arith.select %c, %in, %best : TYPE
    %p = arith.select %c, %n, %at : i64""",
}

PROGRAM = """
#element = affine_map<(d0, d1) -> (ELEMENT)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @choose(%A: tensor<SHAPExTYPE>, %v0: tensor<ROWSxTYPE>, %p0: tensor<ROWSxi64>)
    -> (tensor<ROWSxTYPE>, tensor<ROWSxi64>) {
  %r:2 = linalg.generic {indexing_maps = [#element, #row, #row],
                         iterator_types = ["parallel", "reduction"]}
    ins(%A : tensor<SHAPExTYPE>) outs(%v0, %p0 : tensor<ROWSxTYPE>, tensor<ROWSxi64>) {
  ^bb0(%in: TYPE, %best: TYPE, %at: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64BODY
    linalg.yield %v, %p : TYPE, i64
  } -> (tensor<ROWSxTYPE>, tensor<ROWSxi64>)
  return %r#0, %r#1 : tensor<ROWSxTYPE>, tensor<ROWSxi64>
}
"""

SHAPES = [(5, 17), (40, 700), (3, 5000), (300, 33), (1, 20001), (4, 0)]


def make_rows(source, dtype, shape):
    """Few values, so that there are ties; in some rows no NaN, in some an early one, in
    others all NaN or all the least."""
    values = [-2, -1, 0, 1, 2, 3]
    if dtype in INTEGERS:
        return source.choice(np.array(values, INTEGERS[dtype]), shape)
    rows = source.choice(np.array(values + [-0.0, np.inf, -np.inf], FLOATS[dtype]), shape)
    for i, row in enumerate(rows):
        if i % 5 == 1 and row.size:
            row[source.integers(row.size, size=3)] = np.nan
        elif i % 5 == 2:
            row[:] = np.nan
        elif i % 5 == 3:
            row[:] = -np.inf
        elif i % 5 == 4:
            row[:] = source.choice(np.array([0.0, -0.0], FLOATS[dtype]), row.size)
    return rows


def run(folder, text, arrays):
    paths = [os.path.join(folder, f"{i}.npy") for i in range(len(arrays))]
    for path, array in zip(paths, arrays):
        np.save(path, array)
    program = os.path.join(folder, "program.mlir")
    with open(program, "w", encoding="utf-8") as file:
        file.write(text)
    command = ["tc-run", program, "--verify", "--device=emulator", "--checks=all"]
    done = subprocess.run(
        [*command, f"--inputs={','.join(paths)}"], capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{text}\n{[a.shape for a in arrays]}: {done.stderr[:2000]}")
    return done.stdout.strip().splitlines()[-1]


def get_cases(name):
    """Types, shapes, and whether extents are dynamic."""
    dtypes = ["i32"] if "integer" in name else ["f32"]
    cases = list(itertools.product(dtypes, SHAPES, (False,)))
    cases += itertools.product(dtypes, [(40, 700), (1, 20001), (4, 0)], (True,))
    if name == "torch_max":
        cases += itertools.product(["f16", "f64"], [(5, 17), (40, 700)], (False,))
    return cases


def check(folder, name):
    source = np.random.default_rng(1)
    for dtype, (rows, terms), is_dynamic in get_cases(name):
        text = PROGRAM.replace("BODY", BODIES[name]).replace("ELEMENT", "d0, d1")
        text = text.replace("SHAPE", "?x?" if is_dynamic else f"{rows}x{terms}")
        text = text.replace("ROWS", "?" if is_dynamic else str(rows)).replace("TYPE", dtype)
        types = {**FLOATS, **INTEGERS}
        start = [0, -3, np.nan, np.inf, -np.inf] if dtype in FLOATS else [0, 5, -5, 3, 2]
        arrays = [
            make_rows(source, dtype, (rows, terms)),
            np.resize(np.array(start, types[dtype]), rows),
            np.resize(np.array([0, 7, -1], np.int64), rows),
        ]
        run(folder, text, arrays)
    print(f"{name}: verified")


def main(names):
    with tempfile.TemporaryDirectory() as folder:
        for name in names or BODIES:
            check(folder, name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
