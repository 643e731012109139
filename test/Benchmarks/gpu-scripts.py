# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""tc-tune --script: the knobs of a schedule are chosen by few tries, and written."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from gpu_case import BUILD, DRIVER
from harness.scripts import MOST, Attempts, Script
from harness.search import SearchError, Tools

import tune

PROGRAM = """
func.func @transposition(%A: memref<128x256xf32>, %B: memref<256x128xf32>) {
  tc.par (%j, %i) = (0, 0) to (256, 128) {
    %x = memref.load %A[%i, %j] : memref<128x256xf32>
    memref.store %x, %B[%j, %i] : memref<256x128xf32>
  }
  return
}
"""
SCRIPT = """
!op = !transform.any_op
!number = !transform.any_param
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
    %nest = transform.structured.match ops{["tc.par"]} in %m : (!op) -> !op
    %rows = transform.tune.knob<"rows"> options = [-1, 1, 32] -> !number
    %columns = transform.tune.knob<"columns"> options = [4, 32] -> !number
    %blocks, %threads = transform.tc.tile %nest sizes [%rows, %columns]
      : (!op, !number, !number) -> (!op, !op)
    transform.tune.alternatives<"who"> {
      transform.tc.bind %blocks grid : !op
    }, {
      transform.tc.bind %blocks grid : !op
      transform.tc.bind %threads block : !op
    }
    transform.yield
  }
}
"""


def attempt(knobs, function, is_time_up=lambda: False):
    """The best of some knobs, by number, and what was tried."""
    tried = []

    def try_choice(choice):
        tried.append(tuple(choice.values()))
        return function(*tried[-1])

    attempts = Attempts(knobs, try_choice, lambda line: None, is_time_up)
    return attempts.find_best(), tried


def refuse(*numbers):
    raise SearchError("no")


class Choices(unittest.TestCase):
    def test_few_choices_are_all_tried(self):
        knobs = {"a": [1, 2, 3], "b": [1, 2]}
        best, tried = attempt(knobs, lambda a, b: 10 - 3 * a * b)
        self.assertEqual(best, (2, 1))
        self.assertEqual(sorted(tried), [(a, b) for a in range(3) for b in range(2)])

    def test_a_hundredth_decides_nothing(self):
        best, _ = attempt({"a": [1, 2, 3]}, lambda a: [5.0, 1.005, 1.0][a])
        self.assertEqual(best, (1,))

    def test_of_many_one_knob_after_another_is_turned(self):
        knobs = {name: list(range(9)) for name in "abc"}
        self.assertGreater(9**3, MOST)
        best, tried = attempt(knobs, lambda *n: 1 + sum((x - 5) ** 2 for x in n))
        self.assertEqual(best, (5, 5, 5))
        self.assertLess(len(tried), MOST)
        self.assertEqual(len(tried), len(set(tried)))

    def test_what_is_refused_is_not_chosen(self):
        def run(a):
            return refuse() if a == 0 else float(a)

        self.assertEqual(attempt({"a": [1, 2, 3]}, run)[0], (1,))
        with self.assertRaisesRegex(SearchError, "found none"):
            attempt({"a": [1, 2]}, refuse)

    def test_the_time_may_be_up(self):
        times = iter([False, False, True])
        best, tried = attempt({"a": [1, 2, 3]}, lambda a: 3.0 - a, lambda: next(times))
        self.assertEqual((best, tried), ((1,), [(0,), (1,)]))


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program, self.script = self.write("p.mlir", PROGRAM), self.write("s.mlir", SCRIPT)
        self.output = os.path.join(self.folder, "chosen.mlir")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def tune(self, *options):
        command = ["tc-tune", f"--program={self.program}", f"--script={self.script}"]
        command += [f"--output={self.output}", f"--build={BUILD}", *options]
        output = io.StringIO()
        with mock.patch.object(sys, "argv", command), contextlib.redirect_stderr(output):
            status = tune.run()
        self.assertEqual(status, 0)
        return output.getvalue()

    def test_knobs_are_told_in_the_order_of_the_script(self):
        knobs = Script(Tools(BUILD), self.script).find_knobs()
        expected = {
            "rows": ["-1", "1", "32"],
            "columns": ["4", "32"],
            "who": ["region 0", "region 1"],
        }
        self.assertEqual(list(knobs.items()), list(expected.items()))

    def test_the_best_is_written_and_works(self):
        said = self.tune("--chips=sm_90a", "--by=counted")
        self.assertIn("expected sizes of at least 0", said)
        self.assertIn("of 12, written to", said)
        with open(self.output, encoding="utf-8") as file:
            chosen = file.read()
        self.assertIn('knob<"rows"> = 32 : i64 from', chosen)
        library = f"--transform-preload-library=transform-library-paths={self.output}"
        tools = [
            ["tc-opt", self.program, library, "--transform-interpreter"],
            ["tc-run", "-", "--verify", "--device=emulator"],
        ]
        text = None
        for name, *options in tools:
            command = [os.path.join(BUILD, "bin", name), *options]
            run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
            text = run.stdout
        self.assertIn("verified", text)

    def test_on_a_device(self):
        said = self.tune("--by=measured", f"--driver={DRIVER}", "--minutes=0.2")
        self.assertRegex(said, r"us emulated, number \d+ of")

    def test_errors(self):
        with self.assertRaisesRegex(SearchError, "expected one chip for a script"):
            self.tune("--by=counted")
        self.script = self.write("none.mlir", "module {}")
        with self.assertRaisesRegex(SearchError, "expected knobs"):
            self.tune("--chips=sm_90a")
        with self.assertRaises(SystemExit):
            self.tune("--file=tuning.json")


if __name__ == "__main__":
    unittest.main()
