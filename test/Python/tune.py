# RUN: rm -rf %t && env TC_CACHE_DIR=%t/cache PYTHONPATH=%tc_source/python %python %s %t
"""tc.tune: progress, what it keeps, and that tc.compile takes it."""

import json
import os
import pathlib
import sys
import unittest
from unittest import mock

import numpy
import tc

WORK = pathlib.Path(sys.argv.pop())
A, B = numpy.ones((16, 16), "f4"), numpy.ones((16, 16), "f4")


class Tunes(unittest.TestCase):
    def test_a_contraction(self):
        path, lines = WORK / "tuning.json", []
        WORK.mkdir(parents=True, exist_ok=True)
        given = {"file": path, "chips": "sm_80", "top": 2, "progress": lines.append}
        tc.tune("ik,kj->ij", A, (16, 16), **given)
        for number, line in enumerate(lines[:2], 1):
            self.assertRegex(line, rf"schedule {number} of 2: [0-9.]+ us counted")
        self.assertRegex(lines[2], r"\[1/1\] .*sm_80: [0-9.]+ us counted")
        self.assertIn("1 entries written", lines[3])
        del lines[:]
        tc.tune("ik,kj->ij", A, (16, 16), **given)
        self.assertIn("known", lines[0])

        plain = tc.compile("ik,kj->ij", (16, 16), (16, 16), chips="sm_80")
        tuned = tc.compile("ik,kj->ij", (16, 16), (16, 16), chips="sm_80", tuning=path)
        self.assertNotEqual(tuned.folder, plain.folder)
        # Another content of the file is another kernel.
        entries = json.loads(path.read_text())
        path.write_text(json.dumps(entries) + "\n")
        again = tc.compile("ik,kj->ij", (16, 16), (16, 16), chips="sm_80", tuning=path)
        self.assertNotEqual(again.folder, tuned.folder)

    def test_on_the_cpu(self):
        WORK.mkdir(parents=True, exist_ok=True)
        path, lines = WORK / "cpu.json", []
        shapes = (48, 40), (40, 64)
        given = {"file": path, "cpu": "native", "top": 3, "progress": lines.append}
        tc.tune("ik,kj->ij", *shapes, **given)
        for number, line in enumerate(lines[:3], 1):
            self.assertRegex(line, rf"schedule {number} of 3: [0-9.]+ us measured")
        self.assertRegex(lines[3], r"\[1/1\] .* native: [0-9.]+ us measured, number [123] of 3")
        (entry,) = json.loads(path.read_text())["entries"]
        self.assertRegex(entry["schedule"], r"#tc.host_schedule<rows = \[i\d\]")
        self.assertEqual((entry["found"], entry["threads"]), ("measured", 1))
        del lines[:]
        tc.tune("ik,kj->ij", *shapes, **given)
        self.assertIn("known", lines[0])

        # A kernel takes what the file has: here a schedule whose blocks have one sum each.
        a, b = numpy.random.default_rng(1).integers(-3, 4, (2, 48, 40)).astype("f4")
        plain = tc.compile("ik,jk->ij", a, b)
        key = "48,48,40+ f32<40,0,1> f32<0,40,1> -> f32<48,1,0> overwrite"
        entry |= {"contraction": key}
        entry["schedule"] = (
            "#tc.host_schedule<rows = [i0], columns = [i1], sums = [i2], vector = 2, "
            "tile = [2, 4], block = [48, 48, 1], task = 48, rows_from = panels, "
            "columns_from = panels, tasks = blocks>"
        )
        path.write_text(json.dumps({"format": "tc-tuning", "entries": [entry]}))
        tuned = tc.compile("ik,jk->ij", a, b, tuning=path)
        own, other = (
            next((kernel.folder / "lib").glob("libtc_*.so")).read_bytes()
            for kernel in (plain, tuned)
        )
        self.assertNotEqual(own, other)
        numpy.testing.assert_array_equal(tuned(a, b), a @ b.T)

    def test_results_of_another_type(self):
        WORK.mkdir(parents=True, exist_ok=True)
        path = WORK / "bf16.json"
        given = {"dtype": "bf16", "result_dtype": "f32", "file": path, "cpu": "native"}
        tc.tune("ik,kj->ij", (48, 40), (40, 64), top=1, **given)
        (entry,) = json.loads(path.read_text())["entries"]
        key = "48,64,40+ bf16<40,0,1> bf16<0,1,64> -> f32<64,1,0> overwrite"
        self.assertEqual(entry["contraction"], key)

    def refuses(self, error, words, *operands, **options):
        with self.assertRaisesRegex(error, words):
            tc.tune(*operands, **{"file": WORK / "none.json", **options})

    def test_what_it_cannot_tune(self):
        self.refuses(
            ValueError, "operand 0: expected an array without gaps", "ik,kj->ij", A.T, B[:, ::2]
        )
        self.refuses(
            ValueError, "one element type and extents that are known", "ik,kj->ij", (None, 16), B
        )
        self.refuses(ValueError, "one element type", "ik,kj->ij", A, B.astype("f8"))
        self.refuses(tc.Error, "invalid choice: 'guessed'", "ik,kj->ij", A, B, by="guessed")
        self.refuses(ValueError, "no chips and no 'by'", "ik,kj->ij", A, B, cpu="native", by="counted")
        self.refuses(tc.Error, "expected a CPU of", "ik,kj->ij", A, B, cpu="abacus")
        truth = A.astype(bool)
        self.refuses(tc.Error, "a type of i8, i16, i32", "ik,kj->ij", truth, truth, cpu="native")
        self.refuses(tc.Error, "but it is computed by loops", "i,i->i", A[0], A[0], cpu="native")
        self.assertFalse((WORK / "none.json").exists())

    def test_no_tuner(self):
        alone = WORK / "bin"
        alone.mkdir(parents=True, exist_ok=True)
        program = alone / "tc-compile"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        with mock.patch.dict(os.environ, {"TC_COMPILE": str(program)}):
            self.refuses(tc.ToolError, "expected the program tc-tune at", "ik,kj->ij", A, B)

    def test_no_file(self):
        with self.assertRaises(FileNotFoundError):
            tc.compile("ik,kj->ij", A, B, chips="sm_80", tuning=WORK / "nothing.json")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
