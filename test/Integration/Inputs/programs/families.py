"""The families of programs: which text, and which share of a run."""

from dataclasses import dataclass
from typing import Callable

from .contracts import contract_programs, sum_programs
from .einsums import einsum_programs
from .linalg import (
    convolution_programs,
    fused_programs,
    generic_programs,
    named_programs,
    reshape_programs,
)


@dataclass(frozen=True)
class Family:
    programs: Callable  # of the element types; gives a strategy
    weight: int


FAMILIES = {
    "contract": Family(lambda types: contract_programs(types, regions=False), 8),
    "regions": Family(lambda types: contract_programs(types, regions=True), 9),
    "sums": Family(lambda types: sum_programs(types), 3),
    "generic": Family(lambda types: generic_programs(types, tensors=False), 3),
    "tensors": Family(lambda types: generic_programs(types, tensors=True), 2),
    "named": Family(lambda types: named_programs(types), 5),
    "reshapes": Family(lambda types: reshape_programs(types), 2),
    "convolutions": Family(lambda types: convolution_programs(types), 8),
    "fused": Family(lambda types: fused_programs(types), 4),
    "einsums": Family(lambda types: einsum_programs(types), 3),
}


def share(names, count):
    """How many programs of at least `count` each family gets: by weight."""
    total = sum(FAMILIES[name].weight for name in names)
    return {name: -(-count * FAMILIES[name].weight // total) for name in names}
