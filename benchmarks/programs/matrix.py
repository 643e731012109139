"""Products of matrices: the first experiment of the study."""

import numpy as np

from .case import Program


def describe_sweep(rows, terms):
    return {
        "A": (np.float32, (rows, terms)),
        "B": (np.float32, (terms, rows)),
        "C": (np.float32, (rows, rows)),
    }


def fill_sweep(rng, rows, terms):
    return {"A": rng.uniform(-1, 1, (rows, terms)), "B": rng.uniform(-1, 1, (terms, rows))}


def solve_sweep(A, B, **_):
    return {"C": np.float64(A) @ np.float64(B)}


SWEEP = {f"2^{n}": {"rows": 2**n, "terms": 2 ** (25 - 2 * n)} for n in range(11)}

MATRIX_SWEEP = Program(
    name="matrix-sweep",
    describe=describe_sweep,
    fill=fill_sweep,
    reference=solve_sweep,
    results=("C",),
    test={"rows": 9, "terms": 70},
    full=SWEEP,
    fixed=tuple(SWEEP),
    bound=1e-5,
)

ALL = [MATRIX_SWEEP]
