"""What a program is: its arguments by sizes, their contents by seed, and what it computes."""

import dataclasses
import os
import re
from collections.abc import Callable

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass(frozen=True)
class Program:
    """One program. `describe` gives (type, shape) of each argument by name, in order, for
    sizes; a shape that is a number is the value of an index. `fill` gives the contents of
    the inputs, others are zero. `reference` gives the results by name, in double
    precision."""

    name: str
    describe: Callable
    fill: Callable
    reference: Callable
    results: tuple[str, ...]
    test: dict  # sizes that the emulator runs with all checks
    full: dict  # sizes by data set
    bound: float  # of the error, relative to the largest element of a result
    more: tuple = ()  # more sizes to test with
    fixed: tuple = ()  # data sets to count with static extents

    @property
    def path(self):
        return os.path.join(FOLDER, f"{self.name}.mlir")

    def get_text(self, sizes=None):
        """The program, with static extents where sizes are given: for this, the type of each
        argument has the name of the argument."""
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        for name, (_, shape) in self.describe(**sizes).items() if sizes else ():
            extents = "x".join(map(str, shape))
            text = re.sub(rf"^(!{name} = memref<)[?x]+x", rf"\g<1>{extents}x", text, flags=re.M)
        return text

    def make(self, sizes, seed):
        """The arguments by name."""
        arguments = {}
        for name, (dtype, shape) in self.describe(**sizes).items():
            if isinstance(shape, int):
                arguments[name] = np.asarray(shape, dtype=dtype)
            else:
                arguments[name] = np.zeros(shape, dtype=dtype)
        for name, values in self.fill(np.random.default_rng(seed), **sizes).items():
            arguments[name][...] = values
        return arguments

    def save(self, arguments, folder):
        """Writes the arguments as files, and returns their paths."""
        paths = []
        for name, array in arguments.items():
            paths.append(os.path.join(folder, f"{name}.npy"))
            np.save(paths[-1], array)
        return paths

    def save_shapes(self, sizes, folder):
        """The same without contents, for a count: files with holes, which take no room."""
        paths = []
        for name, (dtype, shape) in self.describe(**sizes).items():
            paths.append(os.path.join(folder, f"{name}.npy"))
            if isinstance(shape, int):
                np.save(paths[-1], np.asarray(shape, dtype=dtype))
            else:
                np.lib.format.open_memmap(paths[-1], "w+", dtype, shape)
        return paths


def find_error(got, expected):
    """The largest error, relative to the largest element; infinite for what is no number."""
    if got.shape != expected.shape or not np.all(np.isfinite(got) == np.isfinite(expected)):
        return np.inf
    if np.all(got == expected):
        return 0.0
    return float(np.max(np.abs(got - expected)) / np.max(np.abs(expected)))
