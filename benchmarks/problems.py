"""The contractions of cases/contractions.json, and smaller versions of them.

Only the standard library is used, so tests may import this file too.
"""

import json
import os

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")

# Extents of results and of contracted labels, by the number of result labels:
# tiles of powers of two divide them, or never do.
_DIVIDING = {2: (64, 32), 3: (16, 32), 4: (8, 16), 5: (4, 16), 6: (4, 8)}
_PRIME = {
    2: (61, 37),
    3: (13, 11, 31),
    4: (11, 5, 7, 13),
    5: (5, 7, 5, 3, 11),
    6: (5, 3, 7, 5, 3, 2),
}
_PRIME_CONTRACTED = {2: (31, 7), 3: (13, 5), 4: (11, 7), 5: (13, 7), 6: (7, 5)}


def load():
    """All problems: dictionaries with `name`, `einsum`, `sizes` and more."""
    with open(os.path.join(CASES, "contractions.json"), encoding="utf-8") as file:
        return json.load(file)["contractions"]


def load_peaks():
    """The rates that floors are computed with: `hbm_tb_s` and more."""
    with open(os.path.join(CASES, "contractions.json"), encoding="utf-8") as file:
        return json.load(file)["h200_peaks_used"]


def labels(einsum):
    """The labels of an einsum in explicit form: (of the result, summed)."""
    inputs, output = einsum.split("->")
    summed = sorted(set(inputs.replace(",", "")) - set(output))
    return list(output), summed


def reduce(problem, kind):
    """Extents that make the same contraction small. `kind` is `dividing`
    (powers of two) or `prime`."""
    results, summed = labels(problem["einsum"])
    rank = len(results)
    if kind == "dividing":
        extent, depth = _DIVIDING[rank]
        sizes = {label: extent for label in results}
        sizes.update({label: depth if i == 0 else 4 for i, label in enumerate(summed)})
        return sizes
    if kind != "prime":
        raise ValueError(f"expected kind dividing or prime, got {kind}")
    sizes = dict(zip(results, _PRIME[rank]))
    sizes.update(zip(summed, _PRIME_CONTRACTED[rank]))
    return sizes


def format_sizes(sizes):
    """`a=16,b=3`, the form of the command line."""
    return ",".join(f"{label}={extent}" for label, extent in sizes.items())
