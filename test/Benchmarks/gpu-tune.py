# RUN: rm -rf %t && mkdir %t
# RUN: %cxx -x c -std=c11 -shared -fPIC -O1 %S/Inputs/fake_peers.c -o %t/libfake.so
# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source FAKES=%t/libfake.so PYTHONPATH=%S/Inputs \
# RUN:   %python %s
"""tc-tune: schedules of the search are tried, winners are kept, files merge, and the
compiler takes what they say."""

import contextlib
import io
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from gpu_case import BUILD, CHIP, DRIVER, MM
from harness import bundle, search, tuning
from harness.functions import find_contractions

import tune

# A product with a bias, and another one of what that gives.
PROGRAM = """
func.func @layers(%x: tensor<32x48xf32>, %v: tensor<48x64xf32>, %b: tensor<64xf32>,
                  %w: tensor<64x16xbf16>, %y: tensor<32x64xbf16>)
    -> (tensor<32x64xf32>, tensor<32x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<32x64xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %xv = linalg.matmul ins(%x, %v : tensor<32x48xf32>, tensor<48x64xf32>)
      outs(%i0 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%xv, %b : tensor<32x64xf32>, tensor<64xf32>) outs(%e0 : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %e1 = tensor.empty() : tensor<32x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %yw = linalg.matmul ins(%y, %w : tensor<32x64xbf16>, tensor<64x16xbf16>)
      outs(%i1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  return %h, %yw : tensor<32x64xf32>, tensor<32x16xf32>
}
"""
KEY = "16,16,16+ f32<16,0,1> f32<0,1,16> -> f32<16,1,0> overwrite"


def make_entry(seconds=2e-6, found="counted", **more):
    entry = {"machine": "sm_90a", "contraction": "2+ f32<1>", "version": 1}
    entry |= {"schedule": f"#tc.schedule<{seconds}>", "found": found, "seconds": seconds}
    return entry | more


def write_many(path, worker):
    for i in range(20):
        tuning.update(path, [make_entry(contraction=f"{worker} {i}")])


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "tuning.json")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)


