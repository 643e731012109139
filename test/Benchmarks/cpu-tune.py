# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""tc-tune --cpu: schedules for all types of CPU kernels are tried, verified and taken."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy
from gpu_case import BUILD
from harness import cpu
from harness.problem import Contraction
from harness.search import Tools

import tune

PRODUCT = ["--einsum=ik,kj->ij", "--sizes=i=48,k=40,j=64"]
# What contractions of these types are called.
TYPES = {
    "bf16": ("bf16", "bf16"),
    "bf16->f32": ("bf16", "f32"),
    "f16": ("f16", "f16"),
    "i8": ("i8", "i32"),
    "i8->i8": ("i8", "i8"),
    "i16": ("i16", "i32"),
    "i32": ("i32", "i32"),
    "i64": ("i64", "i64"),
    "f64": ("f64", "f64"),
    "c64": ("complex<f32>", "complex<f32>"),
}


def run(*arguments):
    """The status of tc-tune, and what it writes."""
    said = io.StringIO()
    with mock.patch("sys.argv", ["tc-tune", f"--build={BUILD}", *arguments]):
        with contextlib.redirect_stderr(said):
            return tune.run(), said.getvalue()


class Types(unittest.TestCase):
    def test_each_is_tuned(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "tuning.json")
            status, told = run(*PRODUCT, f"--file={file}", "--cpu", "--top=2",
                               f"--dtypes={','.join(TYPES)}")  # fmt: skip
            self.assertEqual(status or 0, 0, told)
            with open(file, encoding="utf-8") as written:
                entries = json.load(written)["entries"]
            wanted = {
                f"48,64,40+ {given}<40,0,1> {given}<0,1,64> -> {result}<64,1,0> overwrite"
                for given, result in TYPES.values()
            }
            self.assertEqual({entry["contraction"] for entry in entries}, wanted)
            self.assertEqual({entry["found"] for entry in entries}, {"measured"})

    def test_each_is_taken(self):
        """Two schedules of a file make two libraries."""
        trials = cpu.CpuTrials(Tools(BUILD), "native", 1)
        for dtype in TYPES:
            problem = Contraction.make("p", "ik,kj->ij", {"i": "48", "j": "64", "k": "40"}, dtype)
            tunable, schedules = trials.find_tunable(problem, 2)
            self.assertEqual(len(schedules), 2, dtype)
            with tempfile.TemporaryDirectory() as folder:
                libraries = set()
                for number, schedule in enumerate(schedules):
                    path = pathlib.Path(folder, str(number))
                    trials._make(problem, tunable, schedule, str(path))
                    (library,) = path.glob("lib/libtc_*.so")
                    libraries.add(library.read_bytes())
            self.assertEqual(len(libraries), 2, dtype)

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "tuning.json")
            for dtype in ("f8e4m3", "c64_tf32x3", "bf16->f8e5m2"):
                _, told = run(*PRODUCT, f"--file={file}", "--cpu", f"--dtypes={dtype}")
                self.assertIn(f"expected a type of {', '.join(cpu.STORAGE)} on the CPU", told)
                self.assertIn(f"got '{dtype}'", told)
            self.assertFalse(os.path.exists(file))


class Numbers(unittest.TestCase):
    def test_rounding(self):
        """To nearest, ties to even; 8 bits of a significand."""
        values = numpy.array([0.0, -3.0, 256.0, 257.0, 258.0, 259.0, -771.0])
        wanted = [0.0, -3.0, 256.0, 256.0, 258.0, 260.0, -772.0]
        self.assertEqual(cpu.load(cpu.store(values, "bf16"), "bf16").tolist(), wanted)
        self.assertEqual(cpu.store(numpy.array([127.0, 128.0, -300.0]), "i8").tolist(),
                         [127, -128, -44])  # fmt: skip

    def test_wrong_results_are_found(self):
        problem = Contraction.make("p", "ik,kj->ij", {"i": "16", "j": "32", "k": "40"}, "bf16")
        trials = cpu.CpuTrials(Tools(BUILD), "native", 1)
        tunable, schedules = trials.find_tunable(problem, 1)
        with mock.patch.object(cpu, "make_operands") as make:
            make.return_value = [numpy.ones((16, 40)), numpy.ones((40, 32))]
            (right,) = trials.try_all(problem, tunable, schedules, lambda: False)
            self.assertIsNotNone(right.seconds, right.why)
            einsum = numpy.einsum
            with mock.patch("numpy.einsum", lambda *given, **more: einsum(*given, **more) + 1):
                (wrong,) = trials.try_all(problem, tunable, schedules, lambda: False)
        self.assertIsNone(wrong.seconds)
        self.assertIn("wrong", wrong.why)


if __name__ == "__main__":
    unittest.main()
