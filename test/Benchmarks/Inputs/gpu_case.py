"""What the tests of benchmarks/gpu share: a small bundle, and runs on the emulator's
driver library in this process."""

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import unittest

BUILD, SOURCE = os.environ["TC_BUILD"], os.environ["TC_SOURCE"]
DRIVER = os.path.join(BUILD, "lib", "libtc-cuda-emulator.so")
sys.path.insert(0, os.path.join(SOURCE, "benchmarks", "gpu"))

from harness import bundle, main, results  # noqa: E402
from harness.problem import Problem  # noqa: E402

CHIP = "sm_90a"
MM = Problem.make("mm", "mk,kn->mn", {"m": 16, "n": 16, "k": 16}, "f32", "mm")
MM_WIDE = Problem.make("mm", "mk,kn->mn", {"m": 16, "n": 16, "k": 16}, "f64", "mm")
CCSD = Problem.make(
    "ccsd", "dabf,fc->dcba", {"a": 3, "b": 4, "c": 5, "d": 2, "f": 8}, "f32", "tccg"
)
# Its sum is divided over the grid, and a second kernel combines the parts.
DOT = Problem.make("dot", "ij,ij->", {"i": 64, "j": 1024}, "f32", "sums")


class GpuCase(unittest.TestCase):
    """A folder of its own with a copy of a bundle of the four problems."""

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.made)
        wanted = [(problem, CHIP) for problem in (MM, MM_WIDE, CCSD, DOT)]
        faults = bundle.make(BUILD, cls.made, wanted, jobs=1, commit="made-for-test")
        assert not faults, faults

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.bundle = os.path.join(self.folder, "bundle")
        shutil.copytree(self.made, self.bundle)
        self.output = os.path.join(self.folder, "result.json")

    def run_main(self, *options, contenders="tc"):
        """(exit status, what it said)."""
        arguments = [f"--driver={DRIVER}", f"--bundle={self.bundle}", f"--output={self.output}"]
        if contenders:
            arguments.append(f"--contenders={contenders}")
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = main.main([*arguments, *options])
        return status, said.getvalue()

    def result(self):
        return results.load(self.output)

    def rows(self):
        """By problem, type and contender."""
        return {
            (row["problem"], row["dtype"], row["contender"]): row for row in self.result()["rows"]
        }

    def edit(self, change):
        """Has `change` edit the manifest of the bundle."""
        path = os.path.join(self.bundle, bundle.MANIFEST)
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        change({kernel["id"]: kernel for kernel in manifest["kernels"]})
        bundle.write_json(path, manifest)
