"""Which contractions are products of two matrices as they lie in memory?"""

import dataclasses

from ..contenders import Unsupported


@dataclasses.dataclass(frozen=True)
class Product:
    """C[m, n] = sum over k of A[m, k] B[k, n]: extents, which input is A, and which of
    the two lie transposed (A as [k, m], B as [n, k])."""

    m: int
    n: int
    k: int
    first: int  # the input that is A
    is_a_transposed: bool
    is_b_transposed: bool


def _find_matrix(labels, rows, columns):
    """False: rows then columns; True: columns then rows. None: neither."""
    if labels == rows + columns:
        return False
    return True if labels == columns + rows else None


def find_product(problem):
    """The product that `problem` is; raises Unsupported."""
    if len(problem.inputs) == 2 and problem.summed:
        for first in (0, 1):
            a, b = problem.inputs[first], problem.inputs[1 - first]
            m = "".join(label for label in problem.output if label in a and label not in b)
            n = "".join(label for label in problem.output if label in b and label not in a)
            k = "".join(label for label in a if label in problem.summed)
            transposed = _find_matrix(a, m, k), _find_matrix(b, k, n)
            if m and n and problem.output == m + n and None not in transposed:
                sizes = problem.count(m), problem.count(n), problem.count(k)
                return Product(*sizes, first, *transposed)
    raise Unsupported("is no product of two matrices as they lie in memory")