class Files(InFolder):
    def test_the_better_entry_stays(self):
        for old, new, kept in (
            (make_entry(2e-6), make_entry(1e-6), 1e-6),
            (make_entry(1e-6), make_entry(2e-6), 1e-6),
            (make_entry(1e-6), make_entry(2e-6, "measured"), 2e-6),
            (make_entry(1e-6, "emulated"), make_entry(2e-6), 2e-6),
            (make_entry(2e-6, "measured"), make_entry(1e-6), 2e-6),
        ):
            if os.path.exists(self.path):
                os.remove(self.path)
            tuning.update(self.path, [old])
            (entry,) = tuning.update(self.path, [new]).values()
            self.assertEqual(entry["seconds"], kept)
        (entry,) = tuning.update(self.path, [make_entry(1e-6)], replace=True).values()
        self.assertEqual(entry["seconds"], 1e-6)

    def test_other_chips_and_versions_are_other_entries(self):
        entries = [make_entry(), make_entry(machine="sm_80"), make_entry(version=2)]
        self.assertEqual(len(tuning.update(self.path, entries)), 3)

    def test_files_compare_as_text(self):
        entries = [make_entry(contraction=text) for text in "cab"]
        tuning.update(self.path, entries)
        with open(self.path, encoding="utf-8") as file:
            before = file.read()
        self.assertEqual(before, tuning.write_text(tuning.load(self.path)))
        tuning.update(self.path, [make_entry(1e-6, contraction="b")])
        with open(self.path, encoding="utf-8") as file:
            after = file.read()
        changed = [a != b for a, b in zip(before.splitlines(), after.splitlines())]
        self.assertEqual(changed, [False, False, True, False, False])

    def test_writers_take_turns(self):
        context = multiprocessing.get_context("fork")
        workers = [context.Process(target=write_many, args=(self.path, n)) for n in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            self.assertEqual(worker.exitcode, 0)
        self.assertEqual(len(tuning.load(self.path)), 80)

    def test_what_is_no_tuning_file_is_refused(self):
        for text, error in (
            ("[", "expected a tuning file at"),
            ("[]", "expected an object with format 'tc-tuning'"),
            ('{"format": "tc-tuning", "entries": [{}]}', "expected machine of type str"),
            (tuning.write_text({1: make_entry(found="guessed")}), "got 'guessed'"),
        ):
            self.write(text)
            with self.assertRaisesRegex(tuning.TuningError, error):
                tuning.load(self.path)


class Search(unittest.TestCase):
    def test_schedules_are_of_the_search_each_once(self):
        schedules = search.Tools(BUILD).find_best(MM, CHIP, 3)
        self.assertEqual(len(set(schedules)), 3)
        described = search.Tools(BUILD).describe(MM, CHIP)
        self.assertEqual(described["contraction"], KEY)
        first = search.number_iterators(schedules[0], described["iterators"])
        self.assertEqual(first, described["schedule"])

    def test_iterators_are_numbered(self):
        text = "#tc.schedule<thread = [m = 8, n = 16, m = 2], vector = [k = 4], kernel = fma>"
        expected = text.replace("m =", "i0 =").replace("n =", "i1 =").replace("k =", "i2 =")
        self.assertEqual(search.number_iterators(text, ["m", "n", "k"]), expected)

    def test_the_first_that_is_near_the_best_is_chosen(self):
        trials = [search.Trial(str(i), s) for i, s in enumerate((None, 2.0, 1.005, 1.0))]
        self.assertEqual(search.choose(trials).schedule, "2")


class Tune(InFolder):
    def tune(self, *options, by=None):
        """(status, what it said)."""
        arguments = ["tc-tune", f"--build={BUILD}", f"--file={self.path}", "--jobs=1"]
        arguments += ["--einsum=mk,kn->mn", "--sizes=m=16,k=16,n=16", "--dtypes=f32"]
        said = io.StringIO()
        with mock.patch.object(sys, "argv", [*arguments, "--chips=sm_90a", *options]):
            with contextlib.redirect_stderr(said):
                status = tune.run()
        return status, said.getvalue()

    def entry(self):
        (entry,) = tuning.load(self.path).values()
        return entry

    def compile(self, *options):
        command = [os.path.join(BUILD, "bin", "tc-compile"), "--report=json", *options]
        command += ["--einsum=ab,bc->ac", "--sizes=a=16,b=16,c=16", f"--chip={CHIP}"]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(run.stdout)["tunable"][0]["schedule"]

    def test_the_winner_is_what_the_compiler_takes(self):
        schedules = search.Tools(BUILD).find_best(MM, CHIP, 3)
        # The last one is made to win.
        seconds = dict(zip(schedules, (3e-6, 2e-6, 1e-6)))
        count = lambda self, options, chip: [  # noqa: E731
            {"seconds": seconds[options[-1].removeprefix("--schedule=")]}
        ]
        with mock.patch.object(search.Tools, "count", count):
            status, said = self.tune("--top=3")
        self.assertEqual(status, 0, said)
        self.assertIn("number 3 of 3, 3.000 times as fast as the first", said)
        entry = self.entry()
        self.assertEqual((entry["found"], entry["seconds"]), ("counted", 1e-6))
        self.assertEqual((entry["tried"], entry["rank"]), (3, 3))
        self.assertEqual(entry["contraction"], KEY)
        self.assertEqual(self.compile(f"--tuning={self.path}"), entry["schedule"])
        self.assertNotEqual(self.compile(), entry["schedule"])

    def test_types_and_precisions_are_those_of_the_compiler(self):
        types = ("c64", "c64_tf32x3", "bf16", "i8", "f32", "tf32x3")
        status, said = self.tune(f"--dtypes={','.join(types)}", "--top=2")
        self.assertEqual(status, 0, said)
        keys = [entry["contraction"] for entry in tuning.load(self.path).values()]
        self.assertEqual(len(keys), len(types))
        self.assertEqual(sum(key.endswith(" precision tf32x3") for key in keys), 2)
        status, said = self.tune("--dtypes=f33", "--top=2")
        self.assertEqual(status, 1)
        self.assertIn("f33", said)

    def test_contractions_of_a_file_are_tuned_with_their_epilogues(self):
        path = os.path.join(os.path.dirname(self.path), "program.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        flags = [f"--build={BUILD}", f"--file={self.path}", f"--program={path}", "--top=3"]
        # The last schedule of the second one is made to win.
        tools = search.Tools(BUILD)
        first, second = find_contractions(tools, path, "", CHIP)
        wanted = tools.find_best(second, CHIP, 3, second.number)[2]

        def count(self, options, chip):
            tuned = tuning.load(options[-1].removeprefix("--tuning="))
            (entry,) = tuned.values()
            number = dict(second.tunable)["contraction"] == entry["contraction"]
            wins = number and entry["schedule"] == search.number_iterators(
                wanted, dict(second.tunable)["iterators"]
            )
            return [{"seconds": 1e-6 if wins else 2e-6}]

        said = io.StringIO()
        with (
            mock.patch.object(sys, "argv", ["tc-tune", *flags, f"--chips={CHIP}"]),
            mock.patch.object(search.Tools, "count", count),
            contextlib.redirect_stderr(said),
        ):
            self.assertEqual(tune.run(), 0, said.getvalue())
        entries = tuning.load(self.path)
        self.assertEqual(len(entries), 2)
        self.assertTrue(all(entry["program"] == "program.mlir" for entry in entries.values()))
        command = [os.path.join(BUILD, "bin", "tc-compile"), path, f"--tuning={self.path}"]
        command += [f"--chip={CHIP}", "--report=json"]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        taken = [one["schedule"] for one in json.loads(run.stdout)["tunable"]]
        by_key = {entry["contraction"]: entry["schedule"] for entry in entries.values()}
        self.assertEqual(taken[0], by_key[dict(first.tunable)["contraction"]])
        self.assertEqual(taken[1], by_key[dict(second.tunable)["contraction"]])
        self.assertEqual(
            taken[1], search.number_iterators(wanted, dict(second.tunable)["iterators"])
        )
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
            with mock.patch.object(sys, "argv", ["tc-tune", *flags, "--by=measured"]):
                tune.run()
        self.assertIn("expected --by=counted or simulated", said.getvalue())

    def test_counts_are_of_the_emulator_and_made_once(self):
        status, said = self.tune("--top=2")
        self.assertEqual(status, 0, said)
        self.assertGreater(self.entry()["seconds"], 3e-6)  # A launch.
        self.assertIn("mk,kn->mn f32 sm_90a: known", self.tune("--top=2")[1])
        self.assertIn("of 2", self.tune("--top=2", "--again")[1])

    def test_simulated_times_are_believed_more_than_counts(self):
        self.tune("--top=2")
        counted = self.entry()
        status, said = self.tune("--top=2", "--by=simulated")
        self.assertEqual(status, 0, said)
        self.assertIn("us simulated", said)
        self.assertEqual(self.entry()["found"], "simulated")
        # A count is a lower bound.
        self.assertGreater(self.entry()["seconds"], counted["seconds"])
        self.assertIn("mk,kn->mn f32 sm_90a: known", self.tune("--top=2")[1])

    def test_what_is_outside_the_model_is_not_taken(self):
        launch = {"simulated_b": {"seconds": 1e-6, "outside": "it waits"}}
        count = lambda self, *case: [launch]  # noqa: E731
        with mock.patch.object(search.Tools, "count", count):
            status, said = self.tune("--top=2", "--by=simulated")
        self.assertEqual(status, 1)
        self.assertIn("outside the model: it waits", said)

    def test_a_device_verifies_and_times(self):
        measured = ["--by=measured", f"--driver={DRIVER}", "--chips="]
        status, said = self.tune("--top=2", *measured)
        self.assertEqual(status, 0, said)
        entry = self.entry()
        # The emulator's times are no measurement, and give way to counts.
        self.assertEqual((entry["found"], entry["device"]), ("emulated", "tc emulator (sm_90)"))
        self.assertIn("its times say nothing about a GPU", said)
        self.tune("--top=1")
        self.assertEqual(self.entry()["found"], "counted")

    def tune_with_library(self, path, seconds_of_library):
        """The entry, where kernels take a microsecond."""

        def make_trial(schedule, row, why):
            self.assertTrue(row is None or row["status"] == "right", row)
            if row is None:
                return search.Trial(schedule, None, why)
            is_library = schedule == search.LIBRARY
            return search.Trial(schedule, seconds_of_library if is_library else 1e-6)

        os.environ["FAKE_DRIVER"] = DRIVER
        measured = ["--by=measured", f"--driver={DRIVER}", "--chips=", "--again"]
        with mock.patch.object(search.MeasuredTrials, "_make_trial", staticmethod(make_trial)):
            status, said = self.tune("--top=2", *measured, "--library", f"cublas={path}")
        self.assertEqual(status, 0, said)
        return self.entry(), said

    def test_a_library_is_tried_and_a_kernel_stands_in(self):
        fakes = os.environ["FAKES"]
        entry, said = self.tune_with_library(fakes, 0.5e-6)
        self.assertIn("cuBLAS, before number 1 of 3", said)
        self.assertRegex(entry["schedule"], r"thread = .*kernel = library")
        text = subprocess.run(
            [
                os.path.join(BUILD, "bin", "tc-compile"),
                *MM.options,
                *(f"--chip={CHIP}", f"--tuning={self.path}", "--emit=gpu"),
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.assertIn("call @tcMgpuProduct", text)
        entry, _ = self.tune_with_library(fakes, 0.995e-6)  # no faster, as far as one can tell
        self.assertRegex(entry["schedule"], "kernel = fma")
        entry, said = self.tune_with_library("/nowhere.so", 0.5e-6)
        self.assertIn("cuBLAS is missing", said)
        self.assertRegex(entry["schedule"], "kernel = fma")

    def test_the_time_is_up(self):
        status, said = self.tune("--minutes=0")
        self.assertIn("the time is up: 1 of 1 are left", said)
        self.assertEqual(tuning.load(self.path), {})

        def count(self, options, chip):
            time.sleep(0.3)
            return [{"seconds": 1e-6}]

        with mock.patch.object(search.Tools, "count", count):
            status, said = self.tune("--minutes=0.01", "--top=9")
        self.assertIn("the time is up", said)
        self.assertEqual(tuning.load(self.path), {})  # Half a search has no winner.

    def test_files_are_merged(self):
        other = f"{self.path}.other"
        tuning.update(other, [make_entry(1e-6)])
        tuning.update(self.path, [make_entry(2e-6), make_entry(machine="sm_80")])
        self.assertEqual(self.tune("--merge", other)[0], 0)
        self.assertEqual(len(tuning.load(self.path)), 2)
        with self.assertRaisesRegex(tuning.TuningError, "expected a tuning file at '/nowhere'"):
            self.tune("--merge", "/nowhere")

    def test_what_cannot_be_tuned_is_a_fault(self):
        status, said = self.tune("--einsum=mk,kn->mn", "--sizes=m=16,k=16,n=0")
        self.assertEqual(status, 1, said)
        self.assertIn("FAILED", said)
        with self.assertRaisesRegex(search.SearchError, "expected the chip of the device, sm_90a"):
            self.tune("--by=measured", f"--driver={DRIVER}", "--chips=sm_80")

    def test_a_bundle_has_what_was_tuned(self):
        schedule = "#tc.schedule<thread = [i0 = 4, i1 = 8], step = [i2 = 16], kernel = fma>"
        entry = make_entry(contraction=KEY, schedule=schedule)
        tuning.update(self.path, [entry])
        folder = os.path.join(os.path.dirname(self.path), "bundle")
        wanted = [(MM, CHIP), (MM, CHIP, "tuned", "", self.path)]
        self.assertEqual(bundle.make(BUILD, folder, wanted, 1), [])
        search_kernel, tuned = bundle.Bundle(folder).find(MM, 90)
        self.assertEqual(tuned["schedule"].count("m = 4, n = 8"), 1)
        self.assertNotEqual(search_kernel["schedule"], tuned["schedule"])
        # Another file makes another kernel.
        tuning.update(self.path, [entry | {"schedule": schedule.replace("8", "4")}], replace=True)
        bundle.make(BUILD, folder, wanted[1:], 1)
        again = bundle.Bundle(folder).find(MM, 90)[1]
        self.assertIn("m = 4, n = 4", again["schedule"])


if __name__ == "__main__":
    unittest.main()
