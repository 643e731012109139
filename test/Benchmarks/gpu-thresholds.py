# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""tc-tune --program: thresholds are set for data sets, by few runs, and the compiler takes them."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from gpu_case import BUILD, DRIVER
from harness import programs, search, thresholds, tuning
from harness.thresholds import ALWAYS, NEVER, Choice, Run, Runs

import tune

SUMS = """
func.func @sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %terms = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (%rows) {
    tc.reduce (%j) = (0) to (%terms) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<?x?xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %c = arith.addf %a, %b : f32
      tc.yield %c : f32
    } finish (%t: f32) {
      memref.store %t, %B[%i] : memref<?xf32>
    }
  }
  return
}
"""


class Limits(unittest.TestCase):
    def test_intervals_meet(self):
        # The first wants to be reached, the second not; the default is where they meet.
        choices = [Choice(1, 2, 100, 100), Choice(2, 1, 10, 10)]
        self.assertEqual(thresholds.choose_limit(choices, 50), 50)
        # What is nearest to the default, if it is outside.
        self.assertEqual(thresholds.choose_limit(choices, 7), 11)
        self.assertEqual(thresholds.choose_limit(choices, 1000), 100)

    def test_a_hundredth_decides_nothing(self):
        choices = [Choice(1, 1.005, 100, 100), Choice(2, 1, 10, 10)]
        self.assertEqual(thresholds.choose_limit(choices, 1000), 1000)

    def test_where_intervals_do_not_meet_the_mean_decides(self):
        # Reached is 3 times as good for 10, missed twice as good for 100.
        choices = [Choice(1, 3, 10, 10), Choice(2, 1, 100, 100)]
        self.assertEqual(thresholds.choose_limit(choices, 1000), 10)
        choices = [Choice(1, 2, 10, 10), Choice(3, 1, 100, 100)]
        self.assertEqual(thresholds.choose_limit(choices, 5), 101)

    def test_several_numbers_of_one_data_set_are_on_one_side(self):
        choices = [Choice(1, 2, 10, 100)]
        self.assertEqual(thresholds.choose_limit(choices, 50), 10)
        choices = [Choice(2, 1, 10, 100)]
        self.assertEqual(thresholds.choose_limit(choices, 50), 101)

    def test_ends(self):
        self.assertEqual(thresholds.choose_limit([Choice(2, 1, NEVER, NEVER)], 0), ALWAYS)
        self.assertEqual(thresholds.choose_limit([Choice(1, 2, 0, 0)], NEVER), 0)


def make_program(times, numbers):
    """One nest in another: `a` is cut into `b` and `c`, whose times add up, or is run whole by
    warps where `d` is reached. Notes the runs."""
    made = []

    def run(limits):
        compared, seconds = [], 0

        def reaches(name):
            compared.append((name, numbers[name]))
            return numbers[name] >= limits[name]

        if reaches("a"):
            seconds += times["b"] if reaches("b") else times["not b"]
            seconds += times["c"] if reaches("c") else times["not c"]
        else:
            seconds += times["d"] if reaches("d") else times["not d"]
        made.append(dict(limits))
        return Run(seconds, compared, dict(limits))

    return run, made


