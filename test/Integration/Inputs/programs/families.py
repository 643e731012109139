"""The families of programs: which text, and which share of a run."""

from dataclasses import dataclass
from typing import Callable

from . import elements
from .contracts import contract_programs, sum_programs
from .einsums import einsum_programs
from .linalg import (
    convolution_programs,
    fused_programs,
    generic_programs,
    named_programs,
)


@dataclass(frozen=True)
class Family:
    programs: Callable  # gives a strategy
    weight: int


# The element types that programs are made of.
TYPES = elements.ALL

FAMILIES = {
    "contract": Family(lambda: contract_programs(TYPES, regions=False), 8),
    "regions": Family(lambda: contract_programs(TYPES, regions=True), 9),
    "sums": Family(lambda: sum_programs(TYPES), 3),
    "generic": Family(lambda: generic_programs(TYPES, tensors=False), 3),
    "tensors": Family(lambda: generic_programs(TYPES, tensors=True), 2),
    "named": Family(lambda: named_programs(TYPES), 2),
    "convolutions": Family(lambda: convolution_programs(TYPES), 3),
    "fused": Family(lambda: fused_programs(TYPES), 4),
    "einsums": Family(lambda: einsum_programs(TYPES), 3),
}


def share(names, count):
    """How many programs of `count` each family gets: by weight, at least one."""
    total = sum(FAMILIES[name].weight for name in names)
    return {name: max(1, count * FAMILIES[name].weight // total) for name in names}
