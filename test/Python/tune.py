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
