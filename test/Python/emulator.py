# RUN: env TC_EMULATOR_LIBRARY=%tc_libs/libtc-cuda-emulator.so PYTHONPATH=%tc_source/python \
# RUN:   %python %s %S/Inputs/axpy.ptx
"""The Python interface of the emulator: arguments, results, findings, refusals."""

import sys
import unittest

import numpy
from tc.emulator import Emulator, EmulatorError

with open(sys.argv.pop()) as _file:
    PTX = _file.read()


class Launch(unittest.TestCase):
    def setUp(self):
        self.emulator = Emulator()
        self.module = self.emulator.module(PTX)
        self.x = numpy.arange(10, dtype="f4")

    def launch(self, n, y, grid=3):
        return self.module.launch("axpy", grid, (4, 1, 1), [n, 2.0, self.x, y])

    def test_arrays_go_in_and_out(self):
        y = numpy.ones(10, dtype="f4")
        report = self.launch(10, y)
        numpy.testing.assert_array_equal(y, 2 * self.x + 1)
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["status"], "CUDA_SUCCESS")
        self.assertEqual(report["grid"], [3, 1, 1])
        self.assertEqual(report["block"], [4, 1, 1])

    def test_a_buffer_stays(self):
        y = self.emulator.buffer(numpy.zeros(10, "f4"))
        self.launch(10, y)
        self.launch(10, y)
        numpy.testing.assert_array_equal(y.numpy(), 4 * self.x)

    def test_a_fault_is_a_finding(self):
        y = self.emulator.buffer(numpy.zeros(10, "f4"))
        report = self.launch(11, y)
        self.assertEqual(report["status"], "CUDA_ERROR_ILLEGAL_ADDRESS")
        finding = report["findings"][0]
        self.assertEqual(finding["class"], "out-of-bounds")
        self.assertIn("thread (2,0,0)", finding["text"])
        # The device goes on.
        self.assertEqual(self.launch(10, y)["findings"], [])

    def test_fresh_memory_is_not_initialised(self):
        y = self.emulator.empty(10, "f4")
        self.assertEqual(self.launch(10, y)["findings"][0]["class"], "uninitialised")
        y.write(numpy.zeros(10))
        self.assertEqual(self.launch(10, y)["findings"], [])
        self.emulator.set("checks", "bounds")
        self.assertEqual(self.launch(10, self.emulator.empty(10, "f4"))["findings"], [])

    def test_freed_memory_is_told(self):
        y = self.emulator.buffer(numpy.zeros(10, "f4"))
        y.free()
        finding = self.launch(10, y)["findings"][0]
        self.assertEqual(finding["class"], "use-after-free")

    def test_counts(self):
        self.emulator.set("count", True)
        counters = self.launch(10, numpy.zeros(10, "f4"))["counters"]
        loaded = sum(
            entry["bytes"]
            for entry in counters["memory"]
            if (entry["space"], entry["kind"]) == ("global", "read")
        )
        self.assertEqual(loaded, 2 * 10 * 4)

    def test_samples_blocks(self):
        self.emulator.set("sample_blocks", 2)
        report = self.launch(10, numpy.zeros(10, "f4"))
        self.assertEqual(report["blocks_run"], 2)

    def test_refusals_say_why(self):
        with self.assertRaisesRegex(EmulatorError, "expected 4 arguments, got 1"):
            self.module.launch("axpy", 1, 1, [3])
        with self.assertRaisesRegex(EmulatorError, "expected an argument of 4 bytes"):
            self.module.launch("axpy", 1, 1, [numpy.int64(1), 2.0, 0, 0])
        with self.assertRaisesRegex(EmulatorError, "no kernel 'nothing'"):
            self.module.launch("nothing", 1, 1)
        with self.assertRaisesRegex(EmulatorError, "nonsense"):
            self.emulator.module("nonsense\n")
        with self.assertRaisesRegex(EmulatorError, "1 to 1024 threads"):
            self.module.launch("axpy", 1, 2048, [0, 0.0, 0, 0])
        with self.assertRaisesRegex(EmulatorError, "expected a list of none, all, bounds"):
            Emulator(checks="some")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
