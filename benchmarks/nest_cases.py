"""The nests that cpu_nests.py measures: what NumPy computes, and the work of each.

A case has the arrays that the function takes, in its order, and what NumPy makes of the inputs.
Flops count additions, multiplications, divisions and roots as one each, and no comparisons."""

import dataclasses
from typing import Callable

import numpy as np


@dataclasses.dataclass
class Case:
    """One function of a file of cases/."""

    file: str
    make: Callable  # generator of random numbers -> arrays, the results last
    numpy: Callable  # (arrays) -> results, as many arrays as the function writes
    flops: float = 0
    tolerance: float = 0  # relative to the largest result; 0: equal to the last bit
    results: int = 1
    reads_results: bool = False


def _numbers(*shapes, dtype=np.float32, out=None):
    """Arrays of whole numbers, so that sums are exact, and one for the result."""

    def make(rng):
        arrays = [rng.integers(-3, 4, shape).astype(dtype) for shape in shapes]
        return [*arrays, np.zeros(out or shapes[0], dtype)]

    return make


def _reals(shape, out=None):
    def make(rng):
        return [rng.standard_normal(shape).astype(np.float32), np.zeros(out or shape, np.float32)]

    return make


def _make_gather(rng):
    table = rng.integers(-3, 4, (4096, 192)).astype(np.float32)
    return [table, rng.integers(0, 4096, 20000), np.zeros((20000, 192), np.float32)]


def _make_argmax(rng):
    numbers = rng.standard_normal((4096, 1000)).astype(np.float32)
    return [numbers, np.zeros(4096, np.int32)]


def _pairs(a, _):
    squares = (a * a).sum(1)
    return squares[:, None] + squares[None, :] - 2 * (a @ a.T)


def _stencil(a, old):
    new = old.copy()
    inner = slice(1, -1)
    new[inner, inner, inner] = (
        (a[inner, inner, :-2] + a[inner, inner, 2:])
        + (a[inner, :-2, inner] + a[inner, 2:, inner])
        + (a[:-2, inner, inner] + a[2:, inner, inner])
    )
    return new


def _triangle(a, _):
    return (a * np.tri(64, k=-1, dtype=np.float32)).sum(2)


def _jacobi(a, old):
    new = old.copy()
    new[1:-1, 1:-1] = np.float32(0.2) * (
        a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
    )
    return new


def _relax(a, _):
    new = a.copy()
    new[1:-1, 1:-1] = np.float32(0.25) * (
        (a[:-2, 1:-1] + a[2:, 1:-1]) + (a[1:-1, :-2] + a[1:-1, 2:])
    )
    return new