class Search(unittest.TestCase):
    DEFAULTS = {"a": 50, "b": 50, "c": 50, "d": 50}
    NUMBERS = {"a": 20, "b": 30, "c": 60, "d": 40}

    def tune(self, *all_times):
        programs_ = [make_program(times, self.NUMBERS) for times in all_times]
        runs = [Runs(run) for run, _ in programs_]
        limits = thresholds.tune(runs, self.DEFAULTS)
        return limits, [runs_.get(limits).seconds for runs_ in runs], programs_[0][1]

    def test_the_best_of_all_versions_is_found(self):
        times = {"b": 1, "not b": 5, "c": 7, "not c": 2, "d": 4, "not d": 9}
        limits, (seconds,), made = self.tune(times)
        self.assertEqual(seconds, 3)
        self.assertEqual(limits, {"a": 20, "b": 30, "c": 61, "d": 40})
        # Six versions of the whole, of which some are not needed.
        self.assertLessEqual(len(made), 6)
        times |= {"d": 2}
        limits, (seconds,), _ = self.tune(times)
        self.assertEqual((seconds, limits["a"]), (2, 50))

    def test_no_run_is_made_twice(self):
        times = {"b": 1, "not b": 5, "c": 7, "not c": 2, "d": 4, "not d": 9}
        _, _, made = self.tune(times)
        run, _ = make_program(times, self.NUMBERS)
        ways = [tuple(run(limits).decisions(limits)) for limits in made]
        self.assertEqual(len(ways), len(set(ways)))

    def test_what_no_data_set_comes_to_stays(self):
        run = lambda limits: Run(1.0, [], dict(limits))  # noqa: E731
        self.assertEqual(thresholds.tune([Runs(run)], self.DEFAULTS), self.DEFAULTS)


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = self.write("sums.mlir", SUMS)
        self.file = os.path.join(self.folder, "tuning.json")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def tune(self, sets, *options):
        """(status, what it said)."""
        text = sets if isinstance(sets, str) else json.dumps(sets)
        arguments = ["tc-tune", f"--build={BUILD}", f"--file={self.file}", "--chips=sm_90a"]
        arguments += [f"--program={self.program}", "--keep-order"]
        arguments += [f"--data-sets={self.write('sets.json', text)}", *options]
        said = io.StringIO()
        with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stderr(said):
            status = tune.run()
        return status, said.getvalue()

    def count(self, data_set, *options):
        """Seconds of one data set."""
        tools = search.Tools(BUILD)
        flags = [self.program, "--keep-order", *options]
        program = programs.CountedProgram(tools, "sm_90a", flags, 2)
        return program.run(program.write_arguments(self.folder, data_set), {}).seconds

    def test_each_data_set_gets_its_best_version(self):
        sets = [[[3, 100000], [3]], [[20000, 64], [20000]]]
        status, said = self.tune(sets, "--by=counted")
        self.assertEqual(status, 0, said)
        (entry,) = tuning.load(self.file).values()
        self.assertEqual(entry["function"], "sums")
        names = ["rows.0.device", "rows.0.thread", "rows.0.warp"]
        self.assertEqual(sorted(entry["thresholds"]), names)
        self.assertLessEqual(entry["tried"], (len(names) + 1) * len(sets))
        best = []
        for one in sets:
            versions = []
            for number in range(len(names) + 1):
                limits = [f"{name}={NEVER}" for name in names[:number]]
                limits += [f"{name}=0" for name in names[number:]]
                versions.append(self.count(one, f"--thresholds={','.join(limits)}"))
            best.append(versions.index(min(versions)))
            tuned = self.count(one, f"--tuning={self.file}")
            self.assertLessEqual(tuned, 1.1 * min(versions), f"{one} {said}")
        self.assertGreater(len(set(best)), 1)  # There is something to choose.

    def test_the_compiler_takes_them(self):
        self.tune([[[3, 100000], [3]]])
        (entry,) = tuning.load(self.file).values()
        entry["thresholds"]["rows.0.warp"] = 12345
        tuning.update(self.file, [entry])
        command = [os.path.join(BUILD, "bin", "tc-compile"), self.program, "--report=json"]
        command += ["--keep-order", "--chip=sm_90a", f"--tuning={self.file}"]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(run.stdout)["thresholds"]["rows.0.warp"], 12345)

    def test_simulated_times_are_believed_more_than_counts(self):
        sets = [[[2, 3000], [2]]]
        self.tune(sets, "--by=counted")
        (counted,) = tuning.load(self.file).values()
        status, said = self.tune(sets)
        self.assertEqual(status, 0, said)
        (entry,) = tuning.load(self.file).values()
        self.assertEqual(entry["found"], "simulated")
        self.assertGreater(entry["seconds"], counted["seconds"])

    def test_a_device_times(self):
        status, said = self.tune([[[3, 2000], [3]]], "--by=measured", f"--driver={DRIVER}")
        self.assertEqual(status, 0, said)
        (entry,) = tuning.load(self.file).values()
        self.assertEqual(entry["found"], "emulated")
        self.assertGreater(entry["seconds"], 0)

    def test_a_later_entry_of_a_function_stays(self):
        entry = {"machine": "sm_90a", "function": "f", "version": 1, "thresholds": {"a": 1}}
        entry |= {"found": "counted", "seconds": 1.0}
        tuning.update(self.file, [entry])
        tuning.update(self.file, [entry | {"seconds": 2.0}])
        (kept,) = tuning.load(self.file).values()
        self.assertEqual(kept["seconds"], 2.0)
        tuning.update(self.file, [entry | {"found": "simulated", "seconds": 3.0}])
        tuning.update(self.file, [entry])
        (kept,) = tuning.load(self.file).values()
        self.assertEqual(kept["found"], "simulated")

    def test_what_is_wrong_is_said(self):
        for sets, message in (
            ("{", "expected data sets at '.*sets.json'"),
            ([], "expected a list of data sets, got"),
            ([[[3, -1]]], "data set 0: expected for each argument a list of extents"),
            ([[[3, 4], "x"]], "data set 0: expected for each argument a list of extents"),
            ([[[3, 4]]], "expected 2 inputs .* with --count, got 1"),
            ([[[3], [3]]], "expected .* dimensions|rank"),
        ):
            with self.assertRaisesRegex(search.SearchError, message):
                self.tune(sets)
        self.assertFalse(os.path.exists(self.file))
        self.program = self.write("static.mlir", SUMS.replace("memref<?x?xf32>", "memref<4x9xf32>"))
        with self.assertRaisesRegex(search.SearchError, "expected thresholds in 'sums'"):
            self.tune([[[4, 9], [4]]])


if __name__ == "__main__":
    unittest.main()
