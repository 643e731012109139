# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""benchmarks/gpu/compare.py and performance.py on result files whose numbers are known."""

import contextlib
import copy
import io
import json
import os
import statistics
import sys
import tempfile
import unittest
from unittest import mock

import gpu_case  # noqa: F401  (it puts benchmarks/gpu on the path)
import compare
import performance
from harness import plots, tables


def row(problem, dtype, contender, time_us, status="right", **more):
    numbers = {"problem": problem, "dtype": dtype, "contender": contender, "status": status}
    numbers |= {"bytes": 10**8, "flops": 10**9, "floor_us": 100.0, "floor_binds": "dram"}
    if time_us:
        numbers |= {"time_us": time_us, "share_of_floor": 100.0 / time_us}
    return numbers | more


def make_run():
    estimates = {
        "predicted": {"seconds": 110e-6, "limiter": "shared"},
        "counted": {"seconds": 125e-6, "limiter": "dram"},
    }
    return {
        "format": "tc-measured",
        "version": 1,
        "device": "NVIDIA H200",
        "driver": "13.0",
        "kind": "measured",
        "started": "2026-11-22T00:00:00+00:00",
        "commit": "abc",
        "bundle_commit": "abc",
        "seed": 1,
        "finished": True,
        "datasheet": None,
        "ceilings": {
            "copy_bytes_per_second": 1e12,
            "f32_flops": 2e13,
            "f64_flops": 1e13,
            "launch": {"device_us": 2.0, "host_us": 3.0},
        },
        "contenders": {
            "tc": {"found": True, "version": "abc"},
            "torch-einsum": {"found": True, "version": "2"},
            "cutensor": {"found": True, "version": "2"},
            "cutensor-jit": {"found": True, "version": "2"},
            "cublas": {"found": False, "why": "libcublas.so is not found"},
        },
        "rows": [
            row("one", "f32", "tc", 125.0, **estimates),
            row("one", "f32", "torch-einsum", 500.0),
            row("one", "f32", "cutensor", 250.0),
            row("one", "f32", "cutensor-jit", 100.0),
            row("two", "f32", "tc", 200.0),
            row("two", "f32", "torch-einsum", 201.0),
            row("two", "f32", "cutensor", None, "wrong", why="expected x, got y\nmore"),
            row("three", "f64", "tc", 3.0),
            row("three", "f64", "torch-einsum", 1.5),
        ],
    }


class WithFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, run, name="run.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(run, file)
        return path

    def call(self, program, *arguments):
        """(status, standard output)."""
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["program", *arguments]):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                status = program.main()
        return status, out.getvalue()


