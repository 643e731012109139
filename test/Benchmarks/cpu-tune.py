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
from harness import cpu, cpu_arguments
from harness.problem import Contraction
from harness.search import SearchError, Tools

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
                self.assertIn(f"expected a type of {', '.join(cpu_arguments.STORAGE)} on the CPU", told)
                self.assertIn(f"got '{dtype}'", told)
            self.assertFalse(os.path.exists(file))


class Numbers(unittest.TestCase):
    def test_rounding(self):
        """To nearest, ties to even; 8 bits of a significand."""
        values = numpy.array([0.0, -3.0, 256.0, 257.0, 258.0, 259.0, -771.0])
        wanted = [0.0, -3.0, 256.0, 256.0, 258.0, 260.0, -772.0]
        self.assertEqual(cpu_arguments.load(cpu_arguments.store(values, "bf16"), "bf16").tolist(), wanted)
        self.assertEqual(cpu_arguments.store(numpy.array([127.0, 128.0, -300.0]), "i8").tolist(),
                         [127, -128, -44])  # fmt: skip

    def test_wrong_results_are_found(self):
        problem = Contraction.make("p", "ik,kj->ij", {"i": "16", "j": "32", "k": "40"}, "bf16")
        trials = cpu.CpuTrials(Tools(BUILD), "native", 1)
        tunable, schedules = trials.find_tunable(problem, 1)
        (right,) = trials.try_all(problem, tunable, schedules, lambda: False)
        self.assertIsNotNone(right.seconds, right.why)
        einsum = numpy.einsum
        with mock.patch("numpy.einsum", lambda *given, **more: einsum(*given, **more) + 16):
            (wrong,) = trials.try_all(problem, tunable, schedules, lambda: False)
        self.assertIsNone(wrong.seconds)
        self.assertIn("wrong", wrong.why)


PROGRAM = """
func.func @layers(%x: memref<48x40xf32>, %v: memref<40x64xf32>, %b: memref<64xf32>,
                  %h: memref<48x64xf32>, %w: memref<64x32xbf16>, %y: memref<48x64xbf16>,
                  %z: memref<48x32xf32>) {
  linalg.matmul ins(%x, %v : memref<48x40xf32>, memref<40x64xf32>) outs(%h : memref<48x64xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<64xf32>) outs(%h : memref<48x64xf32>) {
  ^bb0(%q: f32, %o: f32):
    %s = arith.addf %q, %o : f32
    %e = math.tanh %s : f32
    linalg.yield %e : f32
  }
  linalg.matmul ins(%y, %w : memref<48x64xbf16>, memref<64x32xbf16>) outs(%z : memref<48x32xf32>)
  return
}
"""


class Programs(unittest.TestCase):
    """Contractions of a function, compiled whole; it adds to its results."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "tuning.json")
        self.path = os.path.join(folder.name, "layers.mlir")
        self.write(PROGRAM)

    def write(self, program):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(program)

    def tune(self, *options):
        return run(f"--program={self.path}", f"--file={self.file}", "--cpu", "--top=2", *options)

    def test_each_contraction(self):
        status, said = self.tune()
        self.assertEqual(status, 0, said)
        with open(self.file, encoding="utf-8") as written:
            entries = json.load(written)["entries"]
        self.assertEqual({entry["program"] for entry in entries}, {"layers.mlir"})
        keys = "\n".join(entry["contraction"] for entry in entries)
        self.assertIn("48,64,40+ f32<40,0,1> f32<0,1,64> -> f32<64,1,0>", keys)
        self.assertIn("48,32,64+ bf16<64,0,1> bf16<0,1,32> -> f32<32,1,0>", keys)
        _, said = self.tune()
        self.assertIn("known", said)

    def test_wrong_results_are_found(self):
        trials = cpu.CpuTrials(Tools(BUILD), "native", 1)
        problem = trials.find_contractions(self.path, "", 1)[0]
        find = cpu_arguments.of_function

        def find_wrong(kernel):
            arguments = find(kernel)
            arguments.wanted[6][1][3, 5] += 1
            return arguments

        with mock.patch.object(cpu_arguments, "of_function", find_wrong):
            (wrong,) = trials.try_all(problem, problem.tunable, problem.schedules, lambda: False)
        self.assertEqual(wrong.why, "wrong: argument 6 differs from what it has to be")

    def test_refused(self):
        for program, words in (
            (PROGRAM.replace("48x", "?x"), "expected known extents"),
            (PROGRAM.replace("%b: memref<64xf32>", "%b: memref<64xf32, strided<[2]>>").replace(
                "(%b : memref<64xf32>)", "(%b : memref<64xf32, strided<[2]>>)"),
             "expected arrays of known extents without gaps, got 'b'"),
            ("func.func @f(%x: memref<8xf32>) { return }", "expected a contraction with schedules"),
        ):  # fmt: skip
            self.write(program)
            with self.subTest(words):
                try:
                    _, said = self.tune()
                except SearchError as error:
                    said = str(error)
                self.assertIn(words, said)
        self.assertFalse(os.path.exists(self.file))


if __name__ == "__main__":
    unittest.main()
