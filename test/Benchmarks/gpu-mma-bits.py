# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""`benchmarks/gpu/mma_bits.py`: random matrix products on the emulator, compared with
themselves, with another arithmetic, and with what they should be."""

import contextlib
import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy
from gpu_case import DRIVER, SOURCE

import mma_bits
from harness import matrix, products
from harness.driver import Driver

PROGRAM = os.path.join(SOURCE, "benchmarks", "gpu", "mma_bits.py")
SEED, COUNT = 3, 96
# Of inputs taken as results, by any version of NumPy.
FIRST_DIGEST = 2900268481804096643


def run_on_emulator(path, arithmetic, *options):
    """What `run` writes where the device adds in this way."""
    command = [sys.executable, PROGRAM, "run", f"--driver={DRIVER}", f"--output={path}"]
    command += [f"--count={COUNT}", f"--seed={SEED}", *options]
    environment = os.environ | {"TC_EMU_ARITHMETIC": arithmetic}
    subprocess.run(command, check=True, env=environment, capture_output=True)


def compare(path, *options):
    """(exit status, what it printed)."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = mma_bits.main(["compare", path, f"--driver={DRIVER}", *options])
    return status, said.getvalue()


def find_form(name):
    return next(form for form in matrix.FORMS if form.name == name)


def read_table(path):
    """(lines of the head, rows by form)."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = [line for line in lines if line.startswith("# ")]
    return head, {row["form"]: row for row in csv.DictReader(lines[len(head) :])}


def form_of(name):
    return next(form for form in matrix.FORMS if form.name == name)


class Bits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = os.path.join(self.folder, "bits.npz")
        self.table = os.path.join(self.folder, "bits.csv")

    def test_the_emulator_is_as_itself(self):
        run_on_emulator(self.file, "hardware")
        status, said = compare(self.file, f"--output={self.table}")
        self.assertEqual(status, 0, said)
        head, rows = read_table(self.table)
        self.assertIn("(emulated)", head[0])
        self.assertEqual(list(rows), [form.name for form in matrix.FORMS])
        for name, row in rows.items():
            self.assertEqual((row["products"], row["differ"]), (str(COUNT), "0"), name)
            # Products of fp8 seldom need more bits than the unit keeps.
            if not form_of(name).is_f8:
                is_rounded_once = name.endswith(("f64", "s8"))
                self.assertEqual(row["differ_from_exact"] == "0", is_rounded_once, name)

    def test_a_difference_is_found(self):
        run_on_emulator(self.file, "exact", "--forms=m16n8k8.tf32,m16n8k8.f64")
        status, said = compare(self.file, f"--output={self.table}")
        self.assertEqual(status, 1, said)
        _, rows = read_table(self.table)
        self.assertEqual(rows["m16n8k8.f64"]["differ"], "0")
        self.assertEqual(rows["m16n8k8.f64"]["example"], "")
        row = rows["m16n8k8.tf32"]
        self.assertGreater(int(row["differ"]), 0)
        self.assertEqual(row["differ_from_exact"], "0")
        place = r"^product \d+ \(\S+\) row \d+ column \d: "
        self.assertRegex(row["example"], place + r"a = (\w{8} ?){8}; b = (\w{8} ?){8}; c = \w{8}; ")

    def test_a_difference_behind_the_kept_products_is_found(self):
        run_on_emulator(self.file, "exact", "--forms=m16n8k8.tf32", "--kept=0")
        status, said = compare(self.file)
        self.assertEqual(status, 1, said)
        number = int(said.split("run --first=")[1].split()[0])
        run_on_emulator(self.file, "exact", "--forms=m16n8k8.tf32", f"--first={number}")
        self.assertIn(f"product {number} ", compare(self.file)[1])

    def test_one_bit_of_one_product_is_found(self):
        run_on_emulator(self.file, "hardware", "--forms=m16n8k16.s8")
        arrays = dict(numpy.load(self.file))
        arrays["m16n8k16.s8/bits"][40, 3, 31] ^= 1
        form = find_form("m16n8k16.s8")
        arrays["m16n8k16.s8/digests"] = products.digest(form, arrays["m16n8k16.s8/bits"])
        numpy.savez(self.file, **arrays)
        status, said = compare(self.file)
        self.assertEqual(status, 1)
        self.assertRegex(said, r" 1 differ .*even:1\n    product 40 \(even\) row 15 column 7:")

    def test_no_forms_are_no_success(self):
        run_on_emulator(self.file, "hardware", "--forms=m16n8k16.s8")
        status, said = compare(self.file, "--forms=m8n8k4.f64")
        self.assertEqual(status, 2)
        self.assertIn("has none of these forms", said)

    def test_another_file_is_refused(self):
        numpy.savez(self.file, other=numpy.zeros(1))
        status, said = compare(self.file)
        self.assertEqual(status, 2)
        self.assertIn("expected a file of mma_bits.py run", said)


class Numbers(unittest.TestCase):
    def test_results_are_those_of_the_terms_named(self):
        """Rows and columns are found as the instruction has them."""
        driver = Driver(DRIVER)
        for name in ("m16n8k32.s8", "m16n8k16.f64", "m16n8k16.f16_f16"):
            form = find_form(name)
            kinds = {"s8": ("i1", "i4"), "f64": ("f8", "f8"), "f16": ("f2", "f2")}[form.a]
            runner = mma_bits.Runner(driver, form, SEED, 90)
            inputs = runner.made.make(0, products.PERIOD)[5]
            (results,) = runner.launch(inputs[None]).view(kinds[1])
            results = results.reshape(form.registers[2], 32, -1)
            for place in numpy.ndindex(results.shape):
                *_, a, b, c = products.find_terms(form, inputs, *place)
                a, b = (terms.view(kinds[0]).astype("f8") for terms in (a, b))
                expected = float((a * b).sum() + numpy.array([c]).view(kinds[1])[0])
                if name.endswith("s8"):
                    expected = (expected + 2**31) % 2**32 - 2**31
                self.assertAlmostEqual(float(results[place]), expected, delta=1e-2)

    def test_only_special_products_have_infinities_and_nans(self):
        for number, form in enumerate(matrix.FORMS):
            inputs = products.Products(form, SEED, number).make(0, 16 * products.PERIOD)
            a, b, _ = form.registers
            for name, words in ((form.a, inputs[:, :a]), (form.b, inputs[:, a : a + b])):
                if name not in ("f16", "f64", "tf32"):
                    continue
                kind = {"f16": "f2", "f64": "f8", "tf32": "f4"}[name]
                words = numpy.ascontiguousarray(words).reshape(len(words), -1)
                found = numpy.flatnonzero(~numpy.isfinite(words.view(kind)).all(axis=1))
                self.assertEqual({products.kind_of(at) for at in found}, {"special"}, form.name)

    def test_numbers_of_a_product_do_not_depend_on_where_a_batch_begins(self):
        made = products.Products(matrix.FORMS[0], SEED, 0)
        whole = made.make(0, 4 * products.PERIOD)
        numpy.testing.assert_array_equal(made.make(64, 64), whole[64:])
        self.assertEqual(products.digest(matrix.FORMS[0], whole[:1, :2])[0], FIRST_DIGEST)

    def test_all_nans_are_one(self):
        form = find_form("m16n8k8.tf32")
        results = numpy.zeros((3, 4, 32), "u4")
        results[0, 1, 2], results[1, 1, 2], results[2, 1, 2] = 0xFFC00001, 0x7F800001, 0x7F800000
        first, second, infinity = products.digest(form, results)
        self.assertEqual(first, second)
        self.assertNotEqual(first, infinity)


if __name__ == "__main__":
    unittest.main()
