"""Is a result right? Every element is judged, on the device.

Two measures. By element: the error over the magnitude may not exceed what rounding
can cause in any order of summation (docs/Reports.md). By norm: the error over the
norm of the reference may not exceed what rounding is expected to cause, which tells
f32 from tf32 however long a sum is.
"""

import ctypes
import dataclasses
import math

from . import data
from .driver import address

_THREADS_READ = 1 << 16  # sums that the host adds


@dataclasses.dataclass
class Verdict:
    """What was found in a result."""

    error: float  # by norm
    tolerance: float
    max_rel_error: float  # of an element, over its magnitude
    max_tolerance: float
    wrong: int  # elements that no tolerance lets through
    results: int

    @property
    def is_right(self):
        return (
            self.wrong == 0
            and self.error <= self.tolerance
            and self.max_rel_error <= self.max_tolerance
        )

    def explain(self):
        """Why the result is refused."""
        if self.wrong:
            return (
                f"expected finite results, got {self.wrong} of {self.results} that are not, "
                "or were never written"
            )
        if self.error > self.tolerance:
            return (
                f"expected an error of at most {self.tolerance:.2e} by norm, "
                f"got {self.error:.2e}"
            )
        return (
            f"expected an error of at most {self.max_tolerance:.2e} in each element, "
            f"got {self.max_rel_error:.2e}"
        )

    def as_row(self):
        return {
            "verified": self.is_right,
            "error": self.error,
            "tolerance": self.tolerance,
            "max_rel_error": self.max_rel_error,
            "max_tolerance": self.max_tolerance,
        }


def find_tolerances(problem):
    """(by norm, by element). The reference rounds in f64 as often as the result."""
    return problem.arithmetic.find_tolerances(problem.terms + len(problem.inputs))


class Verifier:
    """Compares results of one problem with its reference."""

    def __init__(self, driver, problem, reference):
        self.driver, self.problem, self.reference = driver, problem, reference
        self.module = driver.load(data.write_compare(problem.arithmetic))
        self.kernel = self.module.kernel("compare")
        self.grid = min(
            data.find_grid(driver, reference.chunk), _THREADS_READ // data.BLOCK
        )
        self.sums = driver.allocate(32 * self.grid * data.BLOCK)

    def verify(self, output):
        """Judges the result at `output`."""
        squares = reference_squares = largest = wrong = 0.0
        first = 0
        while first < self.reference.total:
            count = self.reference.compute(first)
            place = output + first * self.problem.item_bytes
            arguments = [
                address(place),
                address(self.reference.results),
                address(self.reference.magnitudes),
                ctypes.c_uint64(count),
                address(self.sums),
            ]
            self.kernel.launch((self.grid, 1, 1), (data.BLOCK, 1, 1), arguments)
            self.driver.synchronize()
            sums = self.driver.read(self.sums, 4 * self.grid * data.BLOCK, "f8").reshape(-1, 4)
            squares += sums[:, 0].sum()
            reference_squares += sums[:, 1].sum()
            largest = max(largest, sums[:, 2].max())
            wrong += sums[:, 3].sum()
            first += count
        error = math.sqrt(squares / reference_squares) if reference_squares else 0.0
        tolerance, max_tolerance = find_tolerances(self.problem)
        return Verdict(
            float(error), tolerance, float(largest), max_tolerance, int(wrong), self.reference.total
        )

    def free(self):
        self.driver.free(self.sums)
        self.module.unload()
