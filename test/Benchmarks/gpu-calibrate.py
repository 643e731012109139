# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""`benchmarks/gpu/run --calibrate`: the fit, the kernels, and a whole run on the
emulator, whose numbers mean nothing and say so."""

import contextlib
import dataclasses
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy
from gpu_case import BUILD, DRIVER
from harness import calibrate, main, matrix, micro
from harness.driver import Driver

TEXTS = {
    "f32": micro.write_fma("f32"),
    "f64": micro.write_fma("f64"),
    "integer": micro.write_integer(),
    "issue": micro.write_integer(True),
    "barrier": micro.write_barrier(),
    "chase": micro.write_chase(),
    "clock": micro.write_clock(),
}
for _width in (4, 8, 16):
    for _stores in (False, True):
        TEXTS[f"shared {_width} {_stores}"] = micro.write_shared(_width, _stores)
for _kind in ("read", "write", "copy"):
    TEXTS[_kind] = micro.write_global(_kind, 16, 16)
CHIPS = dict.fromkeys(TEXTS, 80)
for _form in matrix.FORMS:
    TEXTS[f"rate of {_form.name}"] = micro.write_mma(_form)
    TEXTS[f"latency of {_form.name}"] = micro.write_mma(_form, 1)
    TEXTS[f"product of {_form.name}"] = matrix.write_product(_form, _form.chip)
    CHIPS |= {f"{_name} of {_form.name}": _form.chip for _name in ("rate", "latency", "product")}


class Fit(unittest.TestCase):
    def test_a_line_is_found(self):
        slope, start, residual = calibrate.fit_line([1, 2, 3, 4], [12.0, 14.0, 16.0, 18.0])
        self.assertAlmostEqual(slope, 2)
        self.assertAlmostEqual(start, 10)
        self.assertAlmostEqual(residual, 0)

    def test_what_is_no_line_has_a_residual(self):
        _, _, residual = calibrate.fit_line([1, 2, 3, 4], [1.0, 4.0, 9.0, 16.0])
        self.assertGreater(residual, 0.05)


class Kernels(unittest.TestCase):
    @unittest.skipUnless(shutil.which("ptxas"), "ptxas is not found")
    def test_the_assembler_takes_them(self):
        for name, text in TEXTS.items():
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                file.write(text)
                file.flush()
                command = ["ptxas", f"-arch=sm_{CHIPS[name]}", file.name, "-o", os.devnull]
                run = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 0, name + run.stdout + run.stderr)

    def test_they_do_the_work_they_are_named_for(self):
        """Each round has as many operations as the rates are computed with."""
        chains = micro.CHAINS * micro.UNROLL
        for name, operation, count in (
            ("f32", "fma.rn.f32", chains),
            ("f64", "fma.rn.f64", chains),
            ("integer", "add.u32", chains // 2 + micro.CHAINS),  # and the start of each
            ("issue", "fma.rn.f32", chains),
            ("shared 8 False", "ld.shared.v2.b32", micro.ACCESSES),
            ("shared 16 True", "st.volatile.shared.v4.b32", micro.ACCESSES),
            ("barrier", "bar.sync", micro.ACCESSES),
            ("chase", "ld.global.cg.u64", micro.ACCESSES),
        ):
            self.assertEqual(TEXTS[name].count(f"  {operation} "), count, name)

    def test_products_are_as_many_as_counted(self):
        for form in matrix.FORMS:
            for name, chains in (("rate", micro.CHAINS), ("latency", 1)):
                text = TEXTS[f"{name} of {form.name}"]
                self.assertEqual(text.count("  mma.sync."), chains * micro.PRODUCTS, form.name)

    def test_an_assembler_can_leave_no_product_out(self):
        """No two of 8-bit floating point have the same inputs between changes of B."""
        for form in (form for form in matrix.FORMS if form.is_f8):
            text = TEXTS[f"rate of {form.name}"]
            step = text.split("  prmt.b32 ")[-1]
            inputs = re.findall(r"mma.sync\S+ \{.*?\}, (\{.*?\}, \{.*?\}),", step)
            self.assertEqual((len(inputs), len(set(inputs))), (micro.CHAINS, micro.CHAINS))

    def test_an_assembler_can_leave_no_load_out(self):
        """Each is of another place than those before it in the round."""
        for width in (4, 8, 16):
            loads = re.findall(r" ld\.shared\S* .*(\[\S+\]);", TEXTS[f"shared {width} False"])
            self.assertEqual(len(set(loads)), micro.ACCESSES, loads)

    def test_a_chain_goes_through_all_its_places(self):
        driver = Driver(DRIVER)
        place = calibrate.Calibration(driver)._make_chain(9)
        words = driver.read(place, 9 * calibrate._CHASE_STRIDE // 8, "u8")
        at, seen = place, set()
        for _ in range(9):
            seen.add(at)
            at = int(words[(at - place) // 8])
        self.assertEqual((at, len(seen)), (place, 9))

    def test_copies_copy(self):
        driver = Driver(DRIVER)
        source, target = driver.allocate(4096), driver.allocate(4096)
        driver.write(source, numpy.arange(1024, dtype="u4"))
        driver.set_words(target, 0, 4096)
        kernel = driver.load(TEXTS["copy"]).kernel("micro")
        pointers = [calibrate.address(target), calibrate.address(source)]
        numbers = [calibrate.ctypes.c_uint64(255), calibrate.ctypes.c_uint32(2)]
        kernel.launch((2, 1, 1), (32, 1, 1), pointers + numbers)
        driver.synchronize()
        got = driver.read(target, 1024, "u4")
        numpy.testing.assert_array_equal(got[:1020], numpy.arange(1020))
        self.assertEqual(got[1020:].sum(), 0)


class Matrix(unittest.TestCase):
    def test_a_form_that_is_refused_is_left_out(self):
        said = []
        calibration = calibrate.Calibration(Driver(DRIVER), said.append)
        calibration.measure_clock()
        refused = dataclasses.replace(matrix.FORMS[0], k=5)
        with unittest.mock.patch.object(matrix, "FORMS", [refused, matrix.FORMS[0]]):
            calibration.measure_matrix()
        self.assertIn("mma_m8n8k5.f64: left out: ", said[1])
        names = ["clock_hz", "mma_m8n8k4.f64", "mma_latency_m8n8k4.f64_seconds"]
        self.assertEqual(list(calibration.rates), names)


class Run(unittest.TestCase):
    def test_a_file_of_rates_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rates.json")
            options = [f"--driver={DRIVER}", f"--output={path}", f"--build={BUILD}"]
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(main.main(["--calibrate", *options]), 0)
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
        self.assertEqual((found["format"], found["kind"]), ("tc-rates", "emulated"))
        self.assertIn("no rate says anything about a GPU", found["warning"])
        rates = found["rates"]
        for rate in rates.values():
            self.assertGreater(rate["value"], 0)
        for name in (
            "clock_hz", "f32", "f64", "integer", "warp_instructions", "memory", "wavefronts",
            "l2_bytes_per_second", "dram_bytes_per_second", "launch_seconds",
        ):  # fmt: skip
            self.assertGreater(rates[name]["described"], 0, name)
        self.assertEqual(rates["f32"]["described"], 128)
        for form in matrix.FORMS:
            self.assertEqual(f"mma_{form.name}" in rates, form.a == form.b)
        for name in (
            "shared_load_bytes_4", "barrier_128_seconds", "memory_latency_seconds",
            "mma_m16n8k8.tf32", "mma_latency_m16n8k16.f16_f16_seconds",
        ):  # fmt: skip
            self.assertIsNone(rates[name]["described"])
            self.assertEqual(len(rates[name]["points"]), 4)


if __name__ == "__main__":
    unittest.main()