class Compare(WithFiles):
    def test_means_wins_and_losses(self):
        status, out = self.call(compare, self.write(make_run()))
        self.assertEqual(status, 0)
        # 500/125 and 201/200: sqrt(4 * 1.005).
        self.assertIn(
            "| torch-einsum | f32 | 2 | 2.005 | 1.00 (two) | 4.00 (one) | 1 / 1 / 0 |", out
        )
        self.assertIn("| torch-einsum | f64 | 1 | 0.500 | 0.50 (three) |", out)
        self.assertIn("| cutensor | f32 | 1 | 2.000 |", out)
        self.assertIn("| cutensor, the best of all | f32 | 1 | 0.800 |", out)
        self.assertIn("missing: cublas (libcublas.so is not found)", out)
        self.assertIn("WRONG: cutensor on two f32: expected x, got y\n", out)
        # Time over floor: sqrt(1.25 * 2); both are bound by memory and over 50 us.
        self.assertIn("| tc | f32 | 2 | 1.581 | 2.00 (two) | 0.632 |", out)

    def test_goals(self):
        lines = tables.compare_goals(make_run())
        torch = "| torch.einsum | f32 | 2 | 2.005 | >= 2.0 | yes | two: 1.00 |"
        copies = "| copy bandwidth, memory-bound over 50 us | f32 | 2 | 0.500 | >= 0.8 | no "
        copies += "| two: 0.50 |"
        self.assertIn(torch, lines)
        self.assertIn(copies, lines)
        # cuTENSOR's goal is for other problems.
        self.assertFalse([line for line in lines if "cuTENSOR" in line])

    def test_predicted_counted_and_measured(self):
        lines = tables.compare_kinds(make_run())
        sentence = " ".join(lines[lines.index("") + 1 :])
        self.assertIn("0 of 1 measured times are off the counted ones by more than 20%", sentence)
        run = make_run()
        run["rows"][0]["time_us"] = 175.0
        self.assertIn("1 of 1", tables.describe_misses(run))
        self.assertIn("one f32, 1.40 times the count", tables.describe_misses(run))
        self.assertIn("*measured* us", lines[0])
        # 1e8 bytes in 125 us are 0.8 of 1e12 a second.
        self.assertIn("| one | f32 | 110 | shared | 125 | dram | 125 | dram 0.80 | 1 |", lines)
        self.assertIn("| three | f64 |  |  |  |  | 3 | launch |  |", lines)

    def test_measured_over_estimated(self):
        run = make_run()
        ratios = [
            row["time_us"] / (row["counted"]["seconds"] * 1e6)
            for row in run["rows"]
            if row["contender"] == "tc" and row["dtype"] == "f32" and row.get("counted")
        ]
        (line,) = [
            line for line in tables.compare_estimates(run) if line.startswith("| *counted* | f32 |")
        ]
        self.assertIn(f"| {len(ratios)} | {statistics.geometric_mean(ratios):.3f} |", line)
        self.assertIn(f"{max(ratios):.2f} (", line)

    def test_emulated_times_are_marked(self):
        status, out = self.call(compare, self.write(make_run() | {"kind": "emulated"}))
        self.assertIn("**emulated, not measured**", out)
        self.assertIn("*emulated* us", out)

    def test_two_runs(self):
        new = copy.deepcopy(make_run())
        new["rows"][0]["time_us"] = 100.0
        new["rows"] = new["rows"][:-2]
        status, out = self.call(compare, self.write(make_run(), "old.json"), self.write(new))
        self.assertIn("| tc | 2 | 1.118 | 1.000 (two f32) | 1.250 (one f32) |", out)
        self.assertIn("| one | f32 | tc | 125 | 100 | 1.250 |", out)
        self.assertIn("only in the old run: three f64", out)
        self.assertNotIn("| two | f32 |", out)

    def test_what_is_no_result_is_refused(self):
        with self.assertRaisesRegex(Exception, "expected 'tc-measured' of version 1, got 'x', 1"):
            self.call(compare, self.write(make_run() | {"format": "x"}))
        with self.assertRaisesRegex(Exception, "expected a contender of tc, .* got 'me'"):
            self.call(compare, "--ours=me", self.write(make_run()))

    @unittest.skipIf(plots.load_matplotlib() is None, "matplotlib is not installed")
    def test_plots(self):
        drawn = os.path.join(self.folder, "plots")
        status, out = self.call(compare, f"--plots={drawn}", self.write(make_run()))
        self.assertEqual(status, 0, out)
        names = [f"{kind}-{dtype}" for kind in ("problems", "roofline") for dtype in ("f32", "f64")]
        found = sorted(os.listdir(drawn))
        self.assertEqual(found, sorted(f"{n}.{form}" for n in names for form in ("png", "svg")))
        with open(os.path.join(drawn, "roofline-f32.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        with open(os.path.join(drawn, "problems-f32.svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read())

    def test_without_matplotlib_there_are_no_plots(self):
        with mock.patch.object(plots, "load_matplotlib", lambda: None):
            status, out = self.call(compare, f"--plots={self.folder}", self.write(make_run()))
        self.assertEqual(status, 1)
        self.assertIn("no plots: matplotlib is not installed", out)
        self.assertIn("## Problems", out)


class Performance(WithFiles):
    def setUp(self):
        super().setUp()
        self.page = os.path.join(self.folder, "page.md")
        with open(self.page, "w", encoding="utf-8") as file:
            file.write(f"before\n{performance.BEGIN}\nold\n{performance.END}\nafter\n")
        self.options = [f"--page={self.page}", f"--results={self.folder}"]

    def read(self):
        with open(self.page, encoding="utf-8") as file:
            return file.read()

    def test_the_section_is_made_of_the_results(self):
        self.write(make_run())
        self.assertEqual(self.call(performance, "--check", *self.options)[0], 1)
        self.assertEqual(self.call(performance, *self.options)[0], 0)
        text = self.read()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)
        self.assertIn("### NVIDIA H200, 2026-11-22", text)
        self.assertIn("| torch-einsum | f32 | 2 | 2.005 |", text)
        self.assertEqual(self.call(performance, "--check", *self.options)[0], 0)

    def test_prose_fits_the_columns_that_the_lint_allows(self):
        why = "libcublas.so is not found; " * 9
        contenders = make_run()["contenders"] | {"cublas": {"found": False, "why": why}}
        self.write(make_run() | {"contenders": contenders, "device": "NVIDIA H200 " * 9})
        self.call(performance, *self.options)
        lines = self.read().splitlines()
        prose = [line for line in lines if not line.startswith(("|", "#", "<!--"))]
        self.assertLessEqual(max(map(len, prose)), tables.COLUMNS)
        # The rest of an item is indented, so that it stays in its list.
        first = next(n for n, line in enumerate(prose) if line.startswith("- missing: cublas"))
        self.assertTrue(prose[first + 1].startswith("  libcublas.so"), prose[first + 1])

    def test_without_results_it_says_so(self):
        self.call(performance, *self.options)
        self.assertIn(performance.NOTHING, self.read())

    def test_what_was_emulated_is_refused(self):
        self.write(make_run() | {"kind": "emulated"})
        with self.assertRaisesRegex(Exception, "expected what a GPU measured, got emulated"):
            self.call(performance, *self.options)

    def test_the_page_of_this_repository_is_up_to_date(self):
        status, out = self.call(performance, "--check")
        self.assertEqual(status, 0, out)


if __name__ == "__main__":
    unittest.main()