def _softmax(a, _):
    powers = np.exp(a - a.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def _rownorm(a, _):
    apart = a - a.mean(1, keepdims=True)
    return apart / np.sqrt((apart * apart).mean(1, keepdims=True) + np.float32(1e-5))


def _recurrence(a, _):
    b = np.empty_like(a)
    b[0] = a[0]
    for i in range(1, len(a)):
        b[i] = b[i - 1] * np.float32(0.75) + a[i]
    return b


def _forces(x, _):
    d = x[:, None, :] - x[:, :, None]
    return (d / np.sqrt((d * d).sum(0) + np.float32(0.01))).sum(2)


F64 = np.float64
ROWS = (4096, 1024)
GRID = (4096, 4096)
COLUMNS = (1000, 4096)

CASES = {
    "copy_inner_first": Case("nests.mlir", _numbers((2048, 2048)), lambda a, _: a.copy()),
    "transpose": Case(
        "nests.mlir", _numbers((2048, 2048)), lambda a, _: np.ascontiguousarray(a.T)
    ),
    "transpose_f64": Case(
        "nests.mlir",
        _numbers((1000, 1500), dtype=F64, out=(1500, 1000)),
        lambda a, _: np.ascontiguousarray(a.T),
    ),
    "reverse_modes": Case(
        "nests.mlir",
        _numbers((96, 104, 112), out=(112, 104, 96)),
        lambda a, _: np.ascontiguousarray(a.T),
    ),
    "channels_last": Case(
        "nests.mlir",
        _numbers((16, 24, 56, 56), out=(16, 56, 56, 24)),
        lambda a, _: np.ascontiguousarray(a.transpose(0, 2, 3, 1)),
    ),
    "sums_of_rows": Case(
        "nests.mlir",
        _numbers((16384, 500), out=16384),
        lambda a, _: a.sum(1),
        flops=16384 * 500,
    ),
    "sums_of_the_middle": Case(
        "nests.mlir",
        _numbers((256, 64, 300), out=(256, 300)),
        lambda a, _: a.sum(1),
        flops=256 * 64 * 300,
    ),
    "matmul": Case(
        "nests.mlir",
        _numbers((512, 512), (512, 512)),
        lambda a, b, _: a @ b,
        flops=2 * 512**3,
    ),
    "pairs_of_rows": Case(
        "nests.mlir",
        _numbers((512, 96), dtype=F64, out=(512, 512)),
        _pairs,
        flops=3 * 512 * 512 * 96,
    ),
    "stencil": Case("nests.mlir", _numbers((160, 160, 160)), _stencil, flops=5 * 158**3),
    "gather": Case("nests.mlir", _make_gather, lambda a, rows, _: a[rows]),
    "broadcast": Case(
        "nests.mlir",
        _numbers((3000, 700), 3000),
        lambda a, v, _: a * v[:, None],
        flops=3000 * 700,
    ),
    "triangle": Case(
        "nests.mlir",
        _numbers((4000, 64, 64), out=(4000, 64)),
        _triangle,
        flops=4000 * 32 * 63,
    ),
    "blocks_of_a_transposition": Case(
        "nests.mlir", _numbers((2048, 2048)), lambda a, _: np.ascontiguousarray(a.T)
    ),
    "matvec": Case(
        "naive.mlir",
        _numbers(GRID, 4096, out=4096),
        lambda a, x, y: y + a @ x,
        flops=2 * 4096 * 4096,
        reads_results=True,
    ),
    "conv1d": Case(
        "naive.mlir",
        _numbers(1048591, 16, out=1048576),
        lambda x, w, y: y + np.correlate(x, w, "valid"),
        flops=2 * 16 * 1048576,
        reads_results=True,
    ),
    "jacobi2d": Case("naive.mlir", _numbers(GRID), _jacobi, flops=5 * 4094**2, tolerance=1e-6),
    "softmax": Case("naive.mlir", _reals(ROWS), _softmax, flops=4 * 4096 * 1024, tolerance=1e-5),
    "relax": Case("naive.mlir", _numbers(GRID), _relax, flops=4 * 4094**2),
    "rownorm": Case("naive.mlir", _reals(ROWS), _rownorm, flops=6 * 4096 * 1024, tolerance=1e-5),
    "argmax": Case(
        "cpu_nests.mlir", _make_argmax, lambda a, _: a.argmax(1).astype(np.int32)
    ),
    "scan_columns": Case(
        "cpu_nests.mlir", _numbers(COLUMNS), lambda a, _: a.cumsum(0), flops=1000 * 4096
    ),
    "recurrence": Case(
        "cpu_nests.mlir", _numbers(COLUMNS), _recurrence, flops=2 * 1000 * 4096, tolerance=1e-6
    ),
    "forces": Case(
        "cpu_nests.mlir", _reals((2, 3000)), _forces, flops=11 * 3000 * 3000, tolerance=1e-4
    ),
    "elements": Case(
        "cpu_nests.mlir",
        _numbers(4000000, dtype=F64),
        lambda a, _: (a * 0.5 - 0.25) * a + 0.125,
        flops=4 * 4000000,
    ),
}
